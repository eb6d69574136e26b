"""EM climbs by the decomposition of the log-likelihood, and ends where an optimiser that knows nothing of it ends."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.optimize import minimize
from scipy.special import logsumexp
from scipy.stats import norm

from novum.exceptions import DataError, DataWarning, NotConverged, ParameterError
from novum.variational import elbo, em

X = np.array([0.0, 1.0, 4.0, 5.0])
COINS = np.array([[1, 1, 1], [1, 1, 0], [1, 1, 1], [0, 1, 1], [0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 0, 0]], dtype=float)


def gaussian_joint(mu):
    return norm.logpdf(X[:, None], mu, 1.0) + np.log(0.5)


def gaussian_step(q, mu):
    return q.T @ X / q.sum(axis=0)


def coin_joint(theta):
    weights, mu = theta["weights"], theta["mu"]
    return np.log(weights) + COINS @ np.log(mu).T + (1 - COINS) @ np.log(1 - mu).T


def coin_step(q, theta):
    mass = q.sum(axis=0)
    return {"weights": mass / len(COINS), "mu": (q.T @ COINS + 1) / (mass[:, None] + 2)}  # a Beta(2, 2) prior of mu


def coin_prior(theta):
    return float((np.log(theta["mu"]) + np.log(1 - theta["mu"])).sum())


def coin_start(seed=0):
    return {"weights": np.array([0.5, 0.5]), "mu": np.random.default_rng(seed).uniform(0.2, 0.8, (2, 3))}


@pytest.mark.notes("002", "elbo")
def test_the_three_terms_by_their_definitions():
    rng = np.random.default_rng(0)
    joint, q = rng.random((5, 4)) * 0.2, rng.dirichlet(np.ones(4), 5)
    found = elbo(np.log(joint), q)
    posterior = joint / joint.sum(axis=1, keepdims=True)
    energy, entropy, kl = 0.0, 0.0, 0.0
    for i in range(5):
        for k in range(4):
            energy += q[i, k] * np.log(joint[i, k])
            entropy -= q[i, k] * np.log(q[i, k])
            kl += q[i, k] * np.log(q[i, k] / posterior[i, k])
    np.testing.assert_allclose([found.expected_log_joint, found.entropy, found.kl], [energy, entropy, kl], rtol=1e-12)
    assert found.elbo == pytest.approx(energy + entropy, rel=1e-12)
    assert found.log_evidence == pytest.approx(np.log(joint.sum(axis=1)).sum(), rel=1e-12)
    assert found.elbo + found.kl == pytest.approx(found.log_evidence, rel=1e-12)
    tight = elbo(np.log(joint), posterior)
    assert tight.kl == pytest.approx(0, abs=1e-14) and tight.elbo == pytest.approx(tight.log_evidence, rel=1e-13)
    whole = elbo(np.log(joint / joint.sum()), np.full((5, 4), 0.05), axis=None)
    assert whole.log_evidence == pytest.approx(0, abs=1e-12) and whole.kl == pytest.approx(-whole.elbo)


@pytest.mark.notes("002", "elbo")
def test_bound_with_zeros_and_by_draws():
    from novum.distributions import Normal

    table = np.array([0.0, -np.inf])
    assert elbo(table, [1.0, 0.0]).elbo == 0 and elbo(table, [0.5, 0.5]).elbo == -np.inf
    found = elbo(lambda z: norm.logpdf(z, 1, 2) + np.log(3.0), Normal(0.5, 2.25), n_samples=50_000, random_state=0)
    kl = np.log(2 / 1.5) + (2.25 + 0.25) / 8 - 0.5
    assert found.elbo == pytest.approx(np.log(3) - kl, abs=4 * found.standard_error) and found.standard_error < 0.01
    with pytest.raises(ParameterError, match=r"elbo\(q=ndarray\): for a log_joint that is a function"):
        elbo(lambda z: z, np.ones(2))
    with pytest.raises(ParameterError, match=r"elbo: q has shape \(2,\) and log_joint \(3,\)"):
        elbo(np.zeros(3), [0.5, 0.5])
    with pytest.raises(DataError, match="sums to"):
        elbo(np.zeros(2), [0.5, 0.6])


@pytest.mark.notes("000-c", "em")
@pytest.mark.notes("002", "em")
@pytest.mark.notes("002", "variational-em")
def test_known_steps_and_fixed_point():
    found = em(np.array([0.0, 4.0]), gaussian_step, log_joint=gaussian_joint)
    one = em(np.array([0.0, 4.0]), gaussian_step, log_joint=gaussian_joint, tol=10.0)
    np.testing.assert_allclose(one.parameters, [0.496153, 4.468138], atol=5e-7)  # the notes' example, one iteration
    np.testing.assert_allclose(found.log_likelihood[:3], [-7.429516, -6.944099, -6.943271], atol=5e-7)
    best = minimize(lambda mu: -logsumexp(gaussian_joint(mu), axis=1).sum(), [0.0, 4.0], tol=1e-12)
    np.testing.assert_allclose(found.parameters, best.x, atol=1e-7)
    np.testing.assert_allclose(found.parameters, [0.503868, 4.496132], atol=5e-7)
    assert found.converged and np.abs(gaussian_step(found.q, None) - found.parameters).max() < 1e-7
    assert (np.diff(found.log_likelihood) > -1e-12).all()
    assert found.log_likelihood[-1] == pytest.approx(-best.fun, abs=1e-12)

    def bounded(mu):  # the second component cannot have made numbers below 1: one impossible value of Z is no obstacle
        return np.where((X[:, None] < 1) & (np.arange(2) == 1), -np.inf, gaussian_joint(mu))

    cut = em(np.array([0.0, 4.0]), gaussian_step, log_joint=bounded)
    best = minimize(lambda mu: -logsumexp(bounded(mu), axis=1).sum(), [0.5, 4.5], tol=1e-12)
    np.testing.assert_allclose(cut.parameters, best.x, atol=1e-6)
    assert cut.q[0].tolist() == [1.0, 0.0] and cut.log_likelihood[-1] == pytest.approx(-best.fun, abs=1e-10)
    between = np.array([2.5, 2.5])  # both means in one place: EM rests there, and better starts are kept
    stuck = em(between, gaussian_step, log_joint=gaussian_joint)
    assert stuck.log_likelihood[-1] < found.log_likelihood[-1] - 1
    for starts in ([between, np.array([0.0, 4.0])], [np.array([0.0, 4.0]), between]):
        kept = em(starts[0], gaussian_step, log_joint=gaussian_joint, more_starts=starts[1:])
        np.testing.assert_allclose(kept.parameters, found.parameters, atol=1e-6)


@pytest.mark.notes("002", "em")
def test_decomposition_holds_in_every_half_step():
    found = em(coin_start(), coin_step, log_joint=coin_joint, log_prior=coin_prior)
    np.testing.assert_allclose(found.bound_after_e + found.kl_after_e, found.log_likelihood, rtol=1e-12)
    np.testing.assert_allclose(found.kl_after_e, 0, atol=1e-12)
    np.testing.assert_allclose(
        found.bound_after_m[:-1] + found.kl_after_m[:-1], found.log_likelihood[1:], rtol=1e-12
    )  # the M step opens the gap that the next E step closes
    assert (found.kl_after_m[:-1] >= -1e-12).all() and found.kl_after_m[0] > 1e-4
    assert (np.diff(found.objective) > -1e-12).all()
    assert np.isnan(found.bound_after_m[-1]) and len(found.log_likelihood) == found.n_iter + 1 > 10


@pytest.mark.notes("002", "em")
def test_maximum_a_posteriori_is_that_of_an_optimiser():
    found = em(coin_start(), coin_step, log_joint=coin_joint, log_prior=coin_prior, tol=1e-10)

    def cost(free):
        theta = {"weights": 1 / (1 + np.exp([-free[0], free[0]])), "mu": 1 / (1 + np.exp(-free[1:].reshape(2, 3)))}
        return -(logsumexp(coin_joint(theta), axis=1).sum() + coin_prior(theta))

    mu, weights = found.parameters["mu"], found.parameters["weights"]
    at = np.concatenate([[np.log(weights[0] / weights[1])], np.log(mu / (1 - mu)).ravel()])
    best = minimize(cost, at + 0.05, method="BFGS", options={"gtol": 1e-9})
    np.testing.assert_allclose(at, best.x, atol=2e-5)
    assert -found.objective[-1] == pytest.approx(best.fun, abs=1e-10)


@pytest.mark.notes("002", "em")
@pytest.mark.notes("002", "variational-em")
def test_the_best_of_several_starts_is_kept():
    starts = [np.array([4.4, 4.6]), np.array([0.0, 4.0])]
    runs = [em(start, gaussian_step, log_joint=gaussian_joint).objective[-1] for start in starts]
    both = em(starts[0], gaussian_step, log_joint=gaussian_joint, more_starts=starts[1:])
    assert both.objective[-1] == max(runs)
    prior = em(coin_start(), coin_step, log_joint=coin_joint, log_prior=coin_prior)
    np.testing.assert_allclose(prior.objective - prior.bound_after_e, prior.log_prior, rtol=1e-12)
    assert prior.log_prior[-1] == pytest.approx(coin_prior(prior.parameters), rel=1e-12) and prior.log_prior[-1] != 0


@pytest.mark.notes("002", "variational-em")
def test_an_approximate_e_step_raises_the_bound_and_reaches_the_maximum():
    """Half of the way to the posterior instead of all of it: slower, the same end, and (1) holds with a gap."""

    def partly(mu, q):
        table = gaussian_joint(mu)
        old = np.full(table.shape, 0.5) if q is None else q
        logits = 0.5 * np.log(old) + 0.5 * table  # along the geometric path the KL falls
        return np.exp(logits - logsumexp(logits, axis=1, keepdims=True))

    start = np.array([0.0, 4.0])
    slow, fast = (em(start, gaussian_step, log_joint=gaussian_joint, e_step=e, tol=1e-11) for e in (partly, None))
    assert slow.n_iter > fast.n_iter and slow.kl_after_e[1] > 1e-4
    np.testing.assert_allclose(slow.bound_after_e + slow.kl_after_e, slow.log_likelihood, rtol=1e-12)
    assert (np.diff(slow.objective) > -1e-12).all() and (slow.kl_after_e >= -1e-12).all()
    np.testing.assert_allclose(slow.parameters, fast.parameters, atol=1e-8)


@pytest.mark.notes("002", "variational-em")
def test_a_restricted_q_maximises_its_own_bound():
    """q must give the first three points the same probabilities: the bound has another maximum than the likelihood."""

    def tied(mu, q):
        table = gaussian_joint(mu)
        table[:3] = table[:3].mean(axis=0)
        return np.exp(table - logsumexp(table, axis=1, keepdims=True))

    found = em(np.array([1.0, 3.0]), gaussian_step, log_joint=gaussian_joint, e_step=tied, tol=1e-12)

    def bound(free):
        p = 1 / (1 + np.exp(-free[[2, 2, 2, 3]]))
        q = np.stack([p, 1 - p], axis=1)
        return -((q * gaussian_joint(free[:2])).sum() - (q * np.log(q)).sum())

    best = minimize(bound, [1.0, 3.0, 1.0, -1.0], tol=1e-12)
    assert found.objective[-1] == pytest.approx(-best.fun, abs=1e-9)
    np.testing.assert_allclose(found.parameters, best.x[:2], atol=1e-5)
    assert found.kl_after_e[-1] > 0.1 and np.abs(found.parameters - [0.503868, 4.496132]).max() > 0.1


@pytest.mark.notes("002", "em")
def test_other_latents_through_expected_statistics():
    """Student's t location by EM: the latent precision is continuous, q is its expectation."""
    x, degrees = np.array([0.1, 0.4, -0.3, 5.0, 0.2]), 3.0
    from scipy.stats import t

    found = em(
        2.0,
        lambda w, m: float(w @ x / w.sum()),
        e_step=lambda m, q: (degrees + 1) / (degrees + (x - m) ** 2),
        log_likelihood=lambda m: float(t.logpdf(x - m, degrees).sum()),
        tol=1e-12,
    )
    best = minimize(lambda m: -t.logpdf(x - m, degrees).sum(), [0.0], tol=1e-12)
    assert found.parameters == pytest.approx(best.x[0], abs=1e-6) and np.isnan(found.bound_after_m).all()
    with pytest.raises(ParameterError, match="em: give log_joint"):
        em(0.0, lambda q, m: m)
    with pytest.raises(ParameterError, match="leave log_likelihood and bound out"):
        em(0.0, lambda q, m: m, log_joint=gaussian_joint, bound=lambda q, m: 0.0)


def test_wrong_steps_are_reported():
    with pytest.warns(NotConverged), pytest.warns(DataWarning, match="the M step of iteration 1 lowered the objective"):
        em(np.array([0.0, 4.0]), lambda q, mu: mu + np.array([0.6, -0.2]), log_joint=gaussian_joint, max_iter=4)
    with pytest.warns(NotConverged, match="stopped after max_iter=3 iterations"):
        em(np.array([0.0, 4.0]), gaussian_step, log_joint=gaussian_joint, max_iter=3)
    with pytest.raises(DataError, match=r"e_step returned shape \(4, 3\), log_joint \(4, 2\)"):
        em(np.zeros(2), gaussian_step, log_joint=gaussian_joint, e_step=lambda m, q: np.full((4, 3), 1 / 3))
    with pytest.raises(DataError, match="is -inf for every value of Z at observation 0"):
        em(np.zeros(2), gaussian_step, log_joint=lambda m: np.full((4, 2), -np.inf))
    with pytest.raises(DataError, match="finite or -inf"):
        em(np.array([np.nan, 0]), gaussian_step, log_joint=gaussian_joint)


def test_picture_and_table():
    found = em(coin_start(), coin_step, log_joint=coin_joint, log_prior=coin_prior)
    ax = Figure().subplots()
    assert found.plot(ax) is ax
    likelihood, bound = ax.lines
    np.testing.assert_array_equal(likelihood.get_ydata()[::2], found.log_likelihood)  # after E steps
    np.testing.assert_array_equal(likelihood.get_ydata()[1::2], found.log_likelihood[1:])  # after M steps
    assert (bound.get_ydata() <= likelihood.get_ydata() + 1e-10).all()
    np.testing.assert_array_equal(bound.get_ydata()[::2], found.bound_after_e)
    np.testing.assert_array_equal(bound.get_ydata()[1::2], found.bound_after_m[:-1])
    np.testing.assert_array_equal(bound.get_xdata()[:3], [0, 0.5, 1])
    assert list(found.to_frame()["bound_after_e"]) == found.bound_after_e.tolist() and "log_likelihood" in repr(found)
