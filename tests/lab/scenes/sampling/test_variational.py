"""The bound: KL of Gaussians in closed form, the normal's factors and evidence by integration, EM's halves written out."""

import numpy as np
import pytest
from lab.runs import run_of
from scipy.special import logsumexp
from scipy.stats import gamma, norm


@pytest.mark.parametrize("state", [{}, {"rho": -0.6, "start": [[1.0, -2.0]]}])
def test_sweeps_of_the_gaussian_lose_the_kl_of_two_gaussians(state):
    run = run_of("variational", **state)
    rho, (x, y) = run.state.rho, run.state.start[0]
    S, spread = np.array([[1, rho], [rho, 1]]), 1.0
    for frame in run.frames:
        if frame.n:
            x = rho * y
            y, spread = rho * x, 1 - rho**2
        m, V = np.array([x, y]), spread * np.eye(2)
        kl = 0.5 * (np.trace(np.linalg.solve(S, V)) + m @ np.linalg.solve(S, m) - 2)
        kl += 0.5 * np.log(np.linalg.det(S) / np.linalg.det(V))
        assert frame.values["kl"] == pytest.approx(kl, rel=1e-9)
        assert frame.values["elbo"] == -frame.values["kl"] and frame.values["log_p"] == 0
        assert frame.arrays["means"][0] == pytest.approx(m, rel=1e-6, abs=1e-9)
        assert frame.arrays["ellipses"][0][2:4] == pytest.approx(2 * np.sqrt([spread] * 2), rel=1e-6)


def test_a_tight_correlation_is_underestimated():
    spreads = [run_of("variational", rho=rho).last.say[1]["sd"] for rho in (0.0, 0.9, 0.99)]
    assert spreads == pytest.approx(np.sqrt([1, 1 - 0.81, 1 - 0.9801]), rel=1e-9)


def test_factors_of_mean_and_precision():
    run = run_of("variational", model="normal", n=5, seed=1)
    rng = np.random.default_rng(1)
    x = (rng.normal(0, 1.0, 5) + 1).round(3)
    n = len(x)
    shape, rate = 2.0, 1.0  # of the prior; the mean has strength 1 about 0
    for frame in run.frames:
        mean = norm(x.sum() / (n + 1), np.sqrt(rate / ((n + 1) * shape)))
        square = ((x - mean.mean()) ** 2).sum() + mean.mean() ** 2 + (n + 1) * mean.var()
        expected = shape / rate  # of the precision, when the mean's factor was made
        shape, rate = 2 + (n + 1) / 2, 1 + square / 2
        assert frame.arrays["means"][0] == pytest.approx([mean.mean(), shape / rate], rel=1e-6)

    mu, tau = np.linspace(-4, 6, 1001)[:, None], np.linspace(1e-6, 25, 4001)[None, :]
    log_p = sum(norm.logpdf(one, mu, tau**-0.5) for one in x) + norm.logpdf(mu, 0, tau**-0.5) + gamma.logpdf(tau, 2)
    cell = (mu[1, 0] - mu[0, 0]) * (tau[0, 1] - tau[0, 0])
    evidence = logsumexp(log_p) + np.log(cell)
    assert run.last.values["log_p"] == pytest.approx(evidence, abs=1e-5)
    mean = norm(x.sum() / (n + 1), np.sqrt(1 / ((n + 1) * expected)))
    log_q = mean.logpdf(mu) + gamma(shape, scale=1 / rate).logpdf(tau)
    kl = (np.exp(log_q) * (log_q - log_p + evidence)).sum() * cell
    assert run.last.values["kl"] == pytest.approx(kl, abs=1e-5)


def test_halves_of_em_raise_the_bound_and_close_the_gap():
    run = run_of("variational", model="mixture", n=12, start=[[-0.5, 1.0]])
    rng, q = np.random.default_rng(0), None
    noise = rng.normal(0, 1.0, 12)
    x, mu = (noise + 2 * rng.choice([-1, 1], 12)).round(3), np.array([-0.5, 1.0])

    def table(mu):
        return norm.logpdf(x[:, None], mu) + np.log(0.5)

    for frame in run.frames:
        if frame.part == "M":
            mu = q.T @ x / q.sum(axis=0)
            bound = (q * (table(mu) - np.log(q))).sum()
        else:
            q = np.exp(table(mu) - logsumexp(table(mu), axis=1, keepdims=True))
            bound = logsumexp(table(mu), axis=1).sum()
        assert frame.values["elbo"] == pytest.approx(bound, rel=1e-9)
        assert frame.values["log_p"] == pytest.approx(logsumexp(table(mu), axis=1).sum(), rel=1e-9)
        assert frame.values["elbo"] + frame.values["kl"] == pytest.approx(frame.values["log_p"], rel=1e-9)
        assert frame.arrays["means"][0] == pytest.approx(mu, rel=1e-6)
    assert len(run.frames) > 5


def test_scripts_of_every_model_print_the_bound():
    from lab.runs import printed_by

    for model in ("normal", "mixture"):
        run = run_of("variational", model=model)
        for frame in (run.frames[0], run.frames[1], run.last):
            assert printed_by(run.scene.script(run.state, frame.n, frame.part)) == frame.values["elbo"]
