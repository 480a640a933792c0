"""Arguments of pytest that choose a tier; `tests/tiers.py` says what the tiers are."""

QUICK = ("-m", "not thorough")
THOROUGH = ("-m", "thorough or hypothesis", "--hypothesis-profile", "thorough")
