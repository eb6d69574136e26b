"""What a study keeps can be used: odd tables end with a model that is loaded and predicts, and nothing is hidden by spelling."""

import os
import stat

import numpy as np
import pandas as pd
import pytest

import novum
from novum.exceptions import SourceError
from novum.linear_model import Ridge
from novum.study import Study
from novum.study.data.leaks import find_leaks
from novum.study.data.spellings import find_label, one_spelling
from novum.study.data.table import table_of
from novum.study.data.task import find_task
from novum.study.predictions import predict_table

QUICK = {"models": ["GaussianNB"], "folds": 3, "repeats": 1, "tune": False, "ensemble": False, "n_jobs": 1}


def leaks_of(frame, target):
    task = find_task(table_of(frame).columns[target], "table")
    return [name for name, _ in find_leaks(frame.drop(columns=target).astype(object), task.y, task, 0)]


def test_cells_that_differ_by_rounding_keep_the_file_usable(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": np.where(rng.random(80) < 0.5, 0.3, 0.1 + 0.2), "b": rng.normal(size=80)})
    frame["y"] = np.where(frame["b"] + rng.normal(size=80) > 0, "yes", "no")
    result = Study(frame, "y", **QUICK).run()
    paths = result.write_report(tmp_path / "out")
    assert not result.unsaved and paths[1].name == "model.novum"
    found = predict_table(novum.load(paths[1]), frame)
    assert np.array_equal(found.values, result.predict(frame))
    assert "It has its first settings." in paths[0].read_text() and "The other " in paths[0].read_text()


def test_leaks_inside_words():
    rng = np.random.default_rng(1)
    for k in (2, 3, 12):
        label = rng.choice([f"colour{i}" for i in range(k)], 40 * k)
        filler = [" ".join(rng.choice(["today", "it", "was", "seen", "by", "them"], 4)) for _ in label]
        frame = pd.DataFrame(
            {"note": [f"{i} {f} outcome {v}" for i, (f, v) in enumerate(zip(filler, label))], "y": label}
        )
        assert leaks_of(frame, "y") == ["note"]
        assert leaks_of(frame.assign(note=filler), "y") == []


@pytest.mark.parametrize(
    ("labels", "kept"),
    [
        (["YES", "Yes", "no", "NO "], ["Yes", "no"]),
        (["AA", "Aa", "aa"], ["AA", "Aa", "aa"]),  # genotypes: one class would be left
        (["a", "A", "b"], ["A", "a", "b"]),  # letters
        (["y", "Y", "n"], ["n", "y"]),
    ],
)
def test_spellings_of_one_label(labels, kept):
    y = np.array(labels * 5 + [labels[1], "no", "y"][: 1 if labels[0] != "y" else 0])
    found, notes = one_spelling(y)
    assert sorted(set(found)) == sorted(kept) or len(set(found)) == len(kept)
    assert notes
    assert find_label("YES", ["Yes", "no"]) == 0 and find_label("maybe", ["Yes", "no"]) is None


def test_identifiers_beside_copied_rows():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"customer_id": rng.permutation(300) + 7000, "count": np.arange(300), "x": rng.normal(size=300)}
    )
    frame["y"] = np.where(frame["x"] > 0, "a", "b")
    frame = pd.concat([frame, frame[:40]], ignore_index=True)
    result = Study(frame, "y", **QUICK).run()
    assert {column.name for column in result.card.left_out} == {"customer_id", "count"}


@pytest.mark.skipif(os.name != "posix", reason="needs modes and pipes")
def test_files_keep_their_mode_and_other_things_their_place(tmp_path):
    path = tmp_path / "model.novum"
    for mode in (0o600, 0o640, 0o444):
        novum.save(Ridge(), path)
        path.chmod(mode)
        novum.save(Ridge(alpha=2.0), path)
        assert stat.S_IMODE(path.stat().st_mode) == mode and novum.load(path).alpha == 2.0
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    for name in ("pipe", "link", "."):
        with pytest.raises(SourceError, match="is not replaced"):
            novum.save(Ridge(), tmp_path / name)
    (tmp_path / "to model").symlink_to(path)
    novum.save(Ridge(alpha=3.0), tmp_path / "to model")
    assert (tmp_path / "to model").is_symlink() and novum.load(path).alpha == 3.0
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
