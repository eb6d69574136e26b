"""What is taken away from a study's folder: run, it predicts what the saved model predicts and prints what the pages show."""

import ast
import json
import subprocess
import sys

import pandas as pd
import pytest
from studytables import mixed

import novum
from novum.lab.analyst.pages import answer_of
from novum.lab.analyst.script import script_of
from novum.lab.controls import Refusal
from novum.study import Study, predict_table, read_table


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A folder with a table of semicolons and its study."""
    folder = tmp_path_factory.mktemp("script")
    mixed(240).drop(columns="spent").to_csv(folder / "città.csv", sep=";", index=False)
    table = read_table(folder / "città.csv", separator=";")
    options = {"folds": 3, "repeats": 1, "n_jobs": 1, "tune": False, "ensemble": False}
    Study(table, "bought", models=["LogisticRegression"], **options).run().write_report(folder / "out")
    return folder


STATES = {"what-if": {"c1": 31.5}, "thresholds": {"threshold": 0.31, "costs": [[0.0, 2.0], [5.0, 0.25]]}}


def printed(folder, code):
    (folder / "taken.py").write_text(code, encoding="utf-8")
    run = subprocess.run([sys.executable, "taken.py"], cwd=folder, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip().splitlines()


def test_the_script_makes_the_same_predictions_and_prints_the_numbers_shown(study):
    code = script_of(str(study / "out"), STATES, "python")["python"]
    more = "\nimport novum\nfrom novum.study import predict_table\nsaved = novum.load('out/model.novum')\n"
    more += "print((predict(table) == predict_table(saved, table).values).all(), len(table.columns))\n"
    lines = printed(study, code + more)
    document = json.loads((study / "out" / "study.json").read_text())
    assert lines[0] == f"accuracy {document['held_out']['score']:.6g} on {document['rows']['held']} rows put away"
    shown = answer_of(str(study / "out"), "thresholds", STATES["thresholds"])
    assert float(lines[1]) == pytest.approx(shown["values"]["cost"], rel=1e-14)
    asked = answer_of(str(study / "out"), "what-if", STATES["what-if"])
    names = {one["name"]: one["title"] for one in asked["controls"] if "title" in one}
    model = novum.load(study / "out" / "model.novum")
    row = pd.DataFrame({title: [asked["state"][name]] for name, title in names.items()})
    assert lines[2] == str(predict_table(model, row).values[0]) and lines[3].split()[0] == "True"


def test_the_notebook_holds_the_same_code(study):
    cells = script_of(str(study / "out"), STATES, "notebook")["notebook"]["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    first, *rest = printed(study, "\n\n".join(code))
    assert first.startswith("accuracy") and len(rest) == 2


def test_nothing_that_was_set_becomes_code(study):
    for states in ({"what-if": {"c0": "'); import os"}}, {"thresholds": {"threshold": "0.3; x"}}, [], "x"):
        with pytest.raises(Refusal):
            script_of(str(study / "out"), states, "python")
    plain = script_of(str(study / "out"), {"leaderboard": {"model": "x"}, "what-if": 3}, "python")["python"]
    assert "The row that was asked about" not in plain


def test_cells_with_quotes_are_only_text(study):
    asked = answer_of(str(study / "out"), "what-if", {})
    texts = [one["name"] for one in asked["controls"] if one["kind"] == "text"]
    hostile = '"]}); print("hacked"); ({"a": ["\\'
    made = script_of(str(study / "out"), {"what-if": dict.fromkeys(texts, hostile)}, "python")["python"]
    held = [node.value for node in ast.walk(ast.parse(made)) if isinstance(node, ast.Constant)]
    assert held.count(hostile) == len(texts) > 0
    calls = [
        node.func.id for node in ast.walk(ast.parse(made)) if isinstance(node, ast.Call) and hasattr(node.func, "id")
    ]
    assert calls.count("print") == 2
