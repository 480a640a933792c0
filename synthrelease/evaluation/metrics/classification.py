"""How well classifiers predict labels from windows of features, window by window and by majority vote.

The four classifiers of Bozkir et al. 2021, section "Classification accuracy results": k-NN (k = 11), SVM (radial basis functions,
C = 1, scale from the data), decision tree, random forest (10 trees); features to zero mean and unit variance by what was
trained on. Useful as utility (labels of a task) and as an attack (people as labels). scikit-learn is imported
where it is used.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from synthrelease.extras import require

if TYPE_CHECKING:
    from collections.abc import Callable

CLASSIFIERS = ("k-NN", "SVM", "DT", "RF")

Numbers = NDArray[np.float64]
Labels = NDArray[np.int64]


class Accuracy(NamedTuple):
    """Proportions of correct answers."""

    windows: float  # of all windows
    voted: float  # of all units (recordings, say), each with the label that most of its windows were given


def leave_one_group_out_accuracy(
    values: Numbers, labels: Labels, groups: Labels, units: Labels, *, classifier: str, seed: int
) -> Accuracy:
    """Train on all groups (people, say) but one, test on that one, for every group; all windows count alike.

    Args:
        values: features of windows, shape (N, F).
        labels: what is predicted, shape (N,).
        groups: whose each window is, shape (N,); two at least.
        units: whose windows vote together, shape (N,); all of one label.
        classifier: one of `CLASSIFIERS`.
        seed: of the trees; the same seed, the same answers.

    Raises:
        ValueError: shapes differ, one group only, one label only to train on, or a unit of two labels.
        MachineError: scikit-learn is not installed.
    """
    _check(values, labels, groups, units)
    if np.unique(groups).size < 2:
        raise ValueError("Expected two groups at least, found one")
    predicted = np.empty_like(labels)
    for group in np.unique(groups):
        is_tested = groups == group
        predicted[is_tested] = trained(
            values[~is_tested], labels[~is_tested], classifier=classifier, seed=seed
        )(values[is_tested])
    return accuracy(predicted, labels, units)


def split_accuracy(
    train: tuple[Numbers, Labels], test: tuple[Numbers, Labels], units: Labels, *, classifier: str, seed: int
) -> Accuracy:
    """Train on some windows, test on others.

    Args:
        train: values, shape (N, F), and labels, shape (N,).
        test: the same of other windows, shapes (M, F) and (M,).
        units: whose test windows vote together, shape (M,); all of one label.
        classifier: one of `CLASSIFIERS`.
        seed: of the trees.

    Raises:
        ValueError, MachineError: as `leave_one_group_out_accuracy`.
    """
    _check(*test, units)
    return accuracy(trained(*train, classifier=classifier, seed=seed)(test[0]), test[1], units)


def trained(values: Numbers, labels: Labels, *, classifier: str, seed: int) -> Callable[[Numbers], Labels]:
    """Return a function from values, shape (M, F), to labels, shape (M,); arguments as `split_accuracy`."""
    _check(values, labels)
    if np.unique(labels).size < 2:
        raise ValueError("Expected two labels at least to train on, found one")
    mean, spread = values.mean(axis=0), values.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    model = _model(classifier, seed, len(values))
    with warnings.catch_warnings():  # labels are names, however few rows each has
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        model.fit((values - mean) / spread, labels)

    def predict(tested: Numbers) -> Labels:
        predicted: Labels = model.predict((tested - mean) / spread)
        return predicted

    return predict


def accuracy(predicted: Labels, labels: Labels, units: Labels) -> Accuracy:
    """Return the proportion of correct answers, of windows and of units; shape (N,) each."""
    _check(predicted, labels, units)
    _, first, unit = np.unique(units, return_index=True, return_inverse=True)
    if (labels != labels[first][unit]).any():
        raise ValueError("Expected one label in every unit that votes, found a unit of two")
    voted = majority_vote(predicted, units)
    return Accuracy(float((predicted == labels).mean()), float((voted == labels[first]).mean()))


def majority_vote(predicted: Labels, units: Labels) -> Labels:
    """Return the most frequent answer within every unit, the least of equally frequent ones.

    Args:
        predicted: answers, shape (N,).
        units: whose windows vote together, shape (N,).

    Returns:
        One answer for each unit, in the order of `np.unique(units)`.
    """
    _check(predicted, units)
    names, unit = np.unique(units, return_inverse=True)
    answers, answer = np.unique(predicted, return_inverse=True)
    votes = np.zeros((names.size, answers.size), dtype=np.int64)
    np.add.at(votes, (unit, answer), 1)
    winners: Labels = answers[votes.argmax(axis=1)]
    return winners


def _model(classifier: str, seed: int, count: int) -> Any:
    require("sklearn")
    from sklearn.ensemble import RandomForestClassifier  # noqa: PLC0415  slow, and an extra
    from sklearn.neighbors import KNeighborsClassifier  # noqa: PLC0415
    from sklearn.svm import SVC  # noqa: PLC0415
    from sklearn.tree import DecisionTreeClassifier  # noqa: PLC0415

    match classifier:
        case "k-NN":
            return KNeighborsClassifier(min(11, count))
        case "SVM":
            return SVC(C=1.0, kernel="rbf", gamma="scale")
        case "DT":
            return DecisionTreeClassifier(random_state=seed)
        case "RF":
            return RandomForestClassifier(10, random_state=seed)
        case _:
            raise ValueError(f"Expected a classifier of {', '.join(CLASSIFIERS)}, found {classifier!r}")


def _check(*arrays: NDArray[Any]) -> None:
    lengths = {len(array) for array in arrays}
    if len(lengths) > 1 or lengths == {0}:
        raise ValueError(f"Expected arrays of one length, and not empty, found {sorted(lengths)}")
