"""`novum study` and `novum predict` as a user types them: output, exit status, files left behind."""

import os
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest
from studytables import mixed
from typer.testing import CliRunner

from novum.cli import application

QUICK = ["--folds", "3", "--repeats", "1", "--n-jobs", "1", "--models", "GaussianNB,LogisticRegression", "--no-tune"]


def novum(*arguments):
    return CliRunner().invoke(application(), list(map(str, arguments)))


@pytest.fixture(scope="module")
def studied(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    mixed().drop(columns="spent").to_csv(folder / "shop.csv", index=False)
    run = novum("study", folder / "shop.csv", "--target", "bought", "--out", folder / "out", *QUICK)
    return folder, run


def test_study(studied):
    folder, run = studied
    assert run.exit_code == 0, run.output
    lines = run.stdout.splitlines()
    assert lines[0].startswith("  formalise   120 rows, 3 numbers, 1 category, 1 date; bought: no")
    assert any(
        line.startswith("  candidates  2 models and a baseline; 3 folds, the same folds for all") for line in lines
    )
    assert any(line.startswith("  keep        ") for line in lines)
    assert any(line.startswith("  hold-out    ") and "95 % interval" in line for line in lines)
    written = ["MODEL_CARD.md", "model.novum", "report.html", "report.md", "scores.csv", "study.json", "unseen.parquet"]
    assert sorted(os.listdir(folder / "out")) == written
    assert sorted(os.listdir(folder)) == ["out", "shop.csv"]


def test_predict(studied):
    folder, _ = studied
    run = novum("predict", folder / "out/model.novum", folder / "shop.csv", "-o", folder / "new.csv", "--proba")
    assert run.exit_code == 0, run.output
    out, given = pd.read_csv(folder / "new.csv"), pd.read_csv(folder / "shop.csv")
    assert list(out.columns) == [*given.columns, "predicted_bought", "p(no)", "p(yes)"]
    pd.testing.assert_frame_equal(out[given.columns], given, check_dtype=False)
    assert (out["predicted_bought"] == out["bought"]).mean() > 0.7
    printed = novum("predict", folder / "out/model.novum", folder / "shop.csv")
    assert printed.stdout.splitlines()[0].endswith("bought,predicted_bought")
    (folder / "new.csv").unlink()


@pytest.mark.parametrize(
    "change, text",
    [
        (lambda f: f.drop(columns="age"), "lacks what the model needs, 'age'"),
        (lambda f: f.assign(city="Oslo"), "'Oslo' in row 1 (1 new in all); correct it, or allow it with --unseen"),
        (lambda f: f.assign(income="much"), "column 'income' must hold numbers and holds string: row 1 says 'much'"),
    ],
)
def test_predict_refuses(studied, tmp_path, change, text):
    folder, _ = studied
    change(mixed()).to_csv(tmp_path / "new.csv", index=False)
    run = novum("predict", folder / "out/model.novum", tmp_path / "new.csv", "-o", tmp_path / "out.csv")
    assert run.exit_code == 2 and text in run.stderr and run.stdout == ""
    assert run.stderr.startswith("novum predict: ") and run.stderr.count("\n") == 1
    assert os.listdir(tmp_path) == ["new.csv"]


def test_predict_with_what_is_no_model(studied, tmp_path):
    folder, _ = studied
    for model, text in ((folder / "shop.csv", "not a model file"), (tmp_path / "no.novum", "No such file")):
        run = novum("predict", model, folder / "shop.csv")
        assert run.exit_code == 2 and text in run.stderr and run.stderr.count("\n") == 1


def test_an_output_folder_that_is_a_file(studied, tmp_path):
    folder, _ = studied
    (tmp_path / "out").write_text("mine")
    run = novum("study", folder / "shop.csv", "--target", "bought", "--out", tmp_path / "out", *QUICK)
    assert run.exit_code == 2 and (tmp_path / "out").read_text() == "mine" and "is a file" in run.stderr
    assert run.stdout == ""  # said before the work begins


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_ctrl_c_keeps_the_leaderboard(tmp_path):
    mixed(600).drop(columns="spent").to_csv(tmp_path / "shop.csv", index=False)
    command = [sys.executable, "-c", "from novum.cli import main; main()", "study", "shop.csv", "--target", "bought"]
    for patience in (
        1.5,
        5.0,
        15.0,
    ):  # seconds until a model has finished its first folds: it depends on what else runs
        run = subprocess.Popen(
            [*command, "--n-jobs", "1", "--repeats", "500", "--models", "GaussianNB", "--no-tune"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert run.stdout is not None
        assert any("candidates" in line for line in run.stdout), run.communicate()[1]
        time.sleep(patience)
        run.send_signal(signal.SIGINT)
        output, errors = run.communicate(timeout=60)
        if "before a model finished" not in errors:
            break
    assert run.returncode == 130, errors
    assert "stopped early (interrupted)" in output and "GaussianNB" in output and errors == ""
    assert sorted(os.listdir(tmp_path / "shop-bought-study")) == [
        "progress",
        "report.html",
        "report.md",
        "scores.csv",
        "study.json",
    ]
    assert "--resume" in output
