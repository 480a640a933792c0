"""Synthetic records: the sentences of what a manifest states by codes."""

SENTENCES = {
    # Why the sensitivity is what it is.
    "divided-joint-counts": "a person divides {half_range} grid units among the cells of each of {sets:several set} of jointly counted "
    "attributes",
    # What is done after the draw.
    "uniform-in-bin": "value: uniform within the bin of its category",
    "nearest-histograms": "model: nearest histograms of the fitted people to the noisy counts, a prior of one person in each",
    "tree-of-information": "dependence: the tree of largest mutual information in the noisy counts",
    # Caveats.
    "rows-without-task": "rows without a task take no part",
    "incomplete-rows": "rows with a missing value take no part",
    "substituted": "each record is a candidate that passed, or in its place one of the model alone, and which is not stated; source records "
    "are of {seeds} of {people} people, one each, and the model is that of the others",
    "drawn-from-noisy-counts": "drawn from noisy counts alone: differentially private",
    "independent": "drawn attributes are independent",
    "independent-given-task": "drawn attributes are independent given the task",
    "criterion": "plausible deniability is a criterion, not differential privacy; which records passed is itself information",
    "source-probability": "each person enters the test with one record: an attacker who has all data can name a record's source with a "
    "probability of at most γ/(γ + k − 1) = {probability:.2g}",
    "source-probability-per-task": "each person enters the test with one record for each task: an attacker who has all data can name a "
    "record's source with a probability of at most γ/(γ + k − 1) = {probability:.2g}",
    "k-counts-records": "k counts records: one person's similar rows can pass the test alone",
    "vacuous": "vacuous: the test cannot fail, and protects no more than no test",
    "task-alone-kept": "where nothing but the task label is kept, hardly any record can fail the test",
    "copies-left-out": "records that equal a real one were left out: that one never appears can reveal that someone has it",
    "noisy-model-with-sources": "the model's counts carry noise, but the records start from real ones: not differentially private",
    "exact-model": "the model was fitted exactly: its own statistics carry no guarantee",
}
