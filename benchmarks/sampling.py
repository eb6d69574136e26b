"""NUTS and Metropolis against BlackJAX on the CPU: four chains from the same box, the same number of draws.

A size is the number of draws of a chain; the quality is the least bulk effective size of a quantity, by one and the same code:
the ratio of times, times the ratio of qualities, is that of effective draws a second. BlackJAX is compiled before it is timed, in
its own precision (single); diagnosis is left out on both sides. Its Metropolis walk is given the covariance of the posterior;
ours learns it, but for the fifty correlated dimensions, where both are given it. Densities of ours are Python functions unless
the case says compiled.
"""

import ctypes
import shutil
import subprocess
import tempfile
from functools import lru_cache
from math import exp, log1p
from pathlib import Path

import numpy as np
from scipy import LowLevelCallable

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


SOURCE = """
#include <math.h>
static const double Y[8] = {28, 8, -3, 7, -1, 1, 18, 12}, S[8] = {15, 10, 16, 11, 9, 11, 10, 18};
double eight(int d, double* x, double* g, void* data) {
    double mu = x[0], tau = exp(x[1]), value = 0, by_mu = 0, by_tau = 0, square = tau * tau;
    for (int i = 0; i < 8; i++) {
        double z = x[2 + i], e = Y[i] - mu - tau * z, pull = e / (S[i] * S[i]);
        value -= 0.5 * (e * pull + z * z); by_mu += pull; by_tau += pull * z; g[2 + i] = tau * pull - z;
    }
    g[0] = by_mu - mu / 25; g[1] = tau * by_tau - 2 * square / (25 + square) + 1;
    return value - mu * mu / 50 - log1p(square / 25) + x[1];
}
double narrow(int d, double* x, double* g, void* data) {
    double v = x[0], scale = exp(-v), square = 0;
    for (int i = 1; i < d; i++) { square += x[i] * x[i]; g[i] = -scale * x[i]; }
    g[0] = -v / 9 + 0.5 * scale * square - 0.5 * (d - 1);
    return -v * v / 18 - 0.5 * scale * square - 0.5 * (d - 1) * v;
}
"""


@lru_cache
def in_c(function):
    """Return a function of SOURCE as SciPy holds compiled functions."""
    folder = Path(tempfile.mkdtemp())
    (folder / "densities.c").write_text(SOURCE)
    subprocess.run(
        ["cc", "-O2", "-shared", "-fPIC", "-o", folder / "densities.so", folder / "densities.c", "-lm"], check=True
    )
    found = getattr(ctypes.CDLL(str(folder / "densities.so")), function)
    numbers = ctypes.POINTER(ctypes.c_double)
    found.restype, found.argtypes = ctypes.c_double, [ctypes.c_int, numbers, numbers, ctypes.c_void_p]
    return LowLevelCallable(found)


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
    known = np.cov(ours_nuts((name, 4000, 99)).reshape(-1, d).T)
    factor = jnp.array(2.38 / np.sqrt(d) * np.linalg.cholesky(np.linalg.inv(PRECISION) if d == 50 else known))
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
        return sampler(name).sample(n, start=DIMENSION[name], n_chains=CHAINS, random_state=seed, check=False).draws

    return run


def schools_value(x):
    mu, log_tau, *z = x.tolist()
    tau, value = exp(log_tau), 0.0
    for zi, yi, wi in zip(z, YIELDS, WEIGHTS):
        error = yi - mu - tau * zi
        value -= 0.5 * (wi * error * error + zi * zi)
    return value - mu * mu / 50 - log1p(tau * tau / 25) + log_tau


def gaussian_value(x):
    return -0.5 * np.einsum("ij,ij->i", x @ PRECISION, x)


VALUES = {"eight schools": schools_value, "correlated Gaussian": gaussian_value}


def walk(name):
    log_prob, options = VALUES.get(name, OURS[name][0]), OURS[name][1]
    if name != "correlated Gaussian":
        return MetropolisHastings(log_prob, **options)
    covariance = 2.38**2 / DIMENSION[name] * np.linalg.inv(PRECISION)
    return MetropolisHastings(log_prob, scale=covariance, adapt=False, **options)


C_NAMES = {"eight schools": "eight", "funnel": "narrow"}
ours_nuts = run_ours(lambda name: HamiltonianMonteCarlo(OURS[name][0], True, **OURS[name][1]))
ours_in_c = run_ours(lambda name: HamiltonianMonteCarlo(in_c(C_NAMES[name])))
ours_walk = run_ours(walk)
walk_in_c = run_ours(lambda name: MetropolisHastings(in_c(C_NAMES[name])))


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
    *(
        case(name, "NUTS", ours_in_c, compiled_nuts, (500, 1000, 2000), " (compiled density)")
        for name in C_NAMES
        if shutil.which("cc")
    ),
    case("correlated Gaussian", "NUTS", ours_nuts, compiled_nuts, (500, 1000, 2000)),
    case("logistic regression", "Metropolis", ours_walk, compiled_walk, (5_000, 20_000), " (compiled density)"),
    case("eight schools", "Metropolis", ours_walk, compiled_walk, (5_000, 20_000)),
    *(
        [case("eight schools", "Metropolis", walk_in_c, compiled_walk, (5_000, 20_000), " (compiled density)")]
        if shutil.which("cc")
        else []
    ),
    case("correlated Gaussian", "Metropolis", ours_walk, compiled_walk, (5_000, 20_000)),
]
