"""Posterior predictives that are no family of their own: the whole protocol, against scipy.stats."""

import numpy as np
import pytest
from scipy import stats

from novum.distributions import Beta, Binomial, Dirichlet, Exponential, Gamma, Multinomial, Normal, Poisson
from novum.exceptions import ParameterError

PREDICTIVES = [
    (Gamma(8.0, 4.0).predictive(Poisson), stats.nbinom(8.0, 0.8)),
    (Gamma(0.05, 0.3).predictive(Poisson), stats.nbinom(0.05, 0.3 / 1.3)),
    (Beta(2.0, 3.0).predictive(Binomial(7, 0.5)), stats.betabinom(7, 2.0, 3.0)),
    (Gamma(3.0, 2.0).predictive(Exponential), stats.lomax(3.0, scale=2.0)),
]


@pytest.mark.parametrize("ours, peer", PREDICTIVES, ids=["negative binomial", "long tail", "beta-binomial", "Lomax"])
def test_predictives_are_distributions(ours, peer):
    x, q = np.array([-1.0, 0.0, 0.5, 1.0, 2.0, 5.0, 9.0]), np.array([0.01, 0.3, 0.5, 0.9, 0.999])
    assert np.allclose(ours.cdf(x), peer.cdf(x), rtol=1e-11, atol=1e-300)
    assert np.allclose(ours.quantile(q), peer.ppf(q), rtol=1e-11)
    assert ours.quantile(0.9) == pytest.approx(peer.ppf(0.9)) and np.isnan(ours.quantile(1.5))
    assert np.isnan(ours.cdf(np.nan))
    discrete = isinstance(peer.dist, stats.rv_discrete)
    k = np.arange(2000.0)
    p = peer.pmf(k) if discrete else None
    wanted = -(p[p > 0] * np.log(p[p > 0])).sum() if discrete else peer.entropy()
    assert ours.entropy() == pytest.approx(wanted, rel=1e-9)
    assert ours.expect(lambda x: x) == pytest.approx(float(ours.mean), rel=1e-9)
    assert ours.kl(ours) == pytest.approx(0, abs=1e-12) and ours.kl(Normal() if discrete else Poisson(1.0)) == np.inf
    assert ours.mode == (k[peer.pmf(k).argmax()] if discrete else 0)
    assert ours.plot().get_ylabel() == ("probability" if discrete else "density")
    assert ours.sample(3, random_state=0).tolist() == ours.sample(5, random_state=0)[:3].tolist()


def test_predictives_of_batches_and_vectors():
    both = Gamma([1.0, 8.0], 4.0).predictive(Poisson)
    assert both.batch_shape == (2,) and both[1] == Gamma(8.0, 4.0).predictive(Poisson)
    assert np.allclose(both.cdf([[1.0], [3.0]])[:, 1], both[1].cdf([1.0, 3.0]))
    assert np.allclose(both.quantile(0.9), [both[0].quantile(0.9), both[1].quantile(0.9)])
    binomial = Beta([2.0, 1.0], 3.0).predictive(Binomial(7, 0.5))
    assert np.allclose(binomial.cdf(3.0), stats.betabinom(7, [2.0, 1.0], 3.0).cdf(3))
    assert repr(Gamma(3, 2).predictive(Exponential)) == "Predictive: Lomax, from Gamma(shape=3., rate=2.)"
    counts = Dirichlet([1.0, 2.0]).predictive(Multinomial(4, [0.5, 0.5]))
    assert counts.sample(3, random_state=0).shape == (3, 2) and counts.event_shape == (2,)
    with pytest.raises(ParameterError, match=r"Predictive.cdf: it exists for numbers.* one count is beta-binomial"):
        counts.cdf(1.0)
