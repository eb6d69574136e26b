"""The Nile with two states: what the first hour shows, digit by digit."""

import numpy as np
import pandas as pd
import pytest
from sequence.nile import FLOW, YEARS
from sklearn.exceptions import ConvergenceWarning

from novum.sequence import GaussianHMM


@pytest.fixture(scope="module")
def flow():
    return pd.Series(FLOW, index=YEARS, name="volume")


def test_the_fit_prints_as_shown(flow):
    hmm = GaussianHMM(n_components=2, n_init=10, random_state=0).fit(flow)
    first, *table = repr(hmm).splitlines()
    begin = (
        "GaussianHMM, 2 states, 100 observations, log-likelihood -629.804 (BIC 1291.8; one state: 1318.2), converged "
    )
    assert first.startswith(begin)
    assert table == [
        "        mean     sd    stays",
        "  0   1097.2   133.7   .964",
        "  1    850.8   124.4   1.000     absorbing",
    ]
    path = hmm.predict(flow)
    assert flow.index[path == 1][0] == 1899
    assert repr(hmm.predict_proba(flow)[27:30, 1].round(3)) == "array([0.17 , 0.947, 0.992])"


def test_ten_lost_years_are_summed_out(flow):
    gap = flow.copy()
    gap.loc[1895:1904] = float("nan")
    hmm = GaussianHMM(2, n_init=10, random_state=0).fit(gap)
    assert repr((hmm.score(gap), hmm.means_.ravel().round(1))) == "(-567.316, array([1088.5,  852.2]))"
    shown = "array([0.11, 0.21, 0.31, 0.41, 0.5 , 0.59, 0.68, 0.76, 0.84, 0.92])"
    assert repr(hmm.predict_proba(gap)[24:34, 1].round(2)) == shown


def test_a_collapsing_state_is_said_aloud_and_never_a_number_that_is_none(flow):
    text = (
        r"state \d is collapsing on few rows \(sd -> 0, the likelihood has no maximum\). Held at\s+min_covar=.*; give"
    )
    with pytest.warns(ConvergenceWarning, match=text):
        hmm = GaussianHMM(3, init_params="st", max_iter=500, random_state=0)
        hmm.means_, hmm.covars_ = [[1100.0], [860.0], [456.0]], [[15000.0], [15000.0], [100.0]]
        hmm.fit(flow)
    for values in (hmm.means_, hmm.covars_, hmm.transmat_, hmm.startprob_, hmm.history_):
        assert np.isfinite(values).all()
    prior = GaussianHMM(3, init_params="st", max_iter=1000, random_state=0, covars_prior=1e4, covars_weight=4.0)
    prior.means_, prior.covars_ = [[1100.0], [860.0], [456.0]], [[15000.0], [15000.0], [100.0]]
    prior.fit(flow)  # the remedy is one: warnings are errors here
    assert prior._covars_.min() > 1000


def test_the_pictures_show_the_series_and_its_states(flow):
    hmm = GaussianHMM(2, n_init=10, random_state=0).fit(flow)
    ax = hmm.plot(flow)
    bands = [(patch.get_x(), patch.get_x() + patch.get_width()) for patch in ax.patches]
    assert bands == [(1870.5, 1898.5), (1898.5, 1970.5)]
    series = ax.lines[-1]
    np.testing.assert_array_equal(series.get_xdata(), YEARS)
    np.testing.assert_array_equal(series.get_ydata(), FLOW)
    np.testing.assert_allclose([line.get_ydata()[0] for line in ax.lines[:2]], hmm.means_.ravel())
    history = hmm.history_.plot().lines[0].get_ydata()
    np.testing.assert_allclose(history, list(hmm.history_))
    assert (np.diff(history) > -1e-9).all()
    image = hmm.plot_posteriors(flow).images[0]
    np.testing.assert_allclose(image.get_array(), hmm.predict_proba(flow).T)
    trellis = hmm.plot_trellis(flow[20:40])
    best = next(line for line in trellis.lines if line.get_linewidth() == 2.5)
    np.testing.assert_array_equal(best.get_ydata(), hmm.predict(flow[20:40]))
    np.testing.assert_allclose(trellis.collections[0].get_array(), hmm.predict_proba(flow[20:40]).ravel())
    with pytest.raises(ValueError, match="a trellis of 100 steps cannot be read"):
        hmm.plot_trellis(flow)
