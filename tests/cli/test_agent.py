"""novum agent: train, evaluate, plan."""

import re
import sys

import pytest

pytest.importorskip("typer")
from typer.testing import CliRunner

from novum.cli import application


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def call(*words):
        return CliRunner().invoke(application(), ["agent", *words])

    return call


def test_train_and_evaluate(run, tmp_path):
    done = run("train", "FrozenLake-v1", "--method", "q-learning", "--n-runs", "4", "--n-episodes", "4000")
    assert done.exit_code == 0, done.output
    assert re.fullmatch(
        r"4 runs x 4,000 episodes, \d*\.\d s; success \.\d\d \[\.\d\d, \.\d\d\] \(plan's own policy: \.7\d\); "
        r"saved frozenlake\.novum\n",
        done.output,
    )
    judged = run("evaluate", "frozenlake.novum", "--n-episodes", "50")
    assert judged.exit_code == 0, judged.output
    assert judged.output.startswith("QLearning in FrozenLake-v1, 50 episodes: success .")


@pytest.mark.parametrize(
    "method", ["sarsa", "sarsa-lambda", "expected-sarsa", "double-q-learning", "dyna-q", "monte-carlo", "adp"]
)
def test_every_method_trains(run, method, tmp_path):
    done = run("train", "room", "--method", method, "--n-episodes", "50", "--out", "a.novum")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "a.novum").exists()
    assert "mean return" in done.output


def test_older_names(run):
    done = run("plan", "Taxi-v3", "--discount", "0.9")
    assert done.exit_code == 0
    assert "novum agent: Taxi-v3 is no longer in Gymnasium; Taxi-v4 takes its place." in done.output


def test_plan(run, tmp_path):
    done = run("plan", "room")
    assert ".7053   .6553   .6114   .3879      ^  <  <  <" in done.output
    (tmp_path / "map.txt").write_text("S.#.\n....\n.#.G\n")
    drawn = run("plan", "map.txt", "--option", "step_reward=-1", "--method", "policy-iteration")
    assert "worth -4.0000 at the start" in drawn.output
    lake = run("plan", "FrozenLake-v1", "--discount", "0.99", "--option", "map_name=8x8")
    assert "64 states" in lake.output
    assert "worth .4146 at the start" in lake.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["train", "FrozenLake-v1", "--method", "magic"], "there is no method 'magic'"),
        (["train", "Nowhere-v0"], "Nowhere-v0"),
        (["plan", "FrozenLake-v1", "--option", "x"], "write it as name=value"),
        (["plan", "FrozenLake-v1", "--option", "x=1"], "its options are those of gymnasium.make"),
        (["plan", "CartPole-v1"], "not both finite sets"),
        (["plan", "room", "--method", "guess"], "methods are value-iteration"),
        (["evaluate", "nothing.novum"], "nothing.novum"),
        (["plan", "room", "--option", "step_reward=0.5"], "no finite value"),
    ],
)
def test_refusals(run, words, message):
    done = run(*words)
    assert done.exit_code == 2
    assert message in done.output
    assert "Traceback" not in done.output


def test_without_gymnasium_the_extra_is_named(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    for words in (("train", "FrozenLake-v1", "--n-episodes", "5"), ("plan", "FrozenLake-v1")):
        done = run(*words)
        assert done.exit_code == 2
        assert done.output.splitlines() == ["novum agent: this needs the package 'gymnasium': pip install 'novum[rl]'."]
