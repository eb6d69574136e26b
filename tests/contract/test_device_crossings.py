"""Learners that leave rows where they are: fit and predictions on tensors that count as elsewhere, sums alone crossing."""

import numpy as np
import pytest
from contract.cases import data, estimators, quick

from novum.base import device_forms
from novum.base.device_forms import form_of
from novum.base.discovery import all_estimators
from novum.exceptions import DataError

torch = pytest.importorskip("torch")
from elsewhere import CopiedToHost, elsewhere  # noqa: E402  needs PyTorch

pytestmark = pytest.mark.deep
N_ROWS = 200
METHODS = (
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "transform",
    "score_samples",
    "predict_joint_log_proba",
    "apply",
    "kneighbors",
)
BOOSTING = ("HistGradientBoostingClassifier", "HistGradientBoostingRegressor")
TREES = [
    f"{kind}{task}"
    for kind in ("DecisionTree", "ExtraTree", "ExtraTrees", "RandomForest")
    for task in ("Classifier", "Regressor")
]
MOST = {
    **dict.fromkeys(BOOSTING, 2 * 10**4),  # numbers at a time: histograms
    **dict.fromkeys(
        TREES, 2 * 10**4
    ),  # ends of bins, and what the nodes of trees hold, of which there are as many as rows here
}
BY_FORM: dict[str, list] = {"all": [], "predictions": [], "": []}
for one in estimators():
    BY_FORM[form_of(type(one))].append(one)


def by_name(estimator):
    return type(estimator).__name__


def test_the_guard_counts_and_refuses():
    with elsewhere(most=10) as crossed:
        torch.ones(3).numpy()
        for copy in (lambda x: x.numpy(), np.asarray, lambda x: x.tolist(), lambda x: x.cpu().numpy()):
            with pytest.raises(CopiedToHost, match="20 numbers"):
                copy(torch.ones(20))
    assert crossed[0] == 3 and crossed.count(20) == 4
    assert torch.ones(20).numpy().sum() == 20


def agrees(found, expected, name):
    """Compare what was said of a tensor with what is said of an array; distances and numbers of neighbors come as a pair."""
    if isinstance(found, tuple):
        return [agrees(a, b, name) for a, b in zip(found, expected, strict=True)]
    assert isinstance(found, torch.Tensor), name
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6, atol=1e-8, err_msg=name)


@pytest.mark.parametrize("estimator", BY_FORM["all"], ids=by_name)
def test_rows_stay(estimator):
    X, y = data(estimator, n=N_ROWS)
    rows, target = torch.tensor(X), None if y is None else torch.tensor(y)
    with elsewhere(most=MOST.get(by_name(estimator), 150)):
        model = quick(estimator).fit(rows, target)
        found = {name: getattr(model, name)(rows) for name in METHODS if hasattr(model, name)}
    expected = quick(estimator).fit(X, y)
    assert found
    for name, value in found.items():
        agrees(value, getattr(expected, name)(X), name)


@pytest.mark.parametrize("estimator", BY_FORM["predictions"], ids=by_name)
def test_rows_are_answered_where_they_are_and_a_fit_is_refused(estimator):
    X, y = data(estimator, n=N_ROWS)
    rows = torch.tensor(X)
    model = quick(estimator).fit(X, y)
    with elsewhere():
        found = {name: getattr(model, name)(rows) for name in METHODS if hasattr(model, name)}
        with pytest.raises(
            DataError, match=f"{by_name(estimator)}, whose predictions .* is fitted in the memory of the"
        ):
            quick(estimator).fit(rows, y)
    assert found
    for name, value in found.items():
        agrees(value, getattr(model, name)(X), name)


@pytest.mark.parametrize("estimator", BY_FORM[""], ids=by_name)
def test_all_others_refuse_by_name(estimator):
    X, y = data(estimator, n=N_ROWS)
    rows = torch.tensor(X)
    model = quick(estimator).fit(X, y)
    with elsewhere():
        with pytest.raises(DataError, match=rf"{by_name(estimator)} is fitted in the memory .* give X\.cpu\(\)"):
            quick(estimator).fit(rows, y)
        for name in METHODS:
            if hasattr(model, name):
                with pytest.raises(DataError, match=r"X is on a device; give X\.cpu\(\)"):
                    getattr(model, name)(rows)


def test_the_table_names_estimators():
    names = {name for name, _ in all_estimators()}
    assert names >= device_forms.ALL | device_forms.PREDICTIONS
    assert not device_forms.ALL & device_forms.PREDICTIONS
