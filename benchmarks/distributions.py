"""Log-densities against scipy.stats: many outcomes, and few (a call's own cost); quality: their sum.

Small cases repeat the call so that a run can be timed; the batch of multivariate normals is a loop for SciPy, which has none.
"""

import numpy as np
import scipy.stats as st

from benchmarks.harness import Case
from novum.distributions import (
    Bernoulli,
    Beta,
    Binomial,
    Dirichlet,
    Gamma,
    Multinomial,
    MultivariateNormal,
    MultivariateStudentT,
    Normal,
    Poisson,
    StudentT,
)

LARGE, SMALL = (50_000, 200_000, 800_000), (4, 8, 16)
CALLS = 200  # of a small case in one run
COMPONENTS = 16


def spread(d):
    root = np.random.default_rng(1).normal(size=(d, d))
    return root @ root.T + np.eye(d)


EIGHT, THREE = spread(8), spread(3)
P, ALPHA = np.array([0.2, 0.3, 0.5]), np.array([2.0, 3.0, 5.0])
FAMILIES = {  # name: ours, SciPy's function, draws
    "Normal": (Normal(1.0, 4.0), lambda x: st.norm.logpdf(x, 1.0, 2.0), lambda r, n: r.normal(size=n)),
    "Gamma": (Gamma(2.5, 3.0), lambda x: st.gamma.logpdf(x, 2.5, scale=1 / 3.0), lambda r, n: r.gamma(2.5, size=n)),
    "Beta": (Beta(2.0, 3.0), lambda x: st.beta.logpdf(x, 2.0, 3.0), lambda r, n: r.beta(2, 3, size=n)),
    "Student t": (StudentT(3.0, 1.0, 2.0), lambda x: st.t.logpdf(x, 3.0, 1.0, 2.0), lambda r, n: r.normal(size=n)),
    "Bernoulli": (Bernoulli(0.3), lambda x: st.bernoulli.logpmf(x, 0.3), lambda r, n: r.integers(0, 2, n)),
    "binomial": (Binomial(9, 0.3), lambda x: st.binom.logpmf(x, 9, 0.3), lambda r, n: r.binomial(9, 0.3, n)),
    "Poisson": (Poisson(3.7), lambda x: st.poisson.logpmf(x, 3.7), lambda r, n: r.poisson(3.7, n)),
    "multinomial": (Multinomial(9, P), lambda x: st.multinomial.logpmf(x, 9, P), lambda r, n: r.multinomial(9, P, n)),
    "Dirichlet": (Dirichlet(ALPHA), lambda x: st.dirichlet.logpdf(x.T, ALPHA), lambda r, n: r.dirichlet(ALPHA, n)),
    "multivariate normal, 8": (
        MultivariateNormal(np.zeros(8), EIGHT),
        lambda x: st.multivariate_normal.logpdf(x, np.zeros(8), EIGHT),
        lambda r, n: r.normal(size=(n, 8)),
    ),
    "multivariate t, 3": (
        MultivariateStudentT(4.0, np.zeros(3), THREE),
        lambda x: st.multivariate_t.logpdf(x, np.zeros(3), THREE, 4.0),
        lambda r, n: r.normal(size=(n, 3)),
    ),
}


def family_case(name, small):
    ours, theirs, draw = FAMILIES[name]
    calls = CALLS if small else 1

    def repeated(function):
        def run(x):
            for _ in range(calls):
                value = function(x)
            return value

        return run

    title = f"log-density of {name}, {'few' if small else 'many'} outcomes"
    contestants = {"novum": repeated(ours.log_prob), "scipy": repeated(theirs)}
    rows, bar = (SMALL, 10.0) if small else (LARGE, 1.0)
    return Case(title, lambda n: draw(np.random.default_rng(0), n), contestants, total, rows, {"scipy": bar})


def total(value, _):
    return float(f"{np.sum(value):.9g}")


def batch_case(d):
    rng = np.random.default_rng(2)
    root = rng.normal(size=(COMPONENTS, d, d))
    model = MultivariateNormal(rng.normal(size=(COMPONENTS, d)), root @ root.swapaxes(1, 2) + np.eye(d))
    frozen = [st.multivariate_normal(m, c) for m, c in zip(model.mean, model.cov)]
    contestants = {
        "novum": lambda x: model.log_prob(x[:, None]),
        "scipy": lambda x: np.column_stack([one.logpdf(x) for one in frozen]),
    }
    title = f"{COMPONENTS} multivariate normals of {d} dimensions"
    return Case(
        title,
        lambda n: np.random.default_rng(3).normal(size=(n, d)),
        contestants,
        total,
        (2_000, 8_000, 32_000),
        {"scipy": 1.0},
    )


CASES = [family_case(name, small) for name in FAMILIES for small in (False, True)] + [batch_case(d) for d in (2, 16)]
