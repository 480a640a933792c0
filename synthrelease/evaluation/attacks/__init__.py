"""What an attacker gets from a release: attacks on arrays, each with its control and an honest verdict.

The person is the unit everywhere, windows never. An attack reports `main` (on those it is about), `control` (where there is
nothing to find) and `chance`, with intervals; `judged` corrects the verdicts of all attacks that are run together.
"""

from synthrelease.evaluation.attacks.aggregates import log_ratio_known_population, log_ratio_known_rest
from synthrelease.evaluation.attacks.attribute_inference import attribute_inference, guessed, inferred
from synthrelease.evaluation.attacks.copies import Copies, copies, copies_of, distance_to_others
from synthrelease.evaluation.attacks.guarantee import GuaranteeCheck, check_guarantee, largest_tpr
from synthrelease.evaluation.attacks.identification import identification, identifications
from synthrelease.evaluation.attacks.intervals import Rate
from synthrelease.evaluation.attacks.k_same import k_same_select
from synthrelease.evaluation.attacks.linkage import linkage
from synthrelease.evaluation.attacks.membership import closeness, membership
from synthrelease.evaluation.attacks.result import AttackResult, AttackVerdict, judged
from synthrelease.evaluation.attacks.shadows import Rounds, likelihood_ratios, released_rounds
from synthrelease.evaluation.attacks.windows import Windows

__all__ = [
    "AttackResult",
    "AttackVerdict",
    "Copies",
    "GuaranteeCheck",
    "Rate",
    "Rounds",
    "Windows",
    "attribute_inference",
    "check_guarantee",
    "closeness",
    "copies",
    "copies_of",
    "distance_to_others",
    "guessed",
    "identification",
    "identifications",
    "inferred",
    "judged",
    "k_same_select",
    "largest_tpr",
    "likelihood_ratios",
    "linkage",
    "log_ratio_known_population",
    "log_ratio_known_rest",
    "membership",
    "released_rounds",
]
