"""novum network on the command line."""

import re

import pytest
from typer.testing import CliRunner

from novum.cli import application
from novum.datasets import load_fuel_gauge


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
