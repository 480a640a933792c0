"""The words of a page that a reader may not know, each explained in a sentence or two."""

from __future__ import annotations

import re

# Term, what shows that a page uses it, explanation.
_TERMS = (
    (
        "Person",
        r"\bperson\b",
        "Everybody with a label in the data's column of people. All rows of all their recordings, on all pictures, count as theirs.",
    ),
    (
        "Differential privacy",
        r"differential|\bε\b",
        (
            "A promise about how a release is made: whatever is published would have come out nearly as likely if one person's data had been others. "
            "It holds against every attacker and every computation."
        ),
    ),
    (
        "ε (epsilon)",
        r"\bε\b",
        (
            "The size of that promise. One person's data makes nothing that can be published more than e^ε times as likely. "
            "Small is strong: up to 1 is usually called strong, up to 3 moderate, up to 10 weak."
        ),
    ),
    (
        "δ (delta)",
        r"\bδ\b",
        (
            "An additive slack of the promise: one person's data make nothing that can be published more than e^ε times as likely, plus δ. It must be far smaller "
            "than one in the number of people. It is not the probability that more than ε is revealed, which can be larger."
        ),
    ),
    (
        "Replace-one",
        r"replace-one",
        "The promise compares the data with such where all rows of one person are replaced by others. The number of people is public.",
    ),
    (
        "Add-remove-one",
        r"add-remove-one",
        "The promise compares the data with such where one person is added or taken away. The number of people is private.",
    ),
    (
        "Plausible deniability",
        r"deniability",
        (
            "A criterion for synthetic records: each could have come from several people. It bounds neither what the records tell together nor what "
            "the model tells, and is no differential privacy."
        ),
    ),
    ("k", r"\bk = \d", "From how many people, or real records, a published record could have come at least."),
    (
        "γ (gamma)",
        r"\bγ\b",
        "Within which factor those are about equally likely to be where a record came from. Near 1 is strong.",
    ),
    (
        "Noise",
        r"\bnoise\b",
        "Random numbers added to sums over people, large enough to hide each person's part.",
    ),
    (
        "Standard deviation",
        r"standard deviation",
        "The usual size of an error. With Gaussian noise two of three errors are smaller, and 19 of 20 smaller than twice as much.",
    ),
    (
        "Uncertainty",
        r"\buncertainty\b",
        "How far a published value may be from what it would be without noise; here one standard deviation.",
    ),
    (
        "Blur",
        r"\bblur",
        "Every look is spread over its surroundings, as the eye sees sharply in a small spot only. σ is the spread's standard deviation.",
    ),
    (
        "Ledger",
        r"\bledger\b",
        "The curator's book of what all releases of a dataset have cost its people together.",
    ),
    ("Bundle", r"\bbundle\b", "The one file that a release consists of: values and manifest."),
    (
        "Manifest",
        r"\bmanifest\b",
        "What a bundle says of itself, to people and programs: how every value was made, and what it promises.",
    ),
    (
        "Seal",
        r"\bseal\b",
        "A checksum at the start of the bundle. It notices damage; it is no signature.",
    ),
    (
        "Test seed",
        r"test seed",
        "Noise that can be repeated, for trying things out. Whoever knows the seed can take the noise away.",
    ),
)
_OF_ATTACKS = (  # words of the private page, some of which mean other things elsewhere: "control" may be a condition
    (
        "Fresh release",
        r"\bfresh release",
        "Made of the same data by the same plan, but for what is varied, with noise drawn anew; for this page alone, and thrown away.",
    ),
    (
        "Control",
        r"\bcontrol\b",
        "The same attack where there is nothing to find: on people who are not in the data, or with names shuffled. Only what exceeds it is told by the release.",
    ),
    (
        "p-value",
        r"\bp-value",
        "How often luck alone would do as well with these people. Corrected: as if all attacks that were run together had been one.",
    ),
    (
        "95 % interval of an attack",
        r"reached \(95 % interval\)",
        "What the same number may be for other people like these. With few people it is wide.",
    ),
    (
        "Area under the ROC curve",
        r"\bROC\b",
        "How often an attack ranks somebody who is in the data above somebody who is not: 0.5 is guessing, 1 is always.",
    ),
    (
        "TPR, FPR",
        r"\b[TF]PR\b",
        "Of those who are in the data, the share that an attack finds; and of those who are not, the share that it takes for them: its false alarms.",
    ),
    (
        "Membership",
        r"\bmembership\b",
        "Whether somebody took part at all. To know it may be harm enough, such as of a study on a disease.",
    ),
    (
        "Identification, linkage",
        r"\bidentification\b|\blinkage\b",
        "Putting a name to what is released, by other recordings of the same people that have names.",
    ),
    (
        "Inference",
        r"\binference\b",
        "Guessing of a person what is not known yet, from what is known and the release.",
    ),
)


def glossary(text: str, *, attacks: bool = False) -> list[tuple[str, str]]:
    """Return the terms that a text uses, with their explanations, in a fixed order.

    Args:
        text: what a reader sees of the page.
        attacks: whether it tells of attacks.
    """
    terms = (*_TERMS, *_OF_ATTACKS) if attacks else _TERMS
    return [
        (term, explanation) for term, pattern, explanation in terms if re.search(pattern, text, re.IGNORECASE)
    ]
