"""Conjugate priors: every posterior against Bayes' rule on a grid, the mean between prior and maximum likelihood."""

import numpy as np
import pytest
from lab.runs import refusal_of, run_of
from scipy.integrate import quad
from scipy.stats import bernoulli, beta, gamma, norm, poisson

STATES = [{}, {"share": 0.6, "strength": 5.0, "data": "0, 0, 1"}]
STATES += [
    {"law": "poisson", "data": "4 0 7 2 3", "strength": 2.0},
    {"law": "normal", "data": "1.5 -0.25 2", "center": 2.0},
]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("conjugate", **request.param)


def parts(s):
    """Return the density of the prior, its span, and the probability of one datum."""
    m = s.strength
    if s.law == "bernoulli":
        return beta(m * s.share, m * (1 - s.share)).pdf, (0, 1), lambda x, t: bernoulli.pmf(int(x), t)
    if s.law == "poisson":
        return gamma(m * s.rate, scale=1 / m).pdf, (0, 40), lambda x, t: poisson.pmf(int(x), t)
    return norm(s.center, np.sqrt(1 / m)).pdf, (-12, 12), lambda x, t: norm.pdf(x, t)


def test_every_posterior_is_bayes_rule(run):
    prior, span, likelihood = parts(run.state)
    data = [float(word) for word in run.state.data.replace(",", " ").split()]
    assert len(run.frames) == len(data) + 1
    for frame in run.frames:

        def joint(t, seen=data[: frame.n]):
            return prior(t) * np.prod([likelihood(x, t) for x in seen])

        def integral(f):
            return quad(f, *span, epsabs=0, epsrel=1e-10, limit=400)[0]

        Z = integral(joint)
        mean = integral(lambda t: t * joint(t)) / Z
        assert frame.values["mean"] == pytest.approx(mean, rel=1e-7)
        assert frame.values["sd"] ** 2 == pytest.approx(
            integral(lambda t, m=mean: (t - m) ** 2 * joint(t)) / Z, rel=1e-6
        )
        assert frame.values["log_evidence"] == pytest.approx(np.log(Z), rel=1e-7, abs=1e-8)
        theta = np.array(frame.arrays["theta"], float)
        expected = np.array([joint(t) / Z for t in theta[20:-20:40]])
        assert frame.arrays["posterior"][20:-20:40] == pytest.approx(expected, rel=1e-4, abs=1e-6)
        outcomes = [float(name) for name in frame.arrays["outcomes"]]
        following = [integral(lambda t, x=x: likelihood(x, t) * joint(t)) / Z for x in outcomes]
        assert frame.arrays["predictive"] == pytest.approx(following, rel=1e-6)


def test_the_mean_lies_between_prior_and_maximum_likelihood(run):
    for frame in run.frames[1:]:
        weight = run.state.strength / (run.state.strength + frame.n)
        mixed = weight * frame.values["before"] + (1 - weight) * frame.values["mle"]
        assert frame.values["mean"] == pytest.approx(mixed, rel=1e-9)


def test_outcomes_are_counted(run):
    data = [float(word) for word in run.state.data.replace(",", " ").split()]
    assert {node["id"]: node["value"] for node in run.last.arrays["coins"]} == {
        name: data.count(float(name)) for name in run.last.arrays["outcomes"]
    }


@pytest.mark.parametrize("state", [{"data": "1 2"}, {"law": "poisson", "data": "1.5"}, {"law": "normal", "data": "x"}])
def test_data_that_the_law_cannot_give_are_refused(state):
    assert refusal_of("conjugate", **state)[1] == "data"
