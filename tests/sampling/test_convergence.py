"""Diagnostics against literal loops, and against ArviZ."""

import sys

import numpy as np
import pytest
from reference import sampling as reference
from scipy.stats import norm, rankdata

from novum.exceptions import DataError, ParameterError
from novum.sampling import convergence, diagnose


def autoregression(chains, n, rho, seed=0):
    x = np.random.default_rng(seed).normal(size=(chains, n))
    for t in range(1, n):
        x[:, t] = rho * x[:, t - 1] + np.sqrt(1 - rho**2) * x[:, t]
    return x


def halves(x):
    h = x.shape[1] // 2
    return np.concatenate([x[:, :h], x[:, -h:]])


CASES = [(4, 200, 0.0), (4, 200, 0.9), (2, 101, -0.8), (3, 51, 0.5), (4, 8, 0.3), (1, 300, 0.7)]


@pytest.mark.notes("002", "mcmc")
@pytest.mark.parametrize("shape", CASES)
def test_effective_sizes_equal_the_sums_term_by_term(shape):
    x = autoregression(*shape)
    assert convergence.ess_mean(x) == pytest.approx(reference.effective_size(halves(x)), rel=1e-10)
    z = norm.ppf((rankdata(halves(x)).reshape(halves(x).shape) - 0.375) / (halves(x).size + 0.25))
    assert convergence.ess_bulk(x) == pytest.approx(reference.effective_size(z), rel=1e-10)
    folded = halves(np.abs(x - np.median(halves(x))))
    zf = norm.ppf((rankdata(folded).reshape(folded.shape) - 0.375) / (folded.size + 0.25))
    assert convergence.r_hat(x) == pytest.approx(max(reference.r_hat(z), reference.r_hat(zf)), rel=1e-12)
    assert convergence.mcse_mean(x) == pytest.approx(x.std(ddof=1) / np.sqrt(reference.effective_size(halves(x))))
    tails = [reference.effective_size(halves((x <= np.quantile(x, q)) * 1.0)) for q in (0.05, 0.95)]
    assert convergence.ess_tail(x) == pytest.approx(min(tails), rel=1e-10)
    square = (x - x.mean()) ** 2
    error = np.sqrt(square.var() / reference.effective_size(halves(square))) / (2 * x.std())  # d sd = d var / (2 sd)
    assert convergence.mcse_sd(x) == pytest.approx(error, rel=1e-9)


@pytest.mark.notes("002", "mcmc")
def test_the_effective_size_of_an_autoregression_is_the_known_one():
    x = autoregression(4, 20_000, 0.9, 1)
    assert convergence.ess_mean(x) / x.size == pytest.approx(0.1 / 1.9, rel=0.1)
    assert convergence.mcse_mean(x) == pytest.approx(np.sqrt(1.9 / 0.1 / x.size), rel=0.1)


@pytest.mark.notes("002", "mcmc")
@pytest.mark.peer
@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("shape", [*CASES[:-1], (4, 999, 0.97)])
def test_diagnostics_equal_arviz(shape, monkeypatch):
    monkeypatch.setitem(sys.modules, "tree", None)  # ArviZ would take tests/tree for a package of that name
    arviz = pytest.importorskip("arviz")
    if hasattr(arviz, "Numba"):
        arviz.Numba.disable_numba()  # its compiled branch fails with this NumPy
    x = autoregression(*shape)
    data, found = arviz.convert_to_dataset({"x": x}), diagnose(x)
    pairs = [
        (found.r_hat, arviz.rhat(data)),
        (found.ess_bulk, arviz.ess(data)),
        (found.ess_tail, arviz.ess(data, method="tail")),
        (found.mcse_mean, arviz.mcse(data)),
        (found.mcse_sd, arviz.mcse(data, method="sd")),
        ([convergence.mcse_quantile(x, 0.3)], arviz.mcse(data, method="quantile", prob=0.3)),
        (convergence.energy_fraction(x), arviz.bfmi(x)),
    ]
    for ours, theirs in pairs:
        theirs = np.ravel(theirs if isinstance(theirs, np.ndarray) else theirs["x"].values)
        np.testing.assert_allclose(ours, theirs, rtol=1e-10)


def test_complaints_name_what_is_wrong_and_the_remedy():
    mixed = autoregression(4, 1000, 0.0)
    assert diagnose(mixed) and diagnose(mixed).complaints == ()
    apart = diagnose(mixed + [[0], [0], [0], [2]])
    assert not apart and "R-hat of x is" in apart.complaints[0] and "n_warmup" in apart.complaints[0]
    slow = diagnose(autoregression(4, 1000, 0.99))
    assert any("effective draws only" in words for words in slow.complaints)
    still = diagnose(np.zeros((2, 100)))
    assert "did not move" in " ".join(still.complaints)
    assert repr(apart).splitlines()[-1].startswith("! ") and "nothing speaks against" in repr(diagnose(mixed))
    assert "<table>" in apart._repr_html_()


def test_scale_differs_though_means_agree():
    """The folded half of R-hat: chains with one mean and different scales have not mixed."""
    x = autoregression(4, 1000, 0.0)
    x[0] *= 4
    assert convergence.r_hat(x) > 1.1 > reference.r_hat(halves(x))


def test_what_diagnose_takes():
    x = autoregression(2, 50, 0.0)
    named = diagnose({"a": x, "b": np.stack([x, -x], axis=2)})
    assert named.names == ("a", "b[0]", "b[1]") and named.mean[2] == -named.mean[1]
    assert diagnose(np.stack([x, x], axis=2), level=0.5).names == ("x[0]", "x[1]")
    frame = named.to_frame()
    assert list(frame["name"]) == ["a", "b[0]", "b[1]"] and "95%" in frame
    with pytest.raises(DataError, match="holds no chains"):
        diagnose(np.zeros(3))
    with pytest.raises(DataError, match="same number of chains"):
        diagnose({"a": x, "b": x[:, :-1]})
    with pytest.raises(ParameterError, match=r"level must lie in"):
        diagnose(x, level=1.5)


def test_too_few_or_undefined_draws_have_no_diagnosis():
    assert np.isnan(convergence.r_hat(np.ones((2, 3)))) and np.isnan(convergence.ess_bulk(np.full((2, 9), np.nan)))
