"""NUTS and Metropolis against BlackJAX on the CPU: four chains, 1000 iterations of warm-up, the same number of draws.

A size is the number of draws of a chain; the quality is the least bulk effective size of a quantity, by one and the
same code: the ratio of
times, times the ratio of qualities, is that of effective draws a second. BlackJAX is compiled before it is timed,
and its Metropolis walk is
given the covariance of the posterior, which ours has to learn. Densities of ours are Python functions, except where
the case says compiled.
"""

import warnings
from functools import lru_cache
from math import exp, log1p

import numpy as np

from benchmarks.harness import Case
from novum.sampling import HamiltonianMonteCarlo, LogisticPosterior, MetropolisHastings
from novum.sampling.convergence import ess_bulk

CHAINS, WARMUP = 4, 1000
RNG = np.random.default_rng(1)
X = RNG.normal(size=(1000, 10))
LABELS = (RNG.random(1000) < 1 / (1 + np.exp(-X @ RNG.normal(size=10)))).astype(float)
PRECISION = np.linalg.inv(0.95 ** np.abs(np.subtract.outer(np.arange(50), np.arange(50))))
SCHOOLS = np.array([28.0, 8, -3, 7, -1, 1, 18, 12]), np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
YIELDS, WEIGHTS = SCHOOLS[0].tolist(), (SCHOOLS[1] ** -2).tolist()
DIMENSION = {"logistic regression": 10, "eight schools": 10, "funnel": 10, "correlated Gaussian": 50}


def gaussian(x):
    slope = -(x @ PRECISION)
    return 0.5 * np.einsum("ij,ij->i", x, slope), slope


def schools(x):
    mu, log_tau, *z = x.tolist()
    tau, value, by_mu, by_tau, slope = exp(log_tau), 0.0, 0.0, 0.0, [0.0, 0.0]
    for zi, yi, wi in zip(z, YIELDS, WEIGHTS):
        error = yi - mu - tau * zi
        pull = wi * error
        value -= 0.5 * (error * pull + zi * zi)
        by_mu += pull
        by_tau += pull * zi
        slope.append(tau * pull - zi)
    square = tau * tau
    slope[0], slope[1] = by_mu - mu / 25, tau * by_tau - 2 * square / (25 + square) + 1
    return value - mu * mu / 50 - log1p(square / 25) + log_tau, slope


def funnel(x):
    v, *rest = x.tolist()
    scale, square = exp(-v), sum(a * a for a in rest)
    return -v * v / 18 - 0.5 * scale * square - 4.5 * v, [
        -v / 9 + 0.5 * scale * square - 4.5,
        *[-scale * a for a in rest],
    ]


OURS = {
    "logistic regression": (LogisticPosterior(X, LABELS, fit_intercept=False), {}),
    "eight schools": (schools, {}),
    "funnel": (funnel, {}),
    "correlated Gaussian": (gaussian, {"vectorized": True}),
}


def theirs(name):
    """Return the log density as JAX has it."""
    import jax.numpy as jnp

    rows, labels, precision = jnp.array(X), jnp.array(LABELS), jnp.array(PRECISION)
    y, s = map(jnp.array, SCHOOLS)

    def logistic(b):
        score = rows @ b
        return jnp.sum(labels * score - jnp.logaddexp(0.0, score)) - 0.5 * b @ b

    def eight(x):
        mu, log_tau, z = x[0], x[1], x[2:]
        tau = jnp.exp(log_tau)
        error = (y - mu - tau * z) / s
        return -0.5 * error @ error - mu * mu / 50 - jnp.log(1 + tau * tau / 25) + log_tau - 0.5 * z @ z

    def narrow(x):
        return -(x[0] ** 2) / 18 - 0.5 * jnp.exp(-x[0]) * (x[1:] @ x[1:]) - 4.5 * x[0]

    return {
        "logistic regression": logistic,
        "eight schools": eight,
        "funnel": narrow,
        "correlated Gaussian": lambda x: -0.5 * x @ precision @ x,
    }[name]


@lru_cache
def compiled_nuts(name, n):
    """Return BlackJAX's chains, compiled."""
    import blackjax
    import jax

    log_prob = theirs(name)

    def chain(key, start):
        first, second = jax.random.split(key)
        warm = blackjax.window_adaptation(blackjax.nuts, log_prob)
        (state, parameters), _ = warm.run(first, start, num_steps=WARMUP)
        kernel = blackjax.nuts(log_prob, **parameters).step
        return jax.lax.scan(
            lambda s, k: (lambda new: (new, new.position))(kernel(k, s)[0]), state, jax.random.split(second, n)
        )[1]

    return jax.jit(jax.vmap(chain))


@lru_cache
def compiled_walk(name, n):
    """Return BlackJAX's random walk with the covariance of the posterior, compiled."""
    import blackjax
    import jax
    import jax.numpy as jnp

    log_prob, d = theirs(name), DIMENSION[name]
    known = ours_nuts((name, 4000, 99)).reshape(-1, d)
    factor = jnp.array(2.38 / np.sqrt(d) * np.linalg.cholesky(np.cov(known.T)))
    walk = blackjax.additive_step_random_walk(log_prob, blackjax.mcmc.random_walk.normal(factor))

    def chain(key, start):
        return jax.lax.scan(
            lambda s, k: (lambda new: (new, new.position))(walk.step(k, s)[0]),
            walk.init(start),
            jax.random.split(key, WARMUP + n),
        )[1][WARMUP:]

    return jax.jit(jax.vmap(chain))


def run_theirs(compiled):
    def run(data):
        import jax

        name, n, seed = data
        keys = jax.random.split(jax.random.key(seed), CHAINS)
        start = np.random.default_rng(seed).uniform(-2, 2, (CHAINS, DIMENSION[name]))
        return np.asarray(jax.block_until_ready(compiled(name, n)(keys, start)), dtype=float)

    return run


def run_ours(sampler):
    def run(data):
        name, n, seed = data
        log_prob, options = OURS[name]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the funnel complains, as it should
            return (
                sampler(log_prob, options)
                .sample(n, start=DIMENSION[name], n_chains=CHAINS, n_warmup=WARMUP, random_state=seed)
                .draws
            )

    return run


def value_only(log_prob):
    return log_prob if isinstance(log_prob, LogisticPosterior) else lambda x: log_prob(x)[0]


ours_nuts = run_ours(lambda log_prob, options: HamiltonianMonteCarlo(log_prob, True, **options))
ours_walk = run_ours(lambda log_prob, options: MetropolisHastings(value_only(log_prob), **options))


def least_effective(draws, _):
    return round(min(ess_bulk(np.ascontiguousarray(draws[:, :, j])) for j in range(draws.shape[2])))


def case(name, method, ours, compiled, rows, note=""):
    contestants = {"novum": ours, "BlackJAX": run_theirs(compiled)}
    return Case(
        f"{method}, {name}{note}", lambda n: (name, n, 0), contestants, least_effective, rows, {"BlackJAX": 1.0}
    )


CASES = [
    case("logistic regression", "NUTS", ours_nuts, compiled_nuts, (500, 1000, 2000), " (compiled density)"),
    case("eight schools", "NUTS", ours_nuts, compiled_nuts, (500, 1000, 2000)),
    case("funnel", "NUTS", ours_nuts, compiled_nuts, (500, 1000, 2000)),
    case("correlated Gaussian", "NUTS", ours_nuts, compiled_nuts, (500, 1000, 2000)),
    case("logistic regression", "Metropolis", ours_walk, compiled_walk, (5_000, 20_000), " (compiled density)"),
    case("eight schools", "Metropolis", ours_walk, compiled_walk, (5_000, 20_000)),
    case("correlated Gaussian", "Metropolis", ours_walk, compiled_walk, (5_000, 20_000)),
]
