"""novum network on the command line."""

import re

import numpy as np
import pytest
from typer.testing import CliRunner

from novum.cli import application
from novum.datasets import load_fuel_gauge
from novum.graphical import BayesianNetwork


@pytest.fixture
def car(tmp_path):
    path = tmp_path / "car.bif"
    load_fuel_gauge().write(path)
    return str(path)


def run(*words):
    return CliRunner().invoke(application(), ["network", *words])


def test_query_prints_before_and_after_with_the_explanation(car):
    found = run("query", car, "--evidence", "gauge=empty", "battery=flat", "--query", "fuel")
    assert found.exit_code == 0, found.output
    lines = found.output.splitlines()
    assert re.fullmatch(
        r"fuel gauge: 3 variables, 2 arcs, 6 free parameters; largest clique 1, exact inference fits in 1 MB", lines[0]
    )
    assert lines[1:] == [
        "           before    given gauge=empty battery=flat",
        "fuel=empty  .100     .111     (.257 without battery=flat: explained away)",
    ]
    everything = run("query", car)
    assert "gauge=empty   .315" in everything.output


def test_names_that_are_numbers_are_found_by_how_they_print(tmp_path):
    path = tmp_path / "n.json"
    BayesianNetwork([(1, 2)], {1: [0.5, 0.5], 2: [[0.9, 0.1], [0.2, 0.8]]}).write(path)
    assert "1=yes  .500     .889" in run("query", str(path), "2=yes", "1").output


def test_mistakes_are_one_sentence(car, tmp_path):
    for words, message in (
        (["query", car, "-e", "gauge=low"], "'low' is no state of 'gauge'"),
        (["query", car, "-e", "gauge"], "write it as variable=state"),
        (["query", car, "-q", "oil"], "no such variable"),
        (["query", str(tmp_path / "none.bif")], "No such file"),
        (["query", str(tmp_path / "car.txt")], "the name must end in"),
    ):
        found = run(*words)
        assert found.exit_code == 2 and message in found.output and "Traceback" not in found.output


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.csv"
    load_fuel_gauge().sample(4000, random_state=0).to_csv(path, index=False)
    return str(path)


def test_learn_prints_the_arcs_and_writes_the_network(rows, tmp_path):
    out = tmp_path / "learned.bif"
    found = run("learn", rows, "--scoring", "bdeu", "--out", str(out))
    assert found.exit_code == 0, found.output
    lines = found.output.splitlines()
    assert re.fullmatch(r"3 variables, 4,000 rows, 2 arcs, 6 free parameters; bdeu -\d+\.?\d*", lines[0])
    assert lines[1] == "variables: battery (2), fuel (2), gauge (2)"
    assert lines[2:] == ["  gauge depends on battery and fuel", f"written to {out}"]
    learned = BayesianNetwork.read(out)
    truth = load_fuel_gauge().query("fuel", {"gauge": "empty"})["empty"]
    assert learned.query("fuel", {"gauge": "empty"})["empty"] == pytest.approx(truth, abs=0.05)
    assert "fuel=empty" in run("query", str(out), "-e", "gauge=empty", "-q", "fuel").output


@pytest.mark.parametrize("method", ["exact", "pc", "chow-liu"])
def test_learn_by_other_methods(rows, method):
    found = run("learn", rows, "--method", method)
    assert found.exit_code == 0, found.output
    assert {"exact": "; bic -", "pc": " tests of independence", "chow-liu": "; log-likelihood -"}[
        method
    ] in found.output
    if method != "chow-liu":
        assert "gauge depends on battery and fuel" in found.output


def test_learn_cuts_numbers_and_takes_missing_cells(tmp_path):
    rng = np.random.default_rng(0)
    size = rng.normal(size=600)
    path, out = tmp_path / "mixed.csv", tmp_path / "mixed.json"
    lines = [f"{i},{'' if i % 50 == 0 else x},{x > 0},{'big' if x > 0.2 else 'small'}" for i, x in enumerate(size)]
    path.write_text("row,size,positive,kind\n" + "\n".join(lines))
    found = run("learn", str(path), "--drop", "row", "--out", str(out))
    assert found.exit_code == 0, found.output
    assert "size: 588 numbers, cut into 5 states" in found.output
    assert "12 rows with missing cells: the structure is learned without them, the tables by EM" in found.output
    states = BayesianNetwork.read(out).states
    assert states["kind"] == ("big", "small") and states["positive"] == ("no", "yes")
    assert states["size"][0].startswith("<= ") and states["size"][-1].startswith("> ") and len(states["size"]) == 5
    assert "either way round" in run("learn", str(path), "--drop", "row", "--method", "pc").output


def test_learn_says_what_is_wrong(rows, tmp_path):
    wide = tmp_path / "wide.csv"
    wide.write_text("id,word\n" + "\n".join(f"n{i},w{i}" for i in range(50)))
    for words, message in (
        (["learn", rows, "--method", "magic"], "use one of hill-climb, exact, pc, chow-liu"),
        (["learn", rows, "--method", "pc", "--scoring", "bic"], "--scoring: the method pc has no such option"),
        (["learn", rows, "--scoring", "best"], "'scoring' parameter of HillClimb must be"),
        (["learn", rows, "--drop", "oil"], "no such column"),
        (["learn", rows, "--out", str(tmp_path / "m.txt")], "must end in"),
        (["learn", str(wide)], "fewer than two columns"),
        (["learn", str(tmp_path / "none.csv")], "no such file"),
    ):
        found = run(*words)
        assert found.exit_code == 2 and message in found.output and "Traceback" not in found.output


def test_draw(car, tmp_path):
    pytest.importorskip("matplotlib")
    out = tmp_path / "car.png"
    found = run("draw", car, "--out", str(out), "-e", "gauge=empty")
    assert found.exit_code == 0, found.output
    assert out.read_bytes().startswith(b"\x89PNG") and "3 variables and 2 arcs drawn" in found.output
    bad = run("draw", car, "--out", str(tmp_path / "car.txt"))
    assert bad.exit_code == 2 and "must end in .png, .svg, .pdf" in bad.output
