"""A study as a program: the script and the notebook fit the saved model again, to the last bit, and print the report's score."""

import json
import re
import runpy
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import Ridge as Ridge
from sklearn.preprocessing import FunctionTransformer
from studytables import mixed
from typer.testing import CliRunner

import novum
from novum.cli import application
from novum.kernels import RBF
from novum.study import Study, read_table
from novum.study.comparison.isotonic import along_curves
from novum.study.export.combined_code import Members, combined_code, combined_constants
from novum.study.export.expressions import Writer

QUICK = {"folds": 3, "repeats": 1, "n_jobs": 1, "tune": False, "ensemble": False}
KINDS = {
    "one model": {"models": ["LogisticRegression"]},
    "tuned": {"models": ["GradientBoosting"], "tune": True, "scoring": "balanced_accuracy"},
    "calibrated": {"models": ["SVC"], "scoring": "auc"},
    "kernels": {"models": ["GaussianProcess"], "scoring": "log_loss"},
    "costs": {"models": ["LogisticRegression", "GradientBoosting"], "ensemble": True, "costs": {("yes", "no"): 5}},
    "groups": {"models": ["ExtraTrees"], "group": "city", "scoring": "f1", "positive": "no"},
    "penalties": {"target": "spent", "models": ["Ridge"]},
    "standardised target": {"target": "spent", "models": ["SVR"], "scoring": "mae"},
    "ensemble": {"target": "spent", "models": ["RandomForest", "KNeighbors"], "ensemble": True, "scoring": "r2"},
    "time": {"target": "spent", "models": ["ElasticNet"], "time": "since", "scoring": "median_error"},
    "many levels and words": {
        "models": ["LogisticRegression", "GradientBoosting", "RandomForest"],
        "text": True,
        "ensemble": True,
    },
    "limits": {"target": "spent", "models": ["GradientBoosting"], "increasing": ["age"], "interactions": "pairwise"},
    "weights": {"target": "spent", "models": ["DecisionTree"], "weights": "weight"},
}


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("export") / "shop.csv"
    rng = np.random.default_rng(1)
    shop = rng.integers(0, 60, 240)
    said = np.where(shop % 2, "very good value and service", "poor bad slow and dear")
    frame = mixed(240).assign(
        weight=1 + (np.arange(240) % 3),
        shop=[f"shop number {k}" for k in shop],
        said=[" ".join(rng.permutation(text.split())) + f" {k % 7}" for text, k in zip(said, shop)],
    )
    frame.to_csv(path, index=False)
    return path


def studied(table, **options):
    target = options.pop("target", "bought")
    words = [] if options.pop("text", False) else ["shop", "said"]
    drop = [*words, *(name for name in ("bought", "spent", "weight") if name not in (target, options.get("weights")))]
    return Study(read_table(table), target, drop=drop, **{**QUICK, **options}).run()


def cells_of(path):
    return [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_program_makes_the_model_again(kind, table, tmp_path, monkeypatch, capsys):
    result = studied(table, **KINDS[kind])
    result.write_report(tmp_path / "out")
    saved = novum.load(tmp_path / "out" / "model.novum")
    script, notebook = result.export(tmp_path / "study.py"), result.export(tmp_path / "study.ipynb")
    monkeypatch.setattr(sys, "argv", ["study.py"])
    ran = runpy.run_path(str(script))
    assert ran["score"] == result.hold_out.score
    assert f"{ran['score']:.6g} on {result.n_held} rows put away" in capsys.readouterr().out
    np.testing.assert_array_equal(ran["decided"](ran["model"], ran["X"]), saved.predict(ran["X"]))
    np.testing.assert_array_equal(ran["predict"](str(table)), result.predict(read_table(table)))
    if result.task.labels:
        np.testing.assert_array_equal(ran["probabilities"](ran["model"], ran["X"]), saved.predict_proba(ran["X"]))
    names = {}
    for cell in cells_of(notebook):
        exec("".join(cell["source"]), names)
    assert names["score"] == result.hold_out.score
    for line in script.read_text().splitlines():
        if match := re.match(r"(?:from|import) ([\w.]+)", line):
            package = match[1].split(".")[0]
            assert package in ("novum", "sklearn", "scipy", "numpy", "sys", "threadpoolctl"), line
            assert not any(part.startswith("_") for part in match[1].split("."))


@pytest.mark.parametrize(
    "options",
    [
        {"models": ["GradientBoosting", "LogisticRegression"], "ensemble": True},
        {"target": "spent", "models": ["Ridge"], "weights": "weight"},
        {"target": "spent", "models": ["GradientBoosting"], "time": "since"},
    ],
)
def test_a_mean_of_models_of_folds_is_written_with_their_rows(options, table, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "novum.study.final.last_seconds", lambda *given: 1e9
    )  # as where there is no time for another fit
    monkeypatch.setattr("novum.study.conclusion.fit_again", lambda *given, **how: None)
    result = studied(table, **{**options, "folds": 5, "time_limit": 60})
    assert "of its folds" in result.reason and len(result.judged_model.estimators) >= 5
    script = result.export(tmp_path / "study.py")
    monkeypatch.setattr(sys, "argv", ["study.py"])
    ran = runpy.run_path(str(script))
    assert "rows.folds(5)" in script.read_text() and ran["score"] == result.hold_out.score
    np.testing.assert_array_equal(ran["predict"](str(table)), result.predict(read_table(table)))


def ensemble_of(leaders, *given):
    return next(one for one in leaders if one.name == "ensemble"), "wanted here"


def test_the_temperature_of_a_mean_is_written(table, tmp_path, monkeypatch):
    monkeypatch.setattr("novum.study.comparison.compare.helpful_temperature", lambda *given: 1.75)
    monkeypatch.setattr("novum.study.final.choose", ensemble_of)
    result = studied(table, models=["LogisticRegression", "GradientBoosting"], ensemble=True)
    assert result.judged_model.temperature == 1.75
    script = result.export(tmp_path / "study.py")
    monkeypatch.setattr(sys, "argv", ["study.py"])
    ran = runpy.run_path(str(script))
    assert ran["score"] == result.hold_out.score and "at_temperature" in script.read_text()
    np.testing.assert_array_equal(
        ran["probabilities"](ran["model"], ran["X"]), result.model.predict_proba(result.formalisation.frame)
    )


def test_curves_of_probabilities_are_written(table, tmp_path, monkeypatch):
    bent = [(np.array([0.1, 0.4, 0.9]), np.array([0.05, 0.3, 0.95]))]
    monkeypatch.setattr("novum.study.final.helpful_curves", lambda *given: bent)
    result = studied(table, models=["LogisticRegression"], scoring="log_loss")
    assert "isotonic" in result.reason
    script = result.export(tmp_path / "study.py")
    monkeypatch.setattr(sys, "argv", ["study.py"])
    ran = runpy.run_path(str(script))
    assert ran["score"] == result.hold_out.score and "CURVES" in script.read_text()
    np.testing.assert_array_equal(
        ran["probabilities"](ran["model"], ran["X"]), result.model.predict_proba(result.formalisation.frame)
    )
    np.testing.assert_array_equal(ran["predict"](str(table)), result.predict(read_table(table)))


def test_curves_of_several_classes_are_those_of_the_study():
    rng = np.random.default_rng(0)
    curves = [(np.sort(rng.random(4)), np.sort(rng.random(4))) for _ in range(3)]
    members, writer = Members([None], [1.0], curves=curves), Writer()
    names = {"np": np}
    exec("\n".join([*combined_constants(members, writer), *combined_code(members, True, writer)[0]]), names)
    said = rng.dirichlet(np.ones(3), size=50)
    np.testing.assert_array_equal(names["calibrated"](said), along_curves(said, curves))


def test_the_notebook_is_one(table, tmp_path):
    path = studied(table, models=["GaussianNB"]).export(tmp_path / "study.ipynb")
    document = json.loads(path.read_text())
    assert (document["nbformat"], document["nbformat_minor"]) == (4, 5)
    assert document["metadata"]["kernelspec"]["name"] == "python3"
    names = [cell["id"] for cell in document["cells"]]
    assert len(set(names)) == len(names) and all(re.fullmatch(r"[\w-]{1,64}", name) for name in names)
    for cell in document["cells"]:
        fields = {"cell_type", "id", "metadata", "source"}
        assert set(cell) == fields | ({"execution_count", "outputs"} if cell["cell_type"] == "code" else set())
        assert all(line.endswith("\n") for line in cell["source"][:-1])
    again = studied(table, models=["GaussianNB"]).export(tmp_path / "again.ipynb")
    assert again.read_bytes() == path.read_bytes()


def test_of_a_frame_the_table_is_named_when_the_program_runs(tmp_path):
    frame = mixed(200).drop(columns="spent")
    result = Study(frame, "bought", models=["GaussianNB"], **QUICK).run()
    script = result.export(tmp_path / "study.py")
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    assert run.returncode == 1 and run.stderr == "name the file of the table\n"
    frame.to_parquet(tmp_path / "frame.parquet")
    run = subprocess.run(
        [sys.executable, script, tmp_path / "frame.parquet"], capture_output=True, text=True, timeout=120
    )
    assert f"accuracy {result.hold_out.score:.6g}" in run.stdout and run.stderr == ""


def test_what_cannot_be_written_is_refused(tmp_path):
    class Local(Ridge):
        pass

    frame = mixed(120).drop(columns="bought")
    result = Study(frame, "spent", models={"mine": Local()}, **QUICK).run()
    with pytest.raises(novum.exceptions.DataError, match="Local, which is no public name"):
        result.export(tmp_path / "study.py")
    with pytest.raises(novum.exceptions.ParameterError, match=r"must end in \.py or \.ipynb"):
        result.export(tmp_path / "study.txt")
    assert list(tmp_path.iterdir()) == []


class Holder(BaseEstimator):
    """Has one parameter."""

    def __init__(self, value=None):
        self.value = value


@pytest.mark.parametrize(
    "value",
    [
        1,
        -2.5,
        float("inf"),
        "it's",
        'say "a"',
        "a\nb\\",
        None,
        True,
        [1, (2,), ()],
        {"a": [1.5], 2: set()},
        {3, 1},
        slice(1, None),
    ]
    + [np.float32(0.5), np.int64(3), np.arange(4.0), ["x" * 60] * 5, {"k" * 50: ["v" * 50, "w" * 50]}],
)
def test_values_come_back(value):
    writer = Writer()
    text = writer.text(Holder([value]), "it")
    names = {"Holder": Holder}
    exec("\n".join(line for line in writer.lines() if "Holder" not in line), names)
    found = eval(text, names).value[0]
    np.testing.assert_equal(found, value.item() if isinstance(value, np.generic) else value)
    assert all(len(line) < 120 for line in text.splitlines())


def test_functions_kernels_and_types_come_back():
    writer = Writer()
    kernel = 2.0 * RBF(3.0)
    text = writer.text([FunctionTransformer(np.log1p), kernel, np.float32, np.median], "it")
    names = {}
    exec("\n".join(writer.lines()), names)
    transformer, again, kind, median = eval(text, names)
    assert transformer.func is np.log1p and kind is np.float32 and median is np.median
    X = np.random.default_rng(0).normal(size=(4, 2))
    np.testing.assert_array_equal(again(X), kernel(X))
    for value in (np.random.RandomState(0), lambda x: x, object(), np.zeros(2000)):
        with pytest.raises(novum.exceptions.DataError, match="export: it"):
            Writer().text(value, "it")


def test_from_the_command_line(table, tmp_path):
    base = [
        "study",
        str(table),
        "--target",
        "bought",
        "--drop",
        "spent",
        "--drop",
        "weight",
        "--out",
        str(tmp_path / "out"),
    ]
    quick = ["--folds", "3", "--repeats", "1", "--n-jobs", "1", "--models", "GaussianNB", "--no-tune"]
    script, notebook = tmp_path / "study.py", tmp_path / "study.ipynb"
    run = CliRunner().invoke(application(), [*base, *quick, "--export", str(script), "--export", str(notebook)])
    assert run.exit_code == 0, run.output
    assert "makes the model again" in run.stdout and len(cells_of(notebook)) == 7
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "rows put away" in done.stdout, done.stderr
    run = CliRunner().invoke(application(), [*base, "--export", "study.txt"])
    assert run.exit_code == 2 and "must end in .py or .ipynb" in run.output
