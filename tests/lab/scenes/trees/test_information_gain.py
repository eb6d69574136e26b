"""Information gain: every number counted from the table, the notes' numbers among them."""

from collections import Counter
from math import log2

import numpy as np
import pytest
from lab.runs import refusal_of, run_of

from novum.datasets import load_play_tennis
from novum.lab.tennis import ROWS

EDITED = [list(row) for row in ROWS]
EDITED[0][3], EDITED[4][4], EDITED[7][1] = "Calm", "No", "Cool"
THREE = [
    ["a", "x", "p", "u", "one"],
    ["a", "y", "p", "v", "two"],
    ["b", "x", "q", "w", "three"],
    ["b", "y", "q", "u", "one"],
]
STATES = [{}, {"days": EDITED}, {"days": THREE}]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("information-gain", **request.param)


def entropy(answers):
    return -sum(k / len(answers) * log2(k / len(answers)) for k in Counter(answers).values())


def counted(rows, j):
    """Return the gain of a column and what is left, by counting."""
    parts = {value: [row[-1] for row in rows if row[j] == value] for value in {row[j] for row in rows}}
    left = sum(len(part) / len(rows) * entropy(part) for part in parts.values())
    return entropy([row[-1] for row in rows]) - left, left, parts


def test_every_column_is_counted(run):
    rows = run.state.days
    gains = [counted(rows, j)[0] for j in range(4)]
    for frame in run.frames:
        j = frame.n if frame.n < 4 else int(np.argmax(gains))
        gain, left, parts = counted(rows, j)
        assert frame.values["gain"] == pytest.approx(gain, abs=1e-12)
        assert frame.values["after"] == pytest.approx(left, abs=1e-12)
        split = entropy([row[j] for row in rows])
        assert frame.values["ratio"] == pytest.approx(gain / split if split else 0, abs=1e-12)
        assert frame.arrays["gains"] == pytest.approx(gains, abs=1e-12)
        for value, *counts, share, h in frame.arrays["part_rows"]:
            assert sum(counts) == len(parts[value]) and share == pytest.approx(len(parts[value]) / len(rows))
            assert h == pytest.approx(entropy(parts[value]), abs=1e-12)


def test_the_curve_is_the_entropy_of_two_answers(run):
    p, h = run.last.arrays["p"], run.last.arrays["entropy"]
    assert h[1:-1] == pytest.approx(-p[1:-1] * np.log2(p[1:-1]) - (1 - p[1:-1]) * np.log2(1 - p[1:-1]), abs=1e-12)
    assert h[0] == h[-1] == 0


def test_the_mark_on_the_curve_is_the_share_of_one_answer(run):
    answers = [row[-1] for row in run.state.days]
    share = answers.count(max(answers)) / len(answers) if len(set(answers)) == 2 else None
    assert {frame.values["share"] for frame in run.frames} == {share}


def test_the_notes_table_and_numbers():
    run = run_of("information-gain")
    tennis = load_play_tennis()
    assert [row[:-1] for row in run.state.days] == tennis.data.tolist()
    assert [row[-1] for row in run.state.days] == tennis.target.tolist()
    assert run.shown()[:4] == pytest.approx([0.246750, 0.029223, 0.151836, 0.048127], abs=5e-7)
    assert run.last.say == ["chosen", run.last.say[1]] and run.last.say[1]["column"] == "Outlook"


def test_one_answer_is_refused():
    assert refusal_of("information-gain", days=[["a", "b", "c", "d", "Yes"], ["a", "b", "c", "e", "Yes"]])[1] == "days"
