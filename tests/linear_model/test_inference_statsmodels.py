"""LinearRegression.inference against statsmodels: live in make test-peers, one stored table for every day."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from reference.nist import longley

from novum.linear_model import LinearRegression

COVARIANCES = ["classical", "HC0", "HC1", "HC2", "HC3"]

# statsmodels 0.14, OLS(longley.endog, add_constant(longley.exog)).fit(cov_type=c).bse[-1]
STORED = {
    "classical": 455.4784991421595,
    "HC0": 428.38437554629775,
    "HC1": 571.1791673950636,
    "HC2": 617.5929550383751,
    "HC3": 922.8078411853626,
}


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_stored_standard_errors(covariance):
    X, y = longley()
    table = LinearRegression().fit(X, y).inference(X, y, covariance=covariance)
    assert_allclose(table.standard_error[-1], STORED[covariance], rtol=1e-8)


@pytest.mark.peer
@pytest.mark.parametrize("covariance", COVARIANCES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
def test_live(covariance, weighted, intercept):
    sm = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(1)
    X, w = rng.normal(size=(60, 4)) + 3, rng.uniform(0.2, 3, 60) if weighted else None
    y = X @ [1, 0, 2, -1] + rng.normal(size=60) * X[:, 0]
    ours = (
        LinearRegression(fit_intercept=intercept)
        .fit(X, y, w)
        .inference(X, y, w, covariance=covariance, weights="precision")
    )
    design = sm.add_constant(X) if intercept else X
    peer = sm.WLS(y, design, weights=1.0 if w is None else w).fit(
        cov_type="nonrobust" if covariance == "classical" else covariance, use_t=True
    )
    assert_allclose(ours.coef, peer.params, rtol=1e-10)
    assert_allclose(ours.standard_error, peer.bse, rtol=1e-9)
    assert_allclose(ours.p_value, peer.pvalues, rtol=1e-8, atol=1e-300)
    assert_allclose(np.column_stack([ours.lower, ours.upper]), peer.conf_int(), rtol=1e-9)
    aic, bic = ours.aic - 2, ours.bic - np.log(len(y))  # statsmodels does not count the noise variance
    assert_allclose(
        [ours.r_squared, ours.adjusted_r_squared, ours.log_likelihood, aic, bic, ours.f_statistic],
        [peer.rsquared, peer.rsquared_adj, peer.llf, peer.aic, peer.bic, peer.fvalue],
        rtol=1e-9,
    )
