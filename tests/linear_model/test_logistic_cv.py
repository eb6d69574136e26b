"""LogisticRegressionCV: the grid by brute force, scikit-learn's attributes, refusals."""

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegressionCV as Theirs
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

from novum.exceptions import DataError, NotConverged, ParameterError
from novum.linear_model import LogisticRegression, LogisticRegressionCV


def sample(k=2, n=120, p=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, (X @ rng.normal(size=(p, k)) + 2 * rng.gumbel(size=(n, k))).argmax(axis=1)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("sparse", [False, True])
def test_scores_are_those_of_single_fits(k, sparse):
    X, y = sample(k)
    Cs = [0.01, 1.0]
    data = scipy.sparse.csr_array(X) if sparse else X
    options = {"tol": 1e-9, "max_iter": 1000, "solver": "saga"}
    model = LogisticRegressionCV(
        Cs=Cs, l1_ratios=(0, 0.6), cv=3, scoring="neg_log_loss", use_legacy_attributes=False, **options
    )
    model.fit(data, y)
    assert model.scores_.shape == (3, 2, 2) and model.coefs_paths_.shape == (3, 2, 2, 1 if k == 2 else 3, 6)
    for f, (train, test) in enumerate(StratifiedKFold(3).split(X, y)):
        for r, ratio in enumerate((0, 0.6)):
            for c, C in enumerate(Cs):
                single = LogisticRegression(C=C, l1_ratio=ratio, **options).fit(X[train], y[train])
                assert_allclose(model.coefs_paths_[f, r, c, :, :-1], single.coef_, atol=1e-6)
                assert_allclose(model.scores_[f, r, c], -log_loss(y[test], single.predict_proba(X[test])), rtol=1e-6)
    r, c = np.unravel_index(model.scores_.sum(axis=0).argmax(), (2, 2))
    assert (model.C_, model.l1_ratio_) == (Cs[c], (0, 0.6)[r])
    assert_allclose(
        model.coef_, LogisticRegression(C=model.C_, l1_ratio=model.l1_ratio_, **options).fit(X, y).coef_, atol=1e-6
    )


@pytest.mark.filterwarnings("ignore:The max_iter was reached")  # theirs
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("refit", [True, False])
@pytest.mark.parametrize("legacy", [True, False])
@pytest.mark.parametrize("ratios", [[0.0], [0.2, 0.8]])
def test_attributes_as_in_scikit_learn(k, refit, legacy, ratios):
    X, y = sample(k)
    solver = "lbfgs" if ratios == [0.0] else "saga"
    options = {
        "Cs": [0.1, 1.0],
        "l1_ratios": np.array(ratios),
        "cv": 3,
        "refit": refit,
        "use_legacy_attributes": legacy,
    }
    options |= {"scoring": "neg_log_loss", "max_iter": 300, "tol": 1e-6, "solver": solver}
    ours, theirs = LogisticRegressionCV(**options).fit(X, y), Theirs(**options, random_state=0).fit(X, y)
    close = 1e-4 if solver == "lbfgs" else 5e-3
    for name in ("C_", "l1_ratio_", "Cs_", "l1_ratios_", "coef_", "intercept_"):
        a, b = getattr(ours, name), getattr(theirs, name)
        assert type(a) is type(b) and np.shape(a) == np.shape(b), name
        assert_allclose(a, b, atol=close)
    assert ours.n_iter_.shape == theirs.n_iter_.shape
    if not legacy:
        assert_allclose(ours.scores_, theirs.scores_, rtol=close)
        assert_allclose(ours.coefs_paths_, theirs.coefs_paths_, atol=close)
        return
    assert list(ours.scores_) == list(theirs.scores_)
    for label, scores in theirs.scores_.items():
        assert_allclose(ours.scores_[label], scores, rtol=close)
        assert_allclose(ours.coefs_paths_[label], theirs.coefs_paths_[label], atol=close)


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_defaults_are_those_of_scikit_learn():
    X, y = sample(3)
    ours, theirs = LogisticRegressionCV().fit(X, y), Theirs().fit(X, y)
    assert_allclose(ours.C_, theirs.C_)
    for label, scores in theirs.scores_.items():
        assert ours.scores_[label].shape == scores.shape
        assert ours.coefs_paths_[label].shape == theirs.coefs_paths_[label].shape
    assert ours.score(X, y) == (ours.predict(X) == y).mean()


def test_threads_do_not_change_the_result():
    X, y = sample(3)
    options = {"Cs": 4, "use_legacy_attributes": False, "l1_ratios": (0,), "scoring": "accuracy"}
    one, two = (LogisticRegressionCV(n_jobs=n, **options).fit(X, y) for n in (1, 2))
    assert (one.coefs_paths_ == two.coefs_paths_).all() and (one.scores_ == two.scores_).all()


@pytest.mark.deep
def test_refusals_and_warnings():
    X, y = sample()
    with pytest.raises(ParameterError, match="l1_ratios must be an array-like of numbers between 0 and 1"):
        LogisticRegressionCV(l1_ratios=(0.5, 2), solver="saga").fit(X, y)
    with pytest.raises(ParameterError, match="Solver lbfgs supports only"):
        LogisticRegressionCV(l1_ratios=(0.5,)).fit(X, y)
    with pytest.warns(NotConverged, match="lbfgs failed to converge"):
        LogisticRegressionCV(max_iter=1, tol=1e-12, Cs=2).fit(X, y)
    torch = pytest.importorskip("torch")
    with pytest.raises(DataError, match="takes data in memory"):
        LogisticRegressionCV().fit(torch.tensor(X), torch.tensor(y))
