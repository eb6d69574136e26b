"""Values of policies from logs: right on average, intervals that cover, and loud where the log is silent."""

import numpy as np
import pytest

from novum.bandits import evaluate_logged
from novum.exceptions import DataError, DataWarning, ParameterError


def logged(rng, n, sharp=1.0):
    """Return contexts, actions, rewards and the probabilities of a softmax logger; the reward is linear in the context."""
    theta = np.array([[1.0, 0.0], [0.0, 1.0], [-0.5, 0.5]])
    x = rng.normal(size=(n, 2))
    mean = x @ theta.T
    mu = np.exp(sharp * mean * 0.5)
    mu /= mu.sum(axis=1, keepdims=True)
    a = (rng.random(n)[:, None] > np.cumsum(mu, axis=1)).sum(axis=1)
    return x, a, mean[np.arange(n), a] + 0.3 * rng.normal(size=n), mu, mean


def test_estimates_by_their_formulas():
    rng = np.random.default_rng(0)
    _, a, r, mu, mean = logged(rng, 400)
    pi = np.full((400, 3), [0.2, 0.5, 0.3])
    q = mean + 0.2
    found = evaluate_logged(a, r, mu, pi, predictions=q)
    w = np.array([pi[i, a[i]] / mu[i, a[i]] for i in range(400)])
    dr = [sum(pi[i] * q[i]) + w[i] * (r[i] - q[i, a[i]]) for i in range(400)]
    np.testing.assert_allclose(
        found.value, [np.mean(w * r), sum(w * r) / sum(w), np.mean((pi * q).sum(axis=1)), np.mean(dr)], rtol=1e-12
    )
    assert found.standard_error[3] == pytest.approx(np.std(dr, ddof=1) / 20)
    assert found.effective_size == pytest.approx(w.sum() ** 2 / (w**2).sum())
    same = evaluate_logged(a, r, mu[np.arange(400), a], [0.2, 0.5, 0.3], predictions=q)
    np.testing.assert_allclose(same.value, found.value, rtol=1e-12)
    assert "doubly robust" in repr(found)
    assert len(found.plot().containers) == 1


def test_intervals_cover_and_doubly_robust_is_narrower():
    rng = np.random.default_rng(1)
    hits, widths = np.zeros(4), np.zeros(4)
    for _ in range(100):
        x, a, r, mu, mean = logged(rng, 400)
        best = mean.argmax(axis=1)
        found = evaluate_logged(a, r, mu, best, contexts=x)
        truth = 0.7383  # E max of the three, from 10^7 draws
        hits += [low < truth < high for low, high in zip(found.low, found.high)]
        widths += found.standard_error
    coverage = hits / 100
    assert (coverage[[0, 1, 3]] > 0.87).all()
    assert widths[3] < 0.75 * widths[0]


def test_doubly_robust_survives_one_wrong_half():
    rng = np.random.default_rng(2)
    _, a, r, mu, mean = logged(rng, 20_000)
    pi = np.full((20_000, 3), [0.2, 0.5, 0.3])
    truth = (pi * mean).sum(axis=1).mean()
    wrong_model = evaluate_logged(a, r, mu, pi, predictions=np.full_like(mean, 5.0))
    assert wrong_model.value[3] == pytest.approx(truth, abs=4 * wrong_model.standard_error[3])
    wrong_propensities = np.roll(mu, 1, axis=1)
    with pytest.warns(DataWarning, match="mean weight"):
        found = evaluate_logged(a, r, wrong_propensities, pi, predictions=mean)
    assert found.value[3] == pytest.approx(truth, abs=4 * found.standard_error[3])
    assert abs(found.value[0] - truth) > 4 * found.standard_error[0]


def test_missing_overlap_is_said_aloud():
    rng = np.random.default_rng(3)
    n = 1000
    a = rng.integers(2, size=n)
    r = rng.random(n)
    with pytest.warns(DataWarning, match=r"50\.0% of the target's choices were never logged"):
        found = evaluate_logged(a, r, np.full(n, 0.5), [0.5, 0.0, 0.5])
    assert found.missing == pytest.approx(0.5)
    with pytest.warns(DataWarning, match="never logged"):
        evaluate_logged(a, r, np.tile([0.5, 0.5, 0.0], (n, 1)), np.full(n, 2) * (np.arange(n) % 2))
    rare = (rng.random(n) < 0.004).astype(int)
    with pytest.warns(DataWarning, match="worth"):
        evaluate_logged(rare, r, np.where(rare, 0.004, 0.996), [0.0, 1.0])
    with pytest.raises(DataError, match="never does"):
        evaluate_logged(np.zeros(n, int), r, np.full(n, 1.0), [0.0, 1.0])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"propensities": [0.5, 0.0, 0.5]}, "probabilities"),
        ({"propensities": [0.5, 0.5]}, "probabilities"),
        ({"actions": [0, 1]}, "actions"),
        ({"actions": [0, -1, 1]}, "actions"),
        ({"rewards": [1.0, np.nan, 0.0]}, "rewards"),
        ({"target": [0.5, 0.4]}, "target"),
        ({"target": [[0.5, 0.5]]}, "target"),
        ({"predictions": np.ones((2, 2))}, "predictions"),
        ({"contexts": np.ones((2, 2))}, "contexts"),
        ({"model": 3}, "contexts"),
        ({"level": 2.0}, "level"),
    ],
)
def test_bad_logs_are_named(change, words):
    given = {"actions": [0, 1, 0], "rewards": [1.0, 0.0, 1.0], "propensities": [0.5] * 3, "target": [0.5, 0.5]} | change
    with pytest.raises((DataError, ParameterError), match=words):
        evaluate_logged(**given)


def test_what_is_wrong_with_a_log_is_named():
    rng = np.random.default_rng(0)
    n = 200
    actions, rewards, propensities = rng.integers(2, size=n), rng.random(n), np.full(n, 0.5)
    same = evaluate_logged(actions, rewards, 0.5, target=[0.3, 0.7])
    assert same.value == evaluate_logged(actions, rewards, propensities, target=[0.3, 0.7]).value
    for wrong in (0.0, np.nan, 1.5):
        broken = propensities.copy()
        broken[3] = wrong
        with pytest.raises(DataError, match=f"row 3 has {wrong:g}; what was done had a positive probability"):
            evaluate_logged(actions, rewards, broken, target=[0.3, 0.7])
    with pytest.raises(DataError, match="their shape is"):
        evaluate_logged(actions, rewards, propensities[:5], target=[0.3, 0.7])
    with pytest.raises(DataError, match="Number names by"):
        evaluate_logged(np.array(["u", "v"])[actions], rewards, propensities, target=[0.3, 0.7])
    with pytest.raises(DataError, match=r"its first probabilities are \[0.3, 0.8\]"):
        evaluate_logged(actions, rewards, propensities, target=[0.3, 0.8])
    contexts = rng.normal(size=(n, 2))
    contexts[7, 1] = np.nan
    with pytest.raises(DataError, match="contexts holds NaN or infinity in row 7"):
        evaluate_logged(actions, rewards, propensities, target=[0.3, 0.7], contexts=contexts)
