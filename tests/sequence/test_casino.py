"""The dishonest casino: both dice are found again, and the pictures show what the model says."""

import numpy as np
from numpy.testing import assert_allclose
from sequence.nile import FLOW, YEARS

from novum.sequence import CategoricalHMM, GaussianHMM

FAIR, LOADED = np.full(6, 1 / 6), np.array([0.1, 0.1, 0.1, 0.1, 0.1, 0.5])


def test_both_dice_and_when_they_were_used():
    truth = CategoricalHMM(2, random_state=0)
    truth.startprob_, truth.transmat_ = [1.0, 0.0], [[0.97, 0.03], [0.06, 0.94]]
    truth.emissionprob_ = np.stack([FAIR, LOADED])
    rolls, dice = truth.sample(20_000)
    model = CategoricalHMM(2, n_init=3, random_state=0).fit(rolls)
    order = np.argsort(model.emissionprob_[:, 5])
    assert_allclose(model.emissionprob_[order], [FAIR, LOADED], atol=0.03)
    assert_allclose(model.transmat_[np.ix_(order, order)], truth.transmat_, atol=0.02)
    shares = truth.predict_proba(rolls)
    # posteriors are calibrated: among rolls with a share of about p, p of them were the loaded die
    for low in (0.1, 0.4, 0.7):
        near = (shares[:, 1] > low) & (shares[:, 1] < low + 0.2)
        assert_allclose(dice[near].mean(), shares[near, 1].mean(), atol=0.06)
    # each state the likelier one is wrong least often, the best path is the likeliest as a whole
    assert (shares.argmax(axis=1) == dice).mean() >= (truth.predict(rolls) == dice).mean()
    image = model.plot_posteriors(rolls[:300]).images[0]
    assert_allclose(image.get_array(), model.predict_proba(rolls[:300]).T)
    bands = model.plot(rolls[:300]).patches
    path = model.predict(rolls[:300])
    assert len(bands) == 1 + np.count_nonzero(np.diff(path))


def test_a_series_with_gaps_is_drawn_with_its_gaps():
    import pandas as pd

    gap = pd.Series(FLOW, index=YEARS, name="volume")
    gap.loc[1895:1904] = np.nan
    model = GaussianHMM(2, n_init=10, random_state=0).fit(gap)
    ax = model.plot(gap)
    drawn = ax.lines[-1].get_ydata()
    assert np.isnan(drawn).sum() == 10 and ax.get_ylabel() == "volume"
    assert_allclose(
        [patch.get_width() for patch in ax.patches],
        np.diff(np.r_[0, np.flatnonzero(np.diff(model.predict(gap))) + 1, 100]),
    )
