"""The Kalman filter and smoother against the joint Gaussian of all states."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from reference.sequence.kalman import conditioned
from sequence.systems import random_system, with_gaps

from novum.datasets import load_nile
from novum.exceptions import ParameterError
from novum.sequence import LinearDynamicalSystem, kalman_filter, kalman_smoother

NOTES = {
    "transition": [[1, 0.1], [0, 1]],
    "observation": [[1, 0]],
    "transition_covariance": 0.05,
    "observation_covariance": 0.2,
    "initial_mean": [0, 0],
    "initial_covariance": np.eye(2),
}
NOTES_X = [0.9, 1.1, 1.4, 1.2]


def compare_with_joint(system, X, form="covariance", rtol=1e-8):
    means, covariances, pairs, value = conditioned(system, X)
    found = kalman_smoother(X, **system, form=form)
    scale = np.abs(covariances).max()
    assert_allclose(found.means, means, rtol=rtol, atol=rtol * np.abs(means).max())
    assert_allclose(found.covariances, covariances, atol=rtol * scale)
    assert_allclose(found.lag_one_covariances, pairs, atol=rtol * scale)
    if value:
        assert found.log_likelihood == pytest.approx(value, rel=1e-9)
    for t in range(0, len(X), 3):
        before, covariance, _, _ = conditioned(system, X, upto=t + 1)
        assert_allclose(found.filtered.means[t], before[t], rtol=rtol, atol=rtol * np.abs(means).max())
        assert_allclose(found.filtered.covariances[t], covariance[t], atol=rtol * scale)
        before, covariance, _, _ = conditioned(system, X, upto=t)
        assert_allclose(found.filtered.predicted_means[t], before[t], rtol=rtol, atol=rtol * np.abs(means).max())
        assert_allclose(found.filtered.predicted_covariances[t], covariance[t], atol=rtol * scale)


@pytest.mark.notes("002", "kalman-filter")
@pytest.mark.notes("002", "kalman-smoother")
@pytest.mark.parametrize("form", ["covariance", "square_root"])
@pytest.mark.parametrize(("s", "p"), [(1, 1), (2, 1), (2, 3), (3, 2), (4, 2), (5, 4), (6, 1), (7, 3), (25, 2)])
def test_the_joint_gaussian(s, p, form):
    X = with_gaps(np.random.default_rng(s).normal(size=(9, p)))
    compare_with_joint(random_system(s, p, seed=s + p), X, form)


@pytest.mark.notes("002", "kalman-filter")
@pytest.mark.notes("002", "kalman-smoother")
@pytest.mark.parametrize("form", ["covariance", "square_root"])
def test_matrices_that_differ_by_step(form):
    X = with_gaps(np.random.default_rng(0).normal(size=(8, 2)))
    compare_with_joint(random_system(3, 2, seed=4, n=8), X, form)


@pytest.mark.parametrize("form", ["covariance", "square_root"])
@pytest.mark.parametrize(("rank_q", "rank_r"), [(1, None), (None, 1), (2, 1)])
def test_singular_noise(rank_q, rank_r, form):
    system = random_system(3, 2, seed=5, rank_q=rank_q, rank_r=rank_r)
    X = np.random.default_rng(3).normal(size=(7, 2))
    X[2, 1] = np.nan
    compare_with_joint(system, X, form, rtol=1e-7)


@pytest.mark.parametrize("form", ["covariance", "square_root"])
def test_no_noise_at_all_in_what_is_observed(form):
    system = random_system(3, 2, seed=6)
    system["observation_covariance"] = np.zeros((2, 2))
    found = kalman_smoother(X := with_gaps(np.random.default_rng(1).normal(size=(9, 2))), **system, form=form)
    means, covariances, _, value = conditioned(system, X)
    assert_allclose(found.means, means, atol=1e-7)
    assert_allclose(found.covariances, covariances, atol=1e-7)
    assert found.log_likelihood == pytest.approx(value, rel=1e-9)
    seen = ~np.isnan(X)
    assert_allclose(found.signal[seen], X[seen], atol=1e-8)


@pytest.mark.notes("002", "kalman-filter")
def test_the_filter_of_the_notes():
    found = kalman_filter(NOTES_X, **NOTES)
    expected = [[0.75, 0], [0.935937, 0.082031], [1.157451, 0.263374], [1.191229, 0.271324]]
    assert_allclose(found.means, expected, atol=6e-7)
    assert found.log_likelihood == pytest.approx(-3.112067, abs=5e-7)
    gap = kalman_filter([0.9, np.nan, 1.4, 1.2], **NOTES)  # a row that is missing is a prediction only
    assert_allclose(gap.means[1], gap.predicted_means[1])
    assert_allclose(gap.covariances[1], gap.predicted_covariances[1])


@pytest.mark.notes("002", "kalman-smoother")
def test_the_smoother_of_the_notes():
    found = kalman_smoother(NOTES_X, **NOTES)
    expected = [[0.978158, 0.264714], [1.073077, 0.271105], [1.161904, 0.271324], [1.191229, 0.271324]]
    assert_allclose(found.means, expected, atol=6e-7)
    system = {**NOTES, "transition_covariance": 0.05 * np.eye(2), "observation_covariance": [[0.2]]}
    _, covariances, pairs, _ = conditioned(system, np.array(NOTES_X)[:, None])
    assert_allclose(found.covariances, covariances, atol=1e-12)
    assert_allclose(found.lag_one_covariances, pairs, atol=1e-12)


@pytest.mark.notes("002", "lds")
def test_moments_of_drawn_series_and_their_density():
    system = random_system(2, 2, seed=2)
    model = LinearDynamicalSystem(**system)
    rows, states = model.sample(3, 200_000, random_state=0)
    n, s = 3, 2
    from reference.sequence.kalman import joint

    mean, V = joint(system, n)
    flat = states.reshape(len(states), -1)
    assert_allclose(flat.mean(axis=0), mean, atol=5 * np.sqrt(V.diagonal().max() / len(flat)))
    assert_allclose(np.cov(flat.T), V, atol=0.02 * V.diagonal().max())
    noise = rows - states @ system["observation"].T - system["observation_offset"]
    assert_allclose(np.cov(noise.reshape(-1, s).T), system["observation_covariance"], rtol=0.02, atol=0.02)
    timed = random_system(2, 2, seed=4, n=3)
    flat = LinearDynamicalSystem(**timed).sample(3, 100_000, random_state=1)[1].reshape(100_000, -1)
    mean, V = joint(timed, n)
    assert_allclose(flat.mean(axis=0), mean, atol=5 * np.sqrt(V.diagonal().max() / len(flat)))
    assert_allclose(np.cov(flat.T), V, atol=0.03 * V.diagonal().max())
    X = rows[:2]
    assert model.score(X) == pytest.approx(sum(conditioned(system, x)[3] for x in X), rel=1e-10)


def test_nile_as_published():
    """Durbin and Koopman (2012), section 2: variances 15 099 and 1 469.1; figures of the filter in their table and text."""
    flow = load_nile()["volume"]
    found = kalman_smoother(flow, 1.0, 1.0, 1469.1, 15099.0)
    assert_allclose(found.filtered.predicted_covariances[1, 0, 0], 15099 + 1469.1)
    assert found.log_likelihood == pytest.approx(-633.4645636, abs=1e-6)  # statsmodels 0.15, exact diffuse start
    # without log(2 pi)/2 for the row that the diffuse start uses up, as KFAS and Durbin and Koopman count
    assert found.log_likelihood + np.log(2 * np.pi) / 2 == pytest.approx(-632.5456, abs=5e-5)
    steady = LinearDynamicalSystem.local_level(level_variance=1469.1, observation_variance=15099.0).steady_state()
    assert steady.filtered[0, 0] == pytest.approx(4032.158, abs=1e-3)
    assert steady.gain[0, 0] == pytest.approx(0.267, abs=5e-4)
    assert_allclose(found.filtered.covariances[-1], steady.filtered, rtol=1e-12)
    expected = [1111.66831913, 1110.85766462, 1105.26556731]  # statsmodels
    assert_allclose(found.means[:3, 0], expected, rtol=1e-10)
    assert_allclose(found.covariances[:3, 0, 0], [4032.15794181, 3242.93007322, 2818.94217005], rtol=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_a_diffuse_start_is_the_limit_of_a_vague_one(seed):
    rng = np.random.default_rng(seed)
    s, p, n = 3, 2, 8
    system = random_system(s, p, seed=seed + 20, rank_q=2)
    X = rng.normal(size=(n, p))
    X[0, seed % 2] = np.nan
    X[1] = np.nan
    partly = seed > 1
    finite = np.diag([0.0, 0.0, 2.0]) if partly else np.zeros((s, s))
    unknown = np.diag([1.0, 1.0, 0.0]) if partly else np.eye(s)
    start = np.where(unknown > 0, np.inf, finite) if partly else "diffuse"
    found = kalman_smoother(X, **{**system, "initial_covariance": start})
    kappa, directions = 1e6, 2 if partly else 3
    once, twice = (conditioned({**system, "initial_covariance": finite + k * unknown}, X) for k in (kappa, 2 * kappa))
    # what is left of order 1 / kappa cancels in 2 f(2 kappa) - f(kappa)
    means, covariances, pairs = (2 * b - a for a, b in zip(once[:3], twice[:3], strict=True))
    assert_allclose(found.means, means, atol=1e-6)
    assert_allclose(found.covariances, covariances, atol=1e-6)
    assert_allclose(found.lag_one_covariances, pairs, atol=1e-6)
    values = [v[3] + directions * np.log(k) / 2 for v, k in ((once, kappa), (twice, 2 * kappa))]
    assert found.log_likelihood == pytest.approx(2 * values[1] - values[0], abs=1e-6)
    assert np.isinf(found.filtered.covariances[0]).any() and np.isfinite(found.covariances).all()
    root = kalman_smoother(X, **{**system, "initial_covariance": start}, form="square_root")
    assert_allclose(root.means, found.means, atol=1e-9)
    assert_allclose(root.covariances, found.covariances, atol=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_a_diffuse_start_in_information_form_with_singular_transitions(seed):
    """Without a prior the precision of all states is a sum over rows and steps; its inverse is what the smoother must give."""
    rng = np.random.default_rng(seed)
    s, n = 3, 7
    A, C, X = rng.normal(size=(s, s)), rng.normal(size=(1, s)), rng.normal(size=(n, 1))
    A[:, rng.integers(s)] = 0 if seed % 2 else A[:, 0]
    X[1] = np.nan if seed % 3 == 0 else X[1]
    precision, pull = np.zeros((n * s, n * s)), np.zeros(n * s)
    for t in range(n):
        here, there = slice(t * s, (t + 1) * s), slice((t + 1) * s, (t + 2) * s)
        if not np.isnan(X[t, 0]):
            precision[here, here] += C.T @ C
            pull[here] += C[0] * X[t, 0]
        if t < n - 1:
            precision[there, there] += np.eye(s)
            precision[here, here] += A.T @ A
            precision[here, there] -= A.T
            precision[there, here] -= A
    V = np.linalg.inv(precision)
    found = kalman_smoother(X, A, C, 1.0, 1.0)
    slack = 1e-9 * max(np.linalg.cond(precision) / 1e6, 1.0)
    assert_allclose(found.means.ravel(), V @ pull, atol=slack * np.abs(V @ pull).max())
    for t in range(n):
        here = slice(t * s, (t + 1) * s)
        assert_allclose(found.covariances[t], V[here, here], atol=slack * np.abs(V).max())
        if t < n - 1:
            later = slice((t + 1) * s, (t + 2) * s)
            assert_allclose(found.lag_one_covariances[t], V[later, here], atol=slack * np.abs(V).max())


def test_a_forecast_is_a_filter_without_rows_and_its_bands_hold_their_share():
    model = LinearDynamicalSystem(**random_system(2, 1, seed=11))
    X = model.sample(50, random_state=0)[0]
    ahead = model.forecast(X, 6)
    longer = model.filter(np.concatenate([X, np.full((6, 1), np.nan)]))
    assert_allclose(ahead.state_means, longer.means[50:], rtol=1e-12)
    assert_allclose(ahead.state_covariances, longer.covariances[50:], rtol=1e-12)
    rows = model.sample(30, 400, random_state=1)[0]
    inside = [
        ((f.lower <= x[25:]) & (x[25:] <= f.upper)).mean()
        for x, f in zip(rows, model.forecast(rows[:, :25], 5, level=0.8))
    ]
    assert np.mean(inside) == pytest.approx(0.8, abs=0.035)
    timed = random_system(2, 1, seed=3, n=12)
    found = LinearDynamicalSystem(**timed).forecast(X[:8], 4)
    gap = LinearDynamicalSystem(**timed).filter(np.concatenate([X[:8], np.full((4, 1), np.nan)]))
    assert_allclose(found.state_means, gap.means[8:], rtol=1e-12)
    assert_allclose(found.means, gap.signal[8:], rtol=1e-12)


@pytest.mark.notes("002", "kalman-filter")
@pytest.mark.notes("002", "kalman-smoother")
def test_controls_are_offsets_that_differ_by_step():
    rng = np.random.default_rng(0)
    system, n = random_system(2, 2, seed=9), 6
    B, D, u = rng.normal(size=(2, 3)), rng.normal(size=(2, 3)), rng.normal(size=(n, 3))
    X = with_gaps(rng.normal(size=(n, 2)))
    found = kalman_smoother(X, **system, control=B, observation_control=D, controls=u)
    plain = {
        **system,
        "transition_offset": system["transition_offset"] + u @ B.T,
        "observation_offset": system["observation_offset"] + u @ D.T,
    }
    means, covariances, _, value = conditioned(plain, X)
    assert_allclose(found.means, means, atol=1e-9)
    assert_allclose(found.covariances, covariances, atol=1e-9)
    assert found.log_likelihood == pytest.approx(value, rel=1e-10)
    again = kalman_smoother(X, **plain)
    assert_allclose(again.means, found.means, rtol=1e-12)


def test_the_steady_state_solves_riccati_and_is_what_the_filter_tends_to():
    from scipy.linalg import solve_discrete_are

    for seed in range(3):
        system = random_system(3, 2, seed=seed)
        found = LinearDynamicalSystem(**system).steady_state()
        A, C = system["transition"], system["observation"]
        expected = solve_discrete_are(A.T, C.T, system["transition_covariance"], system["observation_covariance"])
        assert_allclose(found.predicted, expected, rtol=1e-9)
        X = np.random.default_rng(seed).normal(size=(200, 2))
        filtered = kalman_filter(X, **system)
        assert filtered.settled < 150
        assert_allclose(filtered.predicted_covariances[-1], found.predicted, rtol=1e-10)
        steady = kalman_filter(X, **system, form="steady_state")
        assert_allclose(steady.predicted_covariances[0], found.predicted)
        assert_allclose(steady.means[100:], filtered.means[100:], atol=1e-10)


def test_steady_states_without_noise_and_those_that_do_not_exist():
    exact = LinearDynamicalSystem(
        transition=[[0.5, 0.1], [0, 0.7]],
        observation=[[1.0, 0.0]],
        transition_covariance=1.0,
        observation_covariance=0.0,
    )
    P = exact.steady_state().predicted
    X = np.random.default_rng(0).normal(size=(300, 1))
    assert_allclose(exact.set_params(initial_covariance=np.eye(2)).filter(X).predicted_covariances[-1], P, rtol=1e-9)
    wild = exact.set_params(transition=[[1.5, 0.0], [0.0, 0.7]], observation=[[0.0, 1.0]], observation_covariance=1.0)
    with pytest.raises(ParameterError, match="does not settle: some state that grows is never observed"):
        wild.steady_state()


def test_kept_gains_change_nothing():
    """Once the gains are kept the means must still be those of the full recursion: here a gap ends and restarts the keeping."""
    system = random_system(2, 1, seed=3)
    X = np.random.default_rng(0).normal(size=(300, 1))
    X[150:153] = np.nan
    found = kalman_smoother(X, **system)
    varying = {
        k: np.repeat(np.asarray(v)[None], 300, axis=0) for k, v in system.items() if k.startswith(("trans", "obs"))
    }
    slow = kalman_smoother(X, **{**system, **varying})
    assert found.filtered.settled < 100 and slow.filtered.settled == 300
    for name in ("means", "covariances", "lag_one_covariances"):
        assert_allclose(getattr(found, name), getattr(slow, name), rtol=1e-10, atol=1e-12)
    assert found.log_likelihood == pytest.approx(slow.log_likelihood, rel=1e-13)


def test_many_series_at_once():
    system = random_system(2, 2, seed=8)
    rng = np.random.default_rng(0)
    ragged = [rng.normal(size=(n, 2)) for n in (3, 1, 5)]
    found = kalman_smoother(ragged, **system)
    for x, one in zip(ragged, found, strict=True):
        assert_allclose(one.means, kalman_smoother(x, **system).means)
    cube = rng.normal(size=(4, 5, 2))
    assert [r.log_likelihood for r in kalman_filter(cube, **system)] == [
        kalman_filter(x, **system).log_likelihood for x in cube
    ]
    assert LinearDynamicalSystem(**system).score(cube) == pytest.approx(
        sum(r.log_likelihood for r in kalman_filter(cube, **system))
    )


def test_innovations_are_white_under_the_right_system():
    model = LinearDynamicalSystem(**random_system(2, 2, seed=1))
    X, _ = model.sample(20_000, random_state=0)
    found = model.filter(X)
    z = found.standardized_innovations
    assert_allclose(z.mean(axis=0), 0, atol=0.03)
    assert_allclose(z.var(axis=0), 1, atol=0.03)
    assert_allclose((z[1:] * z[:-1]).mean(axis=0), 0, atol=0.03)
    assert_allclose(found.innovations, X - (found.predicted_means @ model.observation.T + model.observation_offset))


def test_frames_masks_and_lists_are_series():
    pd = pytest.importorskip("pandas")
    system = random_system(2, 1, seed=1)
    X = with_gaps(np.random.default_rng(0).normal(size=(10, 1)))
    expected = kalman_filter(X, **system)
    frame = pd.DataFrame(X, columns=["a"], index=range(1900, 1910))
    masked = np.ma.masked_invalid(X)
    for given in (X[:, 0], X.tolist(), frame, frame["a"], masked, frame.astype("Float64")):
        assert_allclose(kalman_filter(given, **system).means, expected.means)
    assert list(kalman_filter(frame, **system).rows) == list(range(1900, 1910))
