"""Information: every part from sums written out, samples counted again, a code that is prefix-free and near the entropy."""

import numpy as np
import pytest
from lab.runs import refusal_of, run_of

STATES = [
    {},
    {"independent": True, "seed": 3},
    {"weights": [[5.0, 0.0, 0.0], [0.0, 3.0, 1.0], [0.0, 0.0, 0.0]], "most": 200},
    {"weights": [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], "most": 20},
]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("information", **request.param)


def H(p):
    p = np.asarray(p, float).ravel()
    p = p[p > 0]
    return float(-(p * np.log2(p)).sum())


def joint(s):
    p = np.array(s.weights) / np.sum(s.weights)
    return np.outer(p.sum(axis=1), p.sum(axis=0)) if s.independent else p


def shares(s, n):
    p = joint(s)
    cells = np.random.default_rng(s.seed).choice(9, s.most, p=p.ravel() / p.sum())[:n]
    return np.array([(cells == c).mean() for c in range(9)]).reshape(3, 3) if n else p


def test_every_part_is_a_sum_of_logarithms(run):
    s, p = run.state, joint(run.state)
    for frame in run.frames:
        q = shares(s, frame.n)
        x, y, both = H(q.sum(axis=1)), H(q.sum(axis=0)), H(q)
        assert frame.arrays["table"] == pytest.approx(q, abs=1e-12)
        assert frame.values["shared"] == pytest.approx(x + y - both, rel=1e-9, abs=1e-12)
        assert frame.values["joint"] == pytest.approx(both, rel=1e-12, abs=1e-12)
        assert frame.say[1]["given"] == pytest.approx(both - y, rel=1e-9, abs=1e-12)
        met = q > 0
        assert frame.values["divergence"] == pytest.approx(
            (q[met] * np.log2(q[met] / p[met])).sum(), rel=1e-9, abs=1e-12
        )


def test_bars_are_as_long_as_their_bits(run):
    q = shares(run.state, run.last.n)
    x, y, both = H(q.sum(axis=1)), H(q.sum(axis=0)), H(q)
    expected = {"H(X,Y)": both, "H(X)": x, "H(Y)": y, "H(X|Y)": both - y, "H(Y|X)": both - x, "I(X;Y)": x + y - both}
    ends = {(round(b[2], 1), round((b[0] + b[1]) / 2, 6)): b[1] - b[0] for b in run.last.arrays["boxes"]}
    for middle, height, name in run.last.arrays["captions"]:
        assert ends[round(height + 0.12 - 0.4, 1), round(middle, 6)] == pytest.approx(expected[name], abs=1e-9)


def test_the_code_can_be_read_and_is_near_the_entropy(run):
    for frame in (run.frames[0], run.last):
        words = [row[3] for row in frame.arrays["codes"]]
        assert not any(a != b and b.startswith(a) for a in words for b in words)
        mean = sum(row[1] * len(row[3]) for row in frame.arrays["codes"])
        assert frame.values["length"] == pytest.approx(mean, abs=1e-12)
        assert frame.values["joint"] - 1e-9 <= mean < frame.values["joint"] + 1
        for _, p, bits, word in frame.arrays["codes"]:
            assert bits == pytest.approx(-np.log2(p), abs=1e-12) and len(word) == max(0, int(np.ceil(bits - 1e-9)))
        leaves = {n["id"] for n in frame.arrays["nodes"]} - {n["parent"] for n in frame.arrays["nodes"]}
        assert leaves == {word or "·" for word in words}


def test_samples_of_independent_variables_share_something():
    run = run_of("information", independent=True)
    assert run.frames[0].values["shared"] == pytest.approx(0, abs=1e-12)
    few = next(frame for frame in run.frames if frame.n >= 30)
    assert few.values["shared"] > 0.02 > run.last.values["shared"] > 0


def test_a_table_of_nothing_is_refused():
    assert refusal_of("information", weights=[[0.0] * 3] * 3)[1] == "weights"
