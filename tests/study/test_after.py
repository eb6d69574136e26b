"""`novum explain`, `novum predict --interval`, `novum serve` as typed; model card and Markdown as written."""

import json
import os
import re
import socket

import pandas as pd
import pytest
from studytables import mixed
from typer.testing import CliRunner

import novum as package
from novum.cli import application
from novum.study.report.markdown import escaped, report_markdown


def novum(*arguments):
    return CliRunner().invoke(application(), list(map(str, arguments)))


def test_explain_prints_what_adds_up(saved):
    run = novum("explain", saved / "classes/model.novum", saved / "new.csv", "--rows", 2)
    assert run.exit_code == 0, run.output
    assert "the first 2 of 12 rows" in run.stderr
    blocks = run.stdout.strip().split("\n\n")
    assert len(blocks) == 2
    for block in blocks:
        assert re.match(r"row \d: predicted (yes|no), probability of \1 \S+; set at 90 %: ", block)
        numbers = [float(line.split()[-1]) for line in block.splitlines()[2:]]
        assert sum(numbers[:-1]) == pytest.approx(numbers[-1], abs=0.004)


def test_explain_as_json_and_into_a_file(saved, tmp_path):
    arguments = ("explain", saved / "numbers/model.novum", saved / "new.csv", "--json", "-o", tmp_path / "why.json")
    assert novum(*arguments).exit_code == 0
    found = json.loads((tmp_path / "why.json").read_text())
    assert len(found) == 12
    for one in found:
        assert sum(one["contributions"].values()) == pytest.approx(one["value"] - one["base"], abs=1e-10)
        assert one["lower"] < one["predicted"] < one["upper"]


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("explain", "classes", "--class", "perhaps"), "--class perhaps: "),
        (("explain", "numbers", "--class", "yes"), "it predicts numbers; leave out --class"),
        (("explain", "numbers", "--level", "2"), "--level 2: must be from 0.5 to below 1"),
        (("predict", "numbers", "--interval", "--level", "0"), "--level 0: must be from 0.5 to below 1"),
        (("predict", "numbers", "--interval", "--level", "0.9999"), "allow a level of at most .994"),
    ],
)
def test_what_cannot_be_is_one_sentence(saved, tmp_path, arguments, words):
    command, kind, *options = arguments
    run = novum(command, saved / kind / "model.novum", saved / "new.csv", "-o", tmp_path / "out", *options)
    assert run.exit_code == 2 and words in run.stderr and run.stdout == "" and os.listdir(tmp_path) == []
    assert run.stderr.splitlines()[-1].startswith(f"novum {command}: ")


def test_predict_with_intervals_and_drift(saved, tmp_path):
    run = novum("predict", saved / "numbers/model.novum", saved / "new.csv", "--interval", "-o", tmp_path / "new.csv")
    out = pd.read_csv(tmp_path / "new.csv")
    assert run.exit_code == 0 and "has moved" not in run.stderr
    assert (out["predicted_spent_lower"] < out["predicted_spent"]).all()
    moved = mixed(60, seed=3).drop(columns=["bought", "spent"])
    moved["income"] += 5000
    moved.to_csv(tmp_path / "moved.csv", index=False)
    run = novum("predict", saved / "classes/model.novum", tmp_path / "moved.csv", "--interval")
    sentences = [line for line in run.stderr.splitlines() if "has moved since training" in line]
    assert len(sentences) == 1 and sentences[0].startswith(f"novum predict: {tmp_path / 'moved.csv'}: income has moved")
    assert run.stdout.splitlines()[0].endswith("predicted_bought,predicted_bought_set")


def test_serve_refuses(saved, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        run = novum("serve", saved / "classes/model.novum", "--port", port)
        assert run.exit_code == 2 and f"--port {port}: cannot listen there" in run.stderr
    run = novum("serve", tmp_path / "no.novum")
    assert run.exit_code == 2 and run.stderr.count("\n") == 1
    assert "--timeout 0: must be above 0" in novum("serve", saved / "classes/model.novum", "--timeout", 0).stderr
    assert "is no address" in novum("serve", saved / "classes/model.novum", "--host", "no.such.host.invalid").stderr


@pytest.mark.parametrize("command", ["predict", "explain", "serve", "study"])
def test_help_is_whole(command):
    run = CliRunner().invoke(application(), [command, "--help"], env={"COLUMNS": "100", "TERMINAL_WIDTH": "100"})
    assert run.exit_code == 0 and "…" not in run.stdout
    assert not re.search(r" \.(\s|│|$)", run.stdout)  # what markup ate leaves a lonely full stop


def test_the_card_says_what_was_found(saved, classes_result):
    card = (saved / "classes/MODEL_CARD.md").read_text()
    for head in (
        "Data and task",
        "Measures on unseen rows",
        "Intended use",
        "Limits",
        "What the file holds",
        "Versions",
    ):
        assert f"\n## {head}\n" in card
    assert (
        "**50 rows of the table as they are**" in card and f"novum {package.__version__}" in card and "seed 0" in card
    )
    assert classes_result.scoring.text(classes_result.hold_out.score) in card
    assert classes_result.findings.curve.verdict.split(":")[0] in card


def test_the_code_of_the_card_runs(saved, monkeypatch, tmp_path):
    text = (saved / "classes/MODEL_CARD.md").read_text()
    (tmp_path / "model.novum").write_bytes((saved / "classes/model.novum").read_bytes())
    monkeypatch.chdir(tmp_path)
    for code in re.findall(r"^```python\n(.*?)^```", text, re.M | re.S):
        exec(code, {"frame": mixed(5)})
    assert package.load("model-without-rows.novum") is not None


def test_markdown_shows_names_as_they_are(classes_result):
    assert escaped("a|b_c <b>\n*x*") == r"a\|b\_c \<b\> \*x\*"
    text = report_markdown(classes_result)
    for title in ("Comparison", "On unseen rows", "How sure it is", "Where it fails", "What it uses", "Data", "Method"):
        assert f"\n## {title}\n" in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert all(line.endswith("|") for line in rows) and "svg" not in text
    assert classes_result.findings.slices.sentence() in text
