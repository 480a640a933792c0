"""The glossary of a report: the terms that it uses, each explained in a sentence or two."""

from __future__ import annotations

import re

# Term, what shows that a report uses it, explanation.
_TERMS = (
    (
        "Person",
        r"\bperson\b",
        "The unit of privacy: one participant, with all rows of all their recordings on all stimuli (user-level privacy).",
    ),
    (
        "Differential privacy",
        r"differential|\bε\b",
        (
            "A guarantee about how a release is made: every set of possible results is nearly as likely if the data of any one person are different. "
            "It holds against every attacker and every computation."
        ),
    ),
    (
        "ε (epsilon)",
        r"\bε\b",
        (
            "How strong the guarantee is. One person's data make no set of results more than e^ε times as likely, plus δ if there is one. "
            "Smaller is stronger: up to 1 is usually called strong, up to 3 moderate, up to 10 weak."
        ),
    ),
    (
        "δ (delta)",
        r"\bδ\b",
        (
            "An additive slack of the guarantee: one person's data make no set of results more than e^ε times as likely, plus δ. It must be far smaller "
            "than 1/number of participants. It is not the probability that more than ε is revealed, which can be larger."
        ),
    ),
    (
        "Replace-one",
        r"replace-one",
        "Bounded (substitute-one) differential privacy: neighbouring datasets differ in all rows of one person. The number of participants is public.",
    ),
    (
        "Add-remove-one",
        r"add-remove-one",
        "Unbounded (add-remove) differential privacy: neighbouring datasets differ by one person who is added or removed. The number of participants is private.",
    ),
    (
        "Plausible deniability",
        r"deniability",
        (
            "A criterion for synthetic records: each by itself could have come from several participants. It bounds neither what all records reveal together nor what "
            "the model reveals, and it is not differential privacy."
        ),
    ),
    (
        "k",
        r"\bk = \d",
        "At least so many participants, or real records, could be the source of a released record.",
    ),
    (
        "γ (gamma)",
        r"\bγ\b",
        "The factor within which these are equally likely as the source of a record. Close to 1 is strong.",
    ),
    (
        "Noise",
        r"\bnoise\b",
        "Random numbers added to sums over participants, large enough for the stated guarantee.",
    ),
    (
        "Standard deviation",
        r"standard deviation",
        "The typical size of an error. With Gaussian noise, about two in three errors are smaller, and 19 in 20 are smaller than twice this size.",
    ),
    (
        "± and uncertainty",
        r"±|\buncertainty\b",
        "How far a released value is from the value without noise, at most, in 95 % of releases, for each value separately. Bands and contours show the same.",
    ),
    (
        "Blur",
        r"\bblur",
        "Every gaze sample is smoothed with a Gaussian, usually as wide as the part of the visual field that is seen sharply. σ is its standard deviation.",
    ),
    (
        "Ledger",
        r"\bledger\b",
        "The curator's record of the privacy budget that all releases of a dataset have spent.",
    ),
    ("Bundle", r"\bbundle\b", "The file of a release: an HDF5 file with values and manifest."),
    (
        "Manifest",
        r"\bmanifest\b",
        "The part of a bundle that states, for readers and programs, how every value was made and which guarantee it has.",
    ),
    (
        "Checksum",
        r"\bchecksum\b|\bseal\b",
        "The SHA-256 at the start of the bundle. It detects damage; it is not a signature.",
    ),
    (
        "Test seed",
        r"test seed",
        "A random seed that makes the noise reproducible, for tests. Anyone who knows it can remove the noise.",
    ),
    (
        "Normalization",
        r"\bnormalization\b",
        (
            "How many participants a released map or series effectively holds, after clipping. What was summed over participants is divided by it, so "
            "where it is uncertain, all of a map may be too high or too low."
        ),
    ),
)
_OF_ATTACKS = (  # of the private report, some of which mean other things elsewhere: "control" may be a condition
    (
        "Fresh release",
        r"\bfresh release",
        "Made from the same data by the same plan, except for what is varied, with new noise. It is used for this report only and then deleted.",
    ),
    (
        "Control",
        r"\bcontrol\b",
        "Negative control: the same attack where there is nothing to find, on participants who are not in the data, or with shuffled labels. Only success beyond it is due to the release.",
    ),
    (
        "p-value",
        r"\bp-value",
        "How often chance would do at least as well with these participants. Corrected for all attacks that were run together (multiple testing).",
    ),
    (
        "95 % interval of an attack",
        r"reached \(95 % interval\)",
        "The range of the same number for other participants from the same population. With few participants it is wide.",
    ),
    (
        "Area under the ROC curve",
        r"\bROC\b",
        "How often an attack ranks a participant who is in the data above one who is not: 0.5 is chance, 1 is always.",
    ),
    (
        "TPR, FPR",
        r"\b[TF]PR\b",
        "True and false positive rate: the proportion of members that an attack detects, and the proportion of non-members that it takes for members.",
    ),
    (
        "Membership inference",
        r"\bmembership\b",
        "Finding out whether someone took part. That can be harmful by itself, for example in a study on a disease.",
    ),
    (
        "Re-identification, linkage",
        r"\bidentification\b|\blinkage\b",
        "Assigning released data to participants, by means of other recordings of theirs whose owner is known.",
    ),
    (
        "Attribute inference",
        r"\battribute inference\b|\binference of\b",
        "Guessing an unknown attribute of a participant from known ones and the release.",
    ),
)


def glossary(text: str, *, attacks: bool = False) -> list[tuple[str, str]]:
    """Return the terms that a text uses, with their explanations, in a fixed order.

    Args:
        text: what a reader sees of the report.
        attacks: whether it is about attacks.
    """
    terms = (*_TERMS, *_OF_ATTACKS) if attacks else _TERMS
    return [
        (term, explanation) for term, pattern, explanation in terms if re.search(pattern, text, re.IGNORECASE)
    ]
