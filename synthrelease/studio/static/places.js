// Places of ticks and names of columns in drawings: the policy of pages allows no style in an element, but what a script of theirs sets.
document.addEventListener("htmx:load", (event) => {
  for (const one of event.detail.elt.querySelectorAll("[data-style]")) one.style.cssText = one.dataset.style;
});
