"""Feature files of MPIIDPEye and MPIIPrivacEye, invented: as they should be, and malformed in every way we know."""

import numpy as np
import pytest
from goldens import figures
from refusals import refused

from synthrelease.errors import DataError

CONSTANT = (11, 23, 35, 47)


@pytest.fixture
def mpii(script):
    return script("reproductions._mpii_features")


@pytest.fixture
def data(script):
    return script("reproductions._bozkir2021_data")


def values_of(participant, recording, windows):
    values = np.random.default_rng([participant, recording]).normal(5, 1, (windows, 52)).round(4)
    values[:, CONSTANT] = 0
    return values


def write(path, values, separator=",", last="\n"):
    path.write_text("\n".join(separator.join(f"{v:g}" for v in row) for row in values) + last)
    return path


@pytest.fixture
def folder(tmp_path):
    """Participants 2, 3 and 11 with recordings 1 and 3; windows differ; commas and semicolons."""
    for participant in (2, 3, 11):
        for recording in (1, 3):
            values = values_of(participant, recording, 10 + participant)
            name = f"Data_P{participant}_R{recording}_Pami_Features_52.csv"
            write(tmp_path / name, values, ";" if participant == 3 else ",")
    (tmp_path / "readme.txt").write_text("not one of them")
    return tmp_path


def test_all_recordings_are_read_and_constant_columns_left_out(mpii, folder):
    found = mpii.load_feature_files(folder)
    assert found.people == 3
    assert found.identities == ("2", "3", "11")
    assert found.recordings == ("R1", "R3")
    assert len(found.features) == 48
    assert (found.features[0], found.features[11], found.features[-1]) == (
        "column 1",
        "column 13",
        "column 52",
    )
    varied = [c for c in range(52) if c not in CONSTANT]
    for person, participant in enumerate((2, 3, 11)):
        for kind, recording in enumerate((1, 3)):
            own = found.values[(found.person == person) & (found.recording == kind)]
            np.testing.assert_array_equal(own, values_of(participant, recording, 10 + participant)[:, varied])


def test_a_column_constant_in_one_file_only_is_kept(mpii, folder):
    values = values_of(2, 1, 12)
    values[:, 0] = 7
    write(folder / "Data_P2_R1_Pami_Features_52.csv", values)
    assert "column 1" in mpii.load_feature_files(folder).features


def test_files_of_mpiiprivaceye_have_more_columns(mpii, tmp_path):
    wide = np.concatenate([values_of(1, 1, 9), np.arange(27.0).reshape(9, 3)], axis=1)
    write(tmp_path / "P1_R1_data.csv", wide)
    write(tmp_path / "P2_R1_data.csv", values_of(2, 1, 9), last="\n\n\r\n")
    found = mpii.load_feature_files(tmp_path)
    assert found.values.shape == (18, 48)


def test_missing_cells_are_nan(mpii, folder):
    path = folder / "Data_P2_R1_Pami_Features_52.csv"
    lines = path.read_text().splitlines()
    lines[3] = ",".join(["NaN"] * 26 + [""] * 26)
    path.write_text("\ufeff" + "\n".join(lines))
    found = mpii.load_feature_files(folder)
    own = found.values[(found.person == 0) & (found.recording == 0)]
    assert np.isnan(own[3]).all()
    assert not np.isnan(np.delete(own, 3, axis=0)).any()


@pytest.mark.parametrize(
    ("row", "code", "place"),
    [
        (lambda cells: cells[:-1], "wrong-field-count", [3]),
        (lambda cells: [*cells, "1"], "wrong-field-count", [3]),
        (lambda cells: cells[:1], "wrong-field-count", [3]),
        (lambda cells: [*cells[:4], "secret", *cells[5:]], "bad-number", [3, 5]),
        (lambda cells: [*cells[:51], "inf"], "infinite-number", [3, 52]),
    ],
)
def test_a_malformed_row_is_named_and_not_repeated(mpii, folder, row, code, place):
    path = folder / "Data_P11_R3_Pami_Features_52.csv"
    lines = path.read_text().splitlines()
    lines[2] = ",".join(row(lines[2].split(",")))
    path.write_text("\n".join(lines))
    with refused(DataError, code, where=path) as caught:
        mpii.load_feature_files(folder)
    assert figures(caught.value.where.removeprefix(str(path))) == place
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"", "empty-file"), (b"\n \n", "empty-file"), (b"\xff\xfe1\x00", "not-utf8")],
)
def test_a_file_that_is_no_table_is_refused(mpii, folder, content, code):
    path = folder / "Data_P2_R3_Pami_Features_52.csv"
    path.write_bytes(content)
    with refused(DataError, code, where=path):
        mpii.load_feature_files(folder)


def test_a_header_is_refused_with_a_hint(mpii, folder):
    path = folder / "Data_P2_R1_Pami_Features_52.csv"
    path.write_text(",".join(f"f{c}" for c in range(52)) + "\n" + path.read_text())
    with refused(DataError, "bad-number", where=path) as caught:
        mpii.load_feature_files(folder)
    assert figures(caught.value.where.removeprefix(str(path))) == [1, 1]
    assert caught.value.expected


def test_a_privaceye_file_with_too_few_columns_is_refused(mpii, tmp_path):
    write(tmp_path / "P1_R1_data.csv", values_of(1, 1, 9)[:, :51])
    with refused(DataError, "wrong-field-count", where=tmp_path / "P1_R1_data.csv") as caught:
        mpii.load_feature_files(tmp_path)
    assert (figures(caught.value.found), figures(caught.value.expected)) == ([51], [52])


def test_two_files_of_one_recording_are_refused(mpii, folder):
    write(folder / "Data_P02_R1_Pami_Features_52.csv", values_of(2, 1, 9))
    with refused(DataError, "duplicate-recording", where="Data_P2_R1_"):
        mpii.load_feature_files(folder)


def test_a_folder_without_such_files_is_refused(mpii, tmp_path):
    assert mpii.feature_files(tmp_path / "nowhere") == {}
    with refused(DataError, "no-file-fits", where=tmp_path):
        mpii.load_feature_files(tmp_path)
    write(tmp_path / "Data_P1_R1_Pami_Features_52.csv", np.ones((4, 52)))
    with refused(DataError, "constant-features", where=tmp_path):
        mpii.load_feature_files(tmp_path)


# --- as series


def test_a_folder_becomes_series_of_the_longest_recording(data, folder):
    study = data.mpii_study(folder)
    assert (study.name, study.step_s) == ("MPIIDPEye", 0.5)
    assert study.task == "document type"  # not a sentence: a column's label
    assert (study.length, study.people, len(study.features)) == (21, 3, 48)
    assert study.count == 2 * (12 + 13 + 21)
    first = study.recordings[0]
    assert (first.name, first.series.shape, first.people.tolist()) == ("R1", (3, 48, 21), [0, 1, 2])
    assert first.recorded.sum(axis=1).tolist() == [12, 13, 21]
    assert (first.series[0, :, 12:] == first.series[0, :, [11]].T).all()


def test_windows_that_are_missing_were_not_recorded(data, folder):
    """As the end of one recording of MPIIPrivacEye: held at the last value, and not classified."""
    path = folder / "Data_P11_R1_Pami_Features_52.csv"
    lines = path.read_text().splitlines()
    lines[15:] = [",".join(["NaN"] * 52)] * 6
    path.write_text("\n".join(lines))
    study = data.mpii_study(folder)
    assert study.recordings[0].recorded[2].tolist() == [True] * 15 + [False] * 6
    assert (study.recordings[0].series[2, :, 15:] == study.recordings[0].series[2, :, [14]].T).all()


def test_a_recording_that_a_participant_lacks_is_no_series(data, folder):
    (folder / "Data_P3_R3_Pami_Features_52.csv").unlink()
    study = data.mpii_study(folder)
    assert study.recordings[1].people.tolist() == [0, 2]
    (folder / "Data_P2_R3_Pami_Features_52.csv").unlink()
    with refused(DataError, "too-few-people") as caught:
        data.mpii_study(folder)
    assert figures(caught.value.found) == [1]
    assert "R3" in caught.value.found


def test_one_recording_type_alone_is_refused(data, folder):
    for participant in (2, 3, 11):
        (folder / f"Data_P{participant}_R3_Pami_Features_52.csv").unlink()
    with refused(DataError, "one-recording-type"):
        data.mpii_study(folder)


def test_folders_are_found_below_data_and_told_apart(data, folder):
    for name in ("MPIIPrivacEye", "again"):
        (folder / name).mkdir()
        for participant, recording in ((1, 1), (2, 1), (1, 2), (2, 2)):
            write(
                folder / name / f"P{participant}_R{recording}_data.csv", values_of(participant, recording, 9)
            )
    found = data.studies(folder)
    assert [study.name for study in found] == ["MPIIDPEye", "MPIIPrivacEye", "MPIIDPEye-2"]
    assert (found[1].task, found[1].every_task, found[1].every_person) == ("session", 20, 10)


def test_windows_are_subsampled_within_the_recorded_and_halved(data, folder):
    study = data.mpii_study(folder)
    series = [recording.series for recording in study.recordings]
    windows = data.windows_of(study, series, every=5)
    assert windows.units().unit.tolist() == [0] * 3 + [2] * 3 + [4] * 5 + [1] * 3 + [3] * 3 + [5] * 5
    first, second = windows.halves()
    assert first.units().unit.tolist() == [0] * 2 + [2] * 2 + [4] * 3 + [1] * 2 + [3] * 2 + [5] * 3
    assert second.units().unit.tolist() == [0, 2, 4, 4, 1, 3, 5, 5]
    for row, (person, step) in enumerate([(0, 0), (0, 5), (0, 10), (1, 0), (1, 5), (1, 10), (2, 0), (2, 5)]):
        np.testing.assert_array_equal(windows.values[row], series[0][person, :, step])
        assert (windows.people[row], windows.recordings[row]) == (person, 0)


def test_an_odd_window_in_the_middle_belongs_to_the_first_half(data, folder):
    study = data.mpii_study(folder)
    series = [recording.series for recording in study.recordings]
    windows = data.windows_of(study, series, every=1)
    first = np.bincount(windows.halves()[0].units().unit)
    assert first.tolist() == [6, 6, 7, 7, 11, 11]  # of 12, 13 and 21 windows, in both recordings
