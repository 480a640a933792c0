"""Feature files of MPIIDPEye and MPIIPrivacEye (Steil et al. 2019): 52 features of a window a row, without a header.

The names follow the datasets' own annotation scheme, in its order; "var" is a variance, "wordbook" n counts sequences of n saccades (Bulling et al.
2011). Cells are apart by commas or semicolons. MPIIPrivacEye has more columns behind these, of the scene; they are called
`column_53` and so on.
"""

from __future__ import annotations

from dataclasses import replace

from synthrelease.data.readers.folder import File, Folder, matching_files
from synthrelease.data.readers.opening import opened
from synthrelease.data.source import Source
from synthrelease.errors import DataError

_WORDBOOK = ("nonzero", "max", "min", "range", "mean", "var")
FEATURES = (
    "fixation_rate",
    "saccade_rate",
    "small_saccade_rate",
    "large_saccade_rate",
    "positive_saccade_rate",
    "negative_saccade_rate",
    "saccade_fixation_ratio",
    "small_saccade_ratio",
    "large_saccade_ratio",
    "positive_saccade_ratio",
    "negative_saccade_ratio",
    "saccade_amplitude_mean",
    "saccade_amplitude_var",
    "saccade_amplitude_max",
    "fixation_duration_mean",
    "fixation_duration_var",
    "fixation_duration_max",
    "fixation_x_var_mean",
    "fixation_y_var_mean",
    "fixation_x_var_var",
    "fixation_y_var_var",
    "pupil_diameter_mean_mean",
    "pupil_diameter_mean_var",
    "pupil_diameter_var_mean",
    "pupil_diameter_var_var",
    "blink_duration_mean",
    "blink_duration_var",
    "blink_rate",
    *(f"wordbook{n}_{what}" for n in (1, 2, 3, 4) for what in _WORDBOOK),
)
_LONGEST_LINE_BYTES = 1 << 20


class _FeatureFolder(Folder):
    """A folder of such files, with the columns `person` and `recording` from their names."""

    person = "person"
    uses: tuple[str, ...] = ()
    pattern: str
    more_columns: bool  # behind the features

    def members(self, source: Source) -> list[File]:
        """Return the recordings, with the names of their columns."""
        remedy = f"name the folder of the feature files, or correct `format`: this is {self.name}"
        files = matching_files(replace(source, pattern=self.pattern, format=""), remedy=remedy)
        separator, columns = _form(files[0])
        if columns < len(FEATURES) or (columns > len(FEATURES) and not self.more_columns):
            raise DataError(
                "wrong-column-count",
                "the file has another number of columns",
                where=f"{files[0].source.path}, line 1",
                found=str(columns),
                expected=f"{len(FEATURES)} features"
                + (", and more behind them" if self.more_columns else ""),
                remedy="correct the input's `format`, or give the files their columns as the data set has them, apart by , or ;",
            )
        further_columns = tuple(f"column_{number}" for number in range(len(FEATURES) + 1, columns + 1))
        header = (*FEATURES, *further_columns)
        return [File(replace(file.source, separator=separator, header=header), file.cells) for file in files]


class MpiiDpEye(_FeatureFolder):
    """Reader of MPIIDPEye's folder `Eye_Movement_Features`."""

    name = "mpiidpeye"
    formats = 'a folder of MPIIDPEye features, with format = "mpiidpeye"'
    pattern = "**/Data_P{person}_R{recording}_Pami_Features_52.csv"
    more_columns = False


class MpiiPrivacEye(_FeatureFolder):
    """Reader of MPIIPrivacEye's feature files."""

    name = "mpiiprivaceye"
    formats = 'a folder of MPIIPrivacEye features, with format = "mpiiprivaceye"'
    pattern = "**/P{person}_R{recording}_data.csv"
    more_columns = True


def _form(file: File) -> tuple[str, int]:
    """The separator, and the number of columns, of the first line."""
    with opened(file.source.path) as opening:
        line = opening.readline(_LONGEST_LINE_BYTES)
    if not line.strip():
        raise DataError(
            "blank-first-line" if line else "empty-file",
            "the file is empty" if not line else "the first line is blank",
            where=str(file.source.path),
            expected="a row of features in every line",
            remedy="check that the file was copied completely",
        )
    separator = ";" if b";" in line else ","
    return separator, line.count(separator.encode()) + 1
