"use strict";
// Answers of a report to pointer and keyboard: values, opacity, frames, curtains, sorting. Its elements and words are in
// `answers.html`. It reads what is in the page, asks for nothing, and the page is complete without it.
(() => {
  const all = (where, what) => [...where.querySelectorAll(what)];
  const stock = document.getElementById("answers").content;
  const fill = (text, fields) => text.replace(/\{(\w+)\}/g, (_, name) => fields[name] ?? "");
  const words = (name, fields) => fill(stock.querySelector("." + name).textContent, fields);
  const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

  // A copy of an element of `answers.html`, its braces filled.
  const made = (name, fields = {}) => {
    const copy = stock.querySelector("." + name).cloneNode(true);
    for (const one of [copy, ...all(copy, "*")]) {
      const label = one.getAttribute("aria-label");
      if (label) one.setAttribute("aria-label", fill(label, fields));
      if (!one.children.length) one.textContent = fill(one.textContent, fields);
    }
    return copy;
  };

  // ---- Numbers

  const powers = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  const raised = (text) => text.replace(/\d/g, (c) => powers[c]).replace("-", "⁻");
  const lowered = (text) => text.replace(/[^⁻]/g, (c) => powers.indexOf(c)).replace("⁻", "-");

  // As many digits as the levels tell apart, and no more than are asked for.
  const written = (value, { low, high, step }, digits = 4) => {
    const most = Math.max(Math.abs(low), Math.abs(high));
    if (!most) return "0";
    let decimals = digits - 1 - Math.floor(Math.log10(most));
    if (step) decimals = Math.min(decimals, Math.max(0, Math.ceil(-Math.log10(step))));
    if (decimals > 6 || most >= 1e9) {
      const [mantissa, power] = value.toExponential(digits - 1).split("e");
      return value ? `${Number(mantissa)} × 10${raised(String(Number(power)))}`.replace("-", "−") : "0";
    }
    const [whole, part] = Math.abs(value).toFixed(Math.max(0, decimals)).split(".");
    const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") : whole;
    const text = (part ? grouped + "." + part : grouped).replace(/(\..*?)0+$/, "$1").replace(/\.$/, "");
    return value < 0 && /[1-9]/.test(text) ? "−" + text : text;
  };

  // Numbers from their levels.
  const numbers = ({ low, high, levels, width }) => {
    if (!levels) return { low, high, at: () => low };
    const bytes = Uint8Array.from(atob(levels), (c) => c.charCodeAt(0));
    const none = 256 ** width - 1;
    const step = (high - low) / (none - 1);
    const level = (n) => (width === 1 ? bytes[n] : bytes[2 * n] + 256 * bytes[2 * n + 1]);
    return { low, high, step, at: (n) => (level(n) === none ? NaN : low + step * level(n)) };
  };

  const said = (place, value, values, half, exact) => {
    if (Number.isNaN(value)) return words("values-none", { place });
    const fields = { place, value: written(value, values) };
    if (exact) return words("values-exact", fields);
    return half ? words("values-with", { ...fields, half }) : words("values-without", fields);
  };

  // ---- What can be read: `places`, the nearest one to a point, steps between them, and what is said of one.
  // Points are from the left and from the top of the picture, from 0 to 1.

  const highest = (count, at) => {
    let best = 0;
    for (let n = 1; n < count; n++) if (at(n) > at(best) || Number.isNaN(at(best))) best = n;
    return best;
  };

  const readMap = (data) => {
    const { columns, rows, across, down, x_ends, y_ends, unit } = data;
    const values = numbers(data.values);
    const half = data.half_width && numbers(data.half_width);
    const along = (ends, share) => written(ends[0] + (ends[1] - ends[0]) * share, { low: ends[0], high: ends[1] }, 3);
    const nearest = (x, [start, step], count) => clamp(Math.round((x - start) / step), 0, count - 1);
    const point = (n) => [across[0] + across[1] * (n % columns), down[0] + down[1] * Math.floor(n / columns)];
    return {
      form: columns + " " + rows,
      first: () => highest(columns * rows, values.at),
      at: (x, y) => nearest(y, down, rows) * columns + nearest(x, across, columns),
      moved: (n, right, below) =>
        clamp(Math.floor(n / columns) + below, 0, rows - 1) * columns + clamp((n % columns) + right, 0, columns - 1),
      cross: (n) => ({ point: point(n), box: [0, 0, 1, 1], level: true }),
      say: (n) => {
        const [x, y] = point(n);
        const place = words("place-map", { x: along(x_ends, x), y: along(y_ends, y), unit });
        return said(place, values.at(n), values, half && written(half.at(n), half, 3), data.is_exact);
      },
    };
  };

  const readChart = (data) => {
    const x = numbers(data.x);
    const curves = data.curves.map((one) => ({
      ...one, values: numbers(one.values), half: one.half_width && numbers(one.half_width),
    }));
    const count = data.x.levels ? atob(data.x.levels).length / data.x.width : 1;
    const of = (n) => curves[Math.floor(n / count)], axesOf = (n) => data.axes[of(n).axes];
    const point = (n) => {
      const curve = of(n), [left, top, width, height, x0, x1, y0, y1] = axesOf(n);
      const up = clamp((curve.values.at(n % count) - y0) / (y1 - y0), 0, 1);
      return [left + (width * (x.at(n % count) - x0)) / (x1 - x0 || 1), top + height * (1 - (up || 0))];
    };
    return {
      form: "",
      first: () => highest(count, curves[0].values.at),
      at: (px, py) => {
        let best = 0, least = Infinity;
        for (let n = 0; n < count * curves.length; n++) {
          const [left, top, width, height] = axesOf(n);
          const outside = px < left || px > left + width || py < top || py > top + height;
          const [a, b] = point(n);
          // The curve that is under the pointer, at the step that is above or below it.
          const far = (outside ? 100 : 0) + 10 * Math.abs(a - px) + Math.abs(b - py);
          if (far < least) [best, least] = [n, far];
        }
        return best;
      },
      moved: (n, right, below) =>
        clamp(Math.floor(n / count) + Math.sign(below), 0, curves.length - 1) * count + clamp((n % count) + right, 0, count - 1),
      cross: (n) => ({ point: point(n), box: axesOf(n), level: false }),
      say: (n) => {
        const curve = of(n), m = n % count;
        const fields = { label: data.x_label, x: written(x.at(m), x), name: curve.name };
        const place = words(curve.name ? "place-curve" : "place-only", fields);
        return said(place, curve.values.at(m), curve.values, curve.half && written(curve.half.at(m), curve.half, 3), curve.is_exact);
      },
    };
  };

  // ---- Crosses over figures

  const percent = (share) => 100 * share + "%";
  const titleOf = (plate) => plate.querySelector(".title").textContent;

  // Where a pointer is in a field, from 0 to 1.
  const within = (field, { clientX, clientY }) => {
    const { left, top, width, height } = field.getBoundingClientRect();
    return [clamp((clientX - left) / width, 0, 1), clamp((clientY - top) / height, 0, 1)];
  };

  class Probe {
    constructor(field, reading, output, element) {
      Object.assign(this, { field, reading, output, element, peers: [this], now: null });
      [this.upright, this.level] = element.children;
      field.append(element);
      for (const kind of ["pointermove", "pointerdown"]) field.addEventListener(kind, (event) => this.pointed(event));
      field.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.clear());
      element.addEventListener("focus", () => this.go(this.now ?? reading.first()));
      element.addEventListener("blur", () => this.clear());
      element.addEventListener("keydown", (event) => this.pressed(event));
    }

    pointed(event) {
      this.output.setAttribute("aria-live", "off");
      this.show(this.reading.at(...within(this.field, event)));
    }

    pressed(event) {
      const far = event.shiftKey ? 5 : 1;
      const steps = { ArrowLeft: [-far, 0], ArrowRight: [far, 0], ArrowUp: [0, -far], ArrowDown: [0, far] }[event.key];
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      if (steps) this.go(this.reading.moved(this.now, ...steps));
      else if (event.key === "Home") this.go(this.reading.first());
      else if (event.key.startsWith("Page")) this.turn(event.key === "PageDown" ? 1 : -1);
      else return;
      event.preventDefault();
    }

    // To the same place of another frame.
    turn(by) {
      const other = this.many[this.many.indexOf(this) + by];
      if (!other) return;
      const place = this.now;
      other.field.dispatchEvent(new CustomEvent("turned", { bubbles: true }));
      this.element.tabIndex = -1;
      other.element.tabIndex = 0;
      other.now = place;
      other.element.focus();
    }

    go(place) {
      this.output.setAttribute("aria-live", "polite");
      this.show(place);
    }

    show(place) {
      this.now = place;
      for (const peer of this.peers) peer.draw(place);
    }

    draw(place) {
      const { point: [x, y], box: [left, top, width, height], level } = this.reading.cross(place);
      this.element.classList.add("crossed");
      this.element.classList.toggle("dot-only", !level);
      Object.assign(this.upright.style, { left: percent(x), top: percent(top), height: percent(height) });
      Object.assign(this.level.style, level ? { top: percent(y), left: percent(left), width: percent(width) } : { top: percent(y), left: percent(x) });
      this.output.textContent = this.reading.say(place);
    }

    clear() {
      if (this.peers.some((peer) => peer.element === document.activeElement)) return;
      for (const peer of this.peers) {
        peer.element.classList.remove("crossed");
        peer.output.replaceChildren(...(peer.hint ? [peer.hint] : []));
      }
    }
  }

  const probe = (plate) => {
    const title = titleOf(plate);
    const strips = [];
    let text = "", hint = made("hint");
    for (const panel of all(plate, ".panel")) {
      const output = made("reading"), many = [];
      for (const field of all(panel, ".field[data-readings]")) {
        // "": those of the map before.
        text = field.dataset.readings || text;
        const data = JSON.parse(text);
        const label = field.closest(".frame").querySelector(".label");
        const element = made(label ? "probe-of-many" : "probe", { title, label: label?.textContent });
        const one = new Probe(field, data.curves ? readChart(data) : readMap(data), output, element);
        element.tabIndex = many.length ? -1 : 0;
        many.push(one);
      }
      if (!many.length) continue;
      panel.querySelector(".pictures").after(output);
      for (const one of many) Object.assign(one, { hint, many });
      if (hint) output.append(hint);
      hint = null;
      strips.push(many);
    }
    // Maps of the same places, side by side: a cross on one is a cross on all.
    for (const one of strips.flat().filter((each) => each.reading.form)) {
      const place = one.many.indexOf(one);
      one.peers = strips.map((strip) => strip[place]).filter((other) => other?.reading.form === one.reading.form);
    }
  };

  // ---- Opacity, frames, curtains

  const toggle = (button, change) =>
    button.addEventListener("click", () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(on));
      change(on);
    });

  const photograph = (plate) => {
    if (!plate.querySelector(".over")) return;
    const control = made("opacity");
    const input = control.querySelector("input");
    input.addEventListener("input", () => plate.style.setProperty("--opacity", input.value / 100));
    plate.querySelector(".panels").before(control);
  };

  const frames = (plate) => {
    const strips = all(plate, ".pictures").map((one) => all(one, ".frame"));
    const count = Math.max(...strips.map((one) => one.length));
    if (count < 2) return;
    const control = made("frames", { title: titleOf(plate) });
    const [one, play] = all(control, "button"), input = control.querySelector("input");
    let clock = 0;
    const stop = () => {
      clock = clearInterval(clock);
      play.setAttribute("aria-pressed", "false");
    };
    const show = (number) => {
      input.value = number;
      for (const strip of strips)
        strip.forEach((frame, n) => {
          frame.classList.toggle("current", n === Number(input.value));
          const element = frame.querySelector(".probe");
          if (element) element.tabIndex = n === Number(input.value) ? 0 : -1;
        });
      const label = strips.flat().find((frame) => frame.classList.contains("current")).querySelector(".label")?.textContent ?? "";
      control.querySelector(".label").textContent = label;
      input.setAttribute("aria-valuetext", label);
    };
    input.max = count - 1;
    show(0);
    input.addEventListener("input", () => (stop(), show(input.value)));
    plate.addEventListener("turned", (event) => {
      const frame = event.target.closest(".frame");
      stop();
      show(all(frame.parentNode, ".frame").indexOf(frame));
    });
    toggle(one, (on) => (stop(), plate.classList.toggle("single", on)));
    toggle(play, (on) => {
      clock = on ? setInterval(() => show((Number(input.value) + 1) % count), 700) : clearInterval(clock);
    });
    matchMedia("(prefers-reduced-motion: reduce)").addEventListener("change", stop);
    plate.querySelector(".panels").before(control);
  };

  const curtain = (plate) => {
    if (!plate.dataset.curtain) return;
    const panels = all(plate, ".panel"), [left, right] = plate.dataset.curtain.split(" ").map((n) => panels[n]);
    const names = [left, right].map((panel) => panel.querySelector(".heading").textContent);
    const control = made("curtain", { title: titleOf(plate), left: names[0], right: names[1] });
    const input = control.querySelector("input"), also = made("also", { right: names[1] });
    const fields = all(left, ".field"), others = all(right, ".field");
    const draw = () => {
      plate.style.setProperty("--edge", input.value + "%");
      input.setAttribute("aria-valuetext", words("parted", { left: names[0], right: names[1], edge: input.value, rest: 100 - input.value }));
    };
    input.addEventListener("input", draw);
    draw();
    toggle(control.querySelector("button"), (on) => {
      plate.classList.toggle("curtained", on);
      all(left, ".veil").forEach((veil) => veil.remove());
      also.remove();
      if (!on) return;
      left.querySelector(".heading").append(also);
      fields.forEach((field, n) => {
        const veil = others[n].cloneNode(true);
        all(veil, ".probe").forEach((one) => one.remove());
        all(veil, "img").forEach((one) => (one.alt = ""));
        veil.classList.add("veil");
        veil.removeAttribute("data-readings");
        field.querySelector(".probe").before(veil);
      });
    });
    for (const field of fields) {
      const drag = (event) => {
        if (!plate.classList.contains("curtained") || !event.buttons) return;
        event.preventDefault();
        input.value = 100 * within(field, event)[0];
        draw();
      };
      for (const kind of ["pointerdown", "pointermove", "mousedown"]) field.addEventListener(kind, drag);
    }
    plate.querySelector(".panels").before(control);
  };

  // ---- Tables

  // The number that a cell begins with; NaN where it begins with none.
  const numberIn = (text) => {
    const plain = text.replace("−", "-").replace("∞", "1e999").replace(/[ \u00a0](?=\d)/g, "").replace(/^(±|[εδ] =|[<>≤≥])\s*/, "");
    const [, digits, ten, power] = /^([+-]?\d+(?:\.\d+)?(?:e\d+)?)(?:(\s*× 10)?([⁻⁰¹²³⁴-⁹]+))?/.exec(plain) ?? [];
    return !power ? Number(digits ?? NaN) : Number(`${ten ? digits : 1}e${lowered(power)}`);
  };

  const order = new Intl.Collator("en", { numeric: true }).compare;

  const sortable = (table) => {
    const body = table.tBodies[0], rows = [...body.rows];
    if (rows.length < 3) return;
    const heads = all(table, "thead th");
    heads.forEach((head, column) => {
      const button = made("sort", { column: head.textContent.trim() });
      const sort = () => {
        const now = head.getAttribute("aria-sort");
        const next = { ascending: "descending", descending: null }[now] ?? (now ? null : "ascending");
        heads.forEach((one) => one.removeAttribute("aria-sort"));
        if (!next) return body.append(...rows);
        head.setAttribute("aria-sort", next);
        const texts = new Map(rows.map((row) => [row, row.cells[column].textContent.trim()]));
        const filled = [...texts.values()].filter((text) => !/^(|\u2013|none)$/.test(text));
        const numeric = filled.every((text) => !Number.isNaN(numberIn(text)));
        const sign = next === "ascending" ? 1 : -1;
        const key = (row) => (numeric ? numberIn(texts.get(row)) : texts.get(row));
        // What is no number stands last, both ways.
        const last = (row) => (numeric ? Number.isNaN(key(row)) : !filled.includes(texts.get(row)));
        const compared = (a, b) => last(a) - last(b) || (last(a) ? 0 : sign * (numeric ? key(a) - key(b) : order(key(a), key(b))));
        body.append(...[...rows].sort(compared));
      };
      head.append(button);
      head.classList.add("sorts");
      head.addEventListener("click", sort);
    });
  };

  for (const plate of all(document, ".plate")) {
    probe(plate);
    photograph(plate);
    frames(plate);
    curtain(plate);
  }
  all(document, "table").forEach(sortable);
})();
