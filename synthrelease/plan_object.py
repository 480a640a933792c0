"""A plan as an object: made in Python or read from TOML, previewed, built."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from synthrelease.plan.document import PlanDocument

if TYPE_CHECKING:
    from synthrelease.building.builder import Built, DryRun
    from synthrelease.building.curator import Confirm
    from synthrelease.building.preview import Preview
    from synthrelease.parallel import Progress


class Plan(PlanDocument):
    """What is released, of which rows, with which guarantee: the same as a plan in TOML, and as strictly checked.

    Only what is public decides: rows in memory are in no `repr()`, message or digest. A plan does not change. Two are equal if they say the same
    of the same rows. Paths are relative to the file it was read from, else to the working folder.

    Args:
        release: name, version and title.
        privacy: ε and δ per person, and the neighbouring relation.
        inputs: the private files, or rows in memory, by a name that outputs refer to.
        outputs: what is released. A name that is left out is the word of its kind; the input may be left out if only one can be meant.

    Raises:
        PlanError: it does not fit the schema, or contradicts itself; `where` names the key.
        ArgumentError: an argument is misspelt, missing or nothing that a plan could hold.
        DataError: rows in memory cannot be used.

    Example:
        >>> import polars as pl
        >>> from synthrelease import Features, Plan, Privacy, ReleaseInfo, Statistics
        >>> rows = pl.DataFrame({"who": ["a", "a", "b", "c"], "pupil_mm": [3.1, 3.3, 4.0, 2.8]})
        >>> plan = Plan(
        ...     release=ReleaseInfo(name="pupils", version="1.0.0", title="Pupils"),
        ...     privacy=Privacy(epsilon=1.0),
        ...     inputs={"pupil": Features(rows, columns={"person": "who"}, bounds={"pupil_mm": (1.5, 8.0)})},
        ...     outputs=[Statistics(statistics=["mean"])],
        ... )
        >>> plan
        <Plan pupils 1.0.0: ε = 1 per person (replace-one); pupil → statistics>
        >>> [(output["name"], output["epsilon"]) for output in plan.preview()["outputs"]]
        [('statistics', 1.0)]
    """

    def preview(
        self, *, policy: str | Path | None = None, html: str | Path | None = None, force: bool = False
    ) -> Preview:
        """Return privacy cost and expected accuracy; arguments and errors as of `synthrelease.preview`."""
        from synthrelease.building.preview import preview_of_plan  # noqa: PLC0415  slow to import

        page = None if html is None else Path(html)
        return preview_of_plan(self, policy=policy, page=page, force=force)

    def build(
        self,
        output: str | Path | None = None,
        *,
        force: bool = False,
        policy: str | Path | None = None,
        test_seed: int | None = None,
        confirm: Confirm | None = None,
        jobs: int = 1,
        progress: Progress | None = None,
    ) -> Built:
        """Build, verify and write the bundle; arguments and errors as of `synthrelease.build`."""
        from synthrelease.building.builder import build  # noqa: PLC0415  slow to import

        return build(
            self,
            output,
            force=force,
            policy=policy,
            test_seed=test_seed,
            confirm=confirm,
            jobs=jobs,
            progress=progress,
        )

    def dry_run(
        self,
        output: str | Path | None = None,
        *,
        force: bool = False,
        policy: str | Path | None = None,
        jobs: int = 1,
        progress: Progress | None = None,
    ) -> DryRun:
        """Do all of `build` that costs nothing, and write nothing; what it says is private. As `synthrelease.dry_run`."""
        from synthrelease.building.builder import dry_run  # noqa: PLC0415  slow to import

        return dry_run(self, output, force=force, policy=policy, jobs=jobs, progress=progress)
