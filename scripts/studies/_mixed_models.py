"""Mixed models of people: value ~ condition + (1 | person), feature by feature, as an analyst fits them (extra `study`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from studies._people import Array, People


@dataclass(frozen=True)
class Estimates:
    """Of one feature, in its unit."""

    effects: Array  # of conditions, differences from the first, shape (C − 1,)
    errors: Array  # their standard errors, likewise
    between: float  # standard deviation of people's intercepts
    residual: float


def estimates(people: People) -> list[Estimates]:
    """Return the estimates of each feature, by restricted maximum likelihood, of the windows that have it."""
    from statsmodels.regression.mixed_linear_model import MixedLM  # slow to import

    person, condition, _ = np.nonzero(people.there)
    rows = people.values[people.there]
    is_condition = condition[:, None] == np.arange(1, people.there.shape[1])
    design = np.column_stack([np.ones(len(rows)), is_condition])
    fitted = []
    for f in range(rows.shape[1]):
        present = ~np.isnan(rows[:, f])
        values = rows[present, f]
        unit = values.std()  # the optimizer's steps suit numbers about 1
        model = MixedLM(values / unit, design[present], groups=person[present])
        # Without derivatives: with them it stops at a between-person variance near 0.
        model = model.fit(reml=True, method="powell")
        fitted.append(
            Estimates(
                effects=model.fe_params[1:] * unit,
                errors=model.bse_fe[1:] * unit,
                between=float(np.sqrt(model.cov_re[0, 0])) * unit,
                residual=float(np.sqrt(model.scale)) * unit,
            )
        )
    return fitted
