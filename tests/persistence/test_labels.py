"""Every classifier is saved and loaded with labels of any kind, every regressor at its defaults: the same predictions."""

import warnings

import numpy as np
import pytest

import novum
from novum.base.discovery import all_estimators

rng = np.random.default_rng(0)
X = np.abs(rng.normal(size=(40, 4)))
side = (X[:, 0] > np.median(X[:, 0])).astype(int)
LABELS = {
    "text": np.where(side, "yes", "no"),
    "objects": np.where(side, "yes", "no").astype(object),
    "numbers": side * 7 + 3,
    "whole floats": side * 2.0,
    "truth values": side.astype(bool),
}
SLOW = {"MLPClassifier", "MLPRegressor", "MultipleKernelLearning"}


def kinds(kind):
    return [cls for _, cls in all_estimators(kind) if not getattr(cls, "_needs_torch", False)]


def same_after(model, rows, path):
    loaded = novum.load(novum.save(model, path))
    before, after = model.predict(rows), loaded.predict(rows)
    assert before.dtype == after.dtype and np.array_equal(before, after)


@pytest.mark.parametrize("cls", kinds("classifier"), ids=lambda cls: cls.__name__)
def test_classifiers_with_labels_of_any_kind(tmp_path, cls):
    rows = (2 * X).astype(int) if cls.__name__ in ("CategoricalNB", "JointTableClassifier", "FindS") else X
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for labels in [LABELS["text"]] if cls.__name__ in SLOW else LABELS.values():
            same_after(cls().fit(rows, labels), rows, tmp_path / "model.novum")
        with pytest.raises(ValueError, match=r"[Uu]nknown label type"):  # 0.3 and 0.1 + 0.2 are no classes
            cls().fit(rows, np.where(side, 0.1 + 0.2, 0.3))


@pytest.mark.parametrize("cls", kinds("regressor"), ids=lambda cls: cls.__name__)
def test_regressors(tmp_path, cls):
    target = np.column_stack([X[:, 0] + 0.1] * (2 if cls.__name__.startswith("MultiTask") else 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        same_after(cls().fit(X, target if target.shape[1] > 1 else target[:, 0]), X, tmp_path / "model.novum")
