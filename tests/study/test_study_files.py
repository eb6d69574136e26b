"""What other programs read of a study: study.json without rows, unseen.parquet without columns of the table."""

import hashlib
import json

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from studytables import mixed

from novum.exceptions import DataError
from novum.study import Study, read_table
from novum.study.export.program import Step, script_text
from novum.study.report.study_files import fingerprint_of, study_document
from novum.study.studied_rows import read_again, studied_rows

QUICK = {"folds": 3, "repeats": 2, "n_jobs": 1, "tune": False, "models": ["LogisticRegression", "GaussianNB"]}


def table():
    frame = mixed(200).drop(columns="spent")
    frame.loc[3, "bought"] = None  # a row without a target: rows are numbered as the table has them
    return frame


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    study = Study(table(), "bought", costs={("yes", "no"): 3}, fair="city", **QUICK)
    result = study.run()
    paths = result.write_report(folder / "out")
    return result, folder / "out", [path.name for path in paths]


def test_the_study_as_numbers(written):
    result, folder, names = written
    assert {"study.json", "unseen.parquet"} <= set(names)
    text = (folder / "study.json").read_text()
    found = json.loads(text, parse_constant=lambda word: pytest.fail(word))
    assert found["format"] == 1 and found["options"]["costs"] == {'["yes", "no"]': 3}
    assert found["rows"] == {"all": 199, "train": result.n_train, "held": result.n_held}
    assert [one["name"] for one in found["leaderboard"]] == [leader.name for leader in result.leaders]
    for one, leader in zip(found["leaderboard"], result.leaders, strict=True):
        assert len(one["scores"]) == len(found["folds"]) == 6 and one["mean"] == leader.mean == np.mean(one["scores"])
    assert found["held_out"]["score"] == result.hold_out.score
    assert found["fairness"][0]["measure"] == "cost" and found["thresholds"]["best"] == result.findings.thresholds.best
    assert found["dependences"][0]["column"] == result.findings.dependences[0].column
    assert {"novum", "scikit-learn"} <= set(found["versions"])
    assert "since" in found["schema"]["names"] and "2020-0" not in text  # no cell of a row


def test_the_fingerprint_knows_the_rows(written):
    _, folder, _ = written
    known = json.loads((folder / "study.json").read_text())["fingerprint"]
    again = Study(table(), "bought", **QUICK).rows()
    assert fingerprint_of(again) == known
    for change in ({"random_state": 1}, {"drop": ["age"]}):
        assert fingerprint_of(Study(table(), "bought", **{**QUICK, **change}).rows()) != known
    other = table()
    other.loc[7, "age"] = 41.5
    assert fingerprint_of(Study(other, "bought", **QUICK).rows()) != known


def test_what_models_said_of_rows_they_had_not_seen(written):
    result, folder, _ = written
    found = pq.read_table(folder / "unseen.parquet")
    about = json.loads(found.schema.metadata[b"novum"])
    frame, rows = found.to_pandas(), table()
    assert list(frame)[:4] == ["row", "part", "fold", "y"] and not set(frame) & set(rows)
    assert (rows["bought"][frame["row"]].to_numpy() == frame["y"]).all() and 3 not in set(frame["row"])
    assert (frame["part"] == "held").sum() == result.n_held and len(frame) == 199
    assert (frame["fold"][frame["part"] == "held"] == -1).all() and set(frame["fold"]) == {-1, 0, 1, 2}
    assert about["leaders"] == {f"m{k}": leader.name for k, leader in enumerate(result.leaders) if f"m{k}" in frame}
    kept = next(name for name, leader in about["leaders"].items() if leader == result.kept.name)
    held = frame[frame["part"] == "held"].set_index("row")
    numbers = result.formalisation.numbers[result.formalisation.held]
    np.testing.assert_array_equal(held.loc[numbers, f"{kept}:yes"], result.hold_out.proba[:, 1])
    assert list(held.loc[numbers, kept]) == list(result.hold_out.predicted)
    position = next(leader.position for leader in result.leaders if leader.name == "GaussianNB")
    place = next(name for name, leader in about["leaders"].items() if leader == "GaussianNB")
    for fold in range(3):
        part = frame[frame["fold"] == fold]
        weights = {("yes", "no"): 3.0, ("no", "yes"): 1.0}
        if result.kept.name != "GaussianNB":
            cost = np.mean([weights.get(pair, 0.0) for pair in zip(part["y"], part[place])])
            assert cost == pytest.approx(result.scores.values[position, fold])


def test_of_numbers(tmp_path):
    frame = mixed(150).drop(columns="bought")
    result = Study(frame, "spent", **{**QUICK, "models": ["Ridge"]}).run()
    result.write_report(tmp_path)
    found = pd.read_parquet(tmp_path / "unseen.parquet")
    np.testing.assert_allclose(found["y"], frame["spent"][found["row"]])
    held = found[found["part"] == "held"].set_index("row").loc[result.formalisation.held]
    np.testing.assert_array_equal(held["m0"], result.hold_out.predicted)
    assert "m0:yes" not in found


@pytest.fixture(scope="module")
def from_file(tmp_path_factory):
    """A study of a file with semicolons, its folder and the file."""
    folder = tmp_path_factory.mktemp("from a file")
    path = folder / "città.csv"
    table().to_csv(path, index=False, sep=";")
    result = Study(read_table(path, separator=";"), "bought", drop=["age"], **QUICK).run()
    result.write_report(folder / "out")
    return json.loads((folder / "out" / "study.json").read_text()), path, result


def test_the_file_that_was_read_and_how(from_file, written):
    document, path, _ = from_file
    assert document["source"] == {
        "file": "città.csv",
        "bytes": path.stat().st_size,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "separator": ";",
        "encoding": None,
        "most_cells": None,
    }
    assert list(document["columns"]) == list(table()) and len(set(document["columns"].values())) == len(table().columns)
    assert json.loads((written[1] / "study.json").read_text())["source"] is None


def test_a_large_file_that_was_drawn_from(tmp_path):
    path = tmp_path / "large.parquet"
    pd.DataFrame({"a": np.arange(20_000), "b": np.arange(20_000) % 2}).to_parquet(path)
    source = read_table(path, most_cells=20_000).source
    assert source.bytes == path.stat().st_size and source.sha256 is None and source.most_cells == 20_000


def test_the_table_is_known_again_and_another_is_refused_by_what_differs(from_file, tmp_path):
    document, path, result = from_file
    again = read_again(document, path)
    np.testing.assert_array_equal(again.numbers, result.formalisation.numbers)
    np.testing.assert_array_equal(again.held, result.formalisation.held)
    other, frame = tmp_path / "other.csv", table()

    def refused(changed, words):
        changed.to_csv(other, index=False, sep=";")
        with pytest.raises(DataError, match=words):
            read_again(document, other)

    refused(frame.drop(columns=["age", "city"]), "lacks the columns ")
    refused(frame.rename(columns={"city": "town"}), "lacks the column 'city'")
    refused(frame.assign(more=1), "it has also the column 'more'")
    refused(frame.iloc[:150], "has 149 rows with a target, and the study 199")
    refused(frame.assign(age=frame["age"] + 1), "cells of the column 'age' differ")  # though it was left out
    refused(frame.iloc[::-1], "and 2 more differ, or the order of its rows")
    with pytest.raises(DataError, match="prepares its rows in another way"):
        studied_rows({**document, "fingerprint": "0"}, read_table(path, separator=";"))


def test_the_program_stands_in_the_study(from_file, tmp_path):
    document, _, result = from_file
    script = result.export(tmp_path / "study.py", table="città.csv", reading={"separator": ";"})
    assert script_text([Step(**one) for one in document["program"]["script"]]) == script.read_text(encoding="utf-8")
    assert [one["title"] for one in document["program"]["notebook"]][1:] == [
        one["title"] for one in document["program"]["script"]
    ][1:]


def test_a_model_without_a_program_says_why(from_file, monkeypatch):
    def cannot(*arguments):
        raise DataError("export: own's tree cannot be written.")

    monkeypatch.setattr("novum.study.export.program.program_steps", cannot)
    assert study_document(from_file[2])["program"] == {"reason": "export: own's tree cannot be written."}
