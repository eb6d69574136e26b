import os
import stat
import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    AdaBoostClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, ExtraTreeRegressor

import novum
from novum.base.discovery import all_estimators
from novum.base.history import History
from novum.exceptions import FileFormatError
from novum.linear_model import LinearRegression, Ridge
from novum.naive_bayes import GaussianNB
from novum.persistence import files
from novum.persistence.files import load, save, saved_with

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
target = X @ [1.0, -2.0, 0.5] + rng.normal(size=60)
label = np.where(target > 0, "yes", "no")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.novum"


class Mine(BaseEstimator):
    """A class that novum does not know."""

    def fit(self, X, y=None):
        return self


class Watch:
    def setup(self, estimator, context): ...
    def teardown(self, estimator, context): ...
    def on_fit_task_begin(self, estimator, context): ...
    def on_fit_task_end(self, estimator, context): ...


# ---------------------------------------------------------------------------------------------------- round trips


@pytest.mark.parametrize(
    "model, y",
    [
        (LinearRegression(), target),
        (Ridge(alpha=0.3), np.column_stack([target, -target])),
        (GaussianNB(), label),
        (make_pipeline(StandardScaler(), Ridge()), target),
        (make_pipeline(StandardScaler(), GaussianNB()), label),
        (GridSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, cv=2), target),
        (VotingClassifier([("a", GaussianNB()), ("b", LogisticRegression())]), label),
        (CalibratedClassifierCV(GaussianNB(), cv=2), label),
        (make_pipeline(SimpleImputer(), Ridge()), target),  # has one dtype twice
        (SGDClassifier(random_state=0), label),
        (DecisionTreeClassifier(random_state=0), label),
        (ExtraTreeRegressor(random_state=0), np.column_stack([target, -target])),
        (DecisionTreeClassifier(max_leaf_nodes=7, random_state=0), np.column_stack([label, label[::-1]])),
        (RandomForestClassifier(5, random_state=0), label),
        (AdaBoostClassifier(n_estimators=5, random_state=0), label),
        (HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=2), label),
        (HistGradientBoostingRegressor(max_iter=5, min_samples_leaf=2, random_state=0), target),
        (GaussianProcessRegressor(RBF() + WhiteKernel()), target),
        (LogisticRegression(random_state=np.random.RandomState(0)), label),
    ],
    ids=lambda value: type(value).__name__,
)
def test_predictions_are_bit_equal(model, y, path):
    model = clone(model).fit(X, y)
    before = model.predict(X)
    assert save(model, path) == path
    loaded = load(path)
    assert type(loaded) is type(model)
    after = loaded.predict(X)
    np.testing.assert_array_equal(before, after)
    assert before.dtype == after.dtype
    if hasattr(model, "predict_proba"):
        np.testing.assert_array_equal(np.asarray(model.predict_proba(X)), np.asarray(loaded.predict_proba(X)))


@pytest.mark.parametrize("name, cls", all_estimators())
def test_every_estimator_can_be_saved_before_it_is_fitted(name, cls, path):
    try:
        model = cls()
    except TypeError:
        pytest.skip("has a required parameter")
    assert load(save(model, path)).get_params() == model.get_params()


def test_mixed_columns_sparse_attributes_and_frames(path):
    import pandas as pd

    frame = pd.DataFrame({"city": ["a", "b", "c"] * 20, "x": X[:, 0], "z": X[:, 1]})
    parts = [("one", OneHotEncoder(dtype=np.float32), ["city"]), ("two", StandardScaler(), ["x"])]
    model = make_pipeline(ColumnTransformer(parts, remainder="passthrough"), Ridge()).fit(frame, target)
    np.testing.assert_array_equal(load(save(model, path)).predict(frame), model.predict(frame))
    linear = LogisticRegression().fit(X, label).sparsify()
    assert sparse.issparse(linear.coef_)
    np.testing.assert_array_equal(load(save(linear, path)).predict(X), linear.predict(X))


@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64])
def test_random_states_go_on_where_they_stood(bits, path):
    for state in (np.random.Generator(bits(3)), np.random.RandomState(3)):
        state.random(5)
        loaded = load(save(Ridge(random_state=state), path)).random_state
        np.testing.assert_array_equal(loaded.random(5), state.random(5))


def test_history_is_saved_as_plain_lists(path):
    model = Ridge().fit(X, target)
    model.history_ = History([3.0, 2.0], {"step": [0.5, 0.25]}, name="loss")
    assert load(save(model, path)).history_ == model.history_


def test_callbacks_are_dropped_everywhere_and_kept_in_memory(path):
    inner = StandardScaler().set_callbacks(Watch())
    model = make_pipeline(inner, Ridge()).set_callbacks(Watch()).fit(X, target)
    loaded = load(save(model, path))
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert not hasattr(loaded, "_skl_callbacks") and not hasattr(loaded[0], "_skl_callbacks")
    assert hasattr(model, "_skl_callbacks") and hasattr(model[0], "_skl_callbacks")


def test_top_level_names_and_versions(path):
    novum.save(Ridge(), str(path))
    assert isinstance(novum.load(str(path)), Ridge)
    recorded = saved_with(path)
    assert recorded["novum"] == novum.__version__
    assert recorded["numpy"] == np.__version__
    assert {"scikit-learn", "scipy", "skops", "format"} <= recorded.keys()


def test_any_extension_will_do(tmp_path):
    assert isinstance(load(save(Ridge(), tmp_path / "model.pickle")), Ridge)
    assert isinstance(load(save(Ridge(), tmp_path / "model")), Ridge)


# ---------------------------------------------------------------------------------------------------- what is not saved


@pytest.mark.parametrize(
    "model, named",
    [
        (Mine(), "Mine"),
        (make_pipeline(StandardScaler(), Mine()), "Mine"),
        (GridSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, cv=2, scoring="r2").fit(X, target), "r2_score"),
        (FunctionTransformer(np.log1p), "log1p"),
        (FunctionTransformer(lambda x: x), "lambda"),
        (GradientBoostingClassifier(n_estimators=2).fit(X, label), "GradientBoostingClassifier"),
        (Ridge(alpha=sys.intern), "intern"),
        (Ridge(random_state=np.random.RandomState(np.random.PCG64(0))), "must be for a MT19937"),
    ],
)
def test_what_could_not_be_loaded_is_not_saved(model, named, path):
    with pytest.raises(FileFormatError, match=rf"(?s)model\.novum: .*{named}"):
        save(model, path)
    assert os.listdir(path.parent) == []


@pytest.mark.parametrize("thing", [3, Ridge, {"a": 1}, None])
def test_only_estimators_are_saved(thing, path):
    with pytest.raises(FileFormatError, match="is not an estimator"):
        save(thing, path)
    assert os.listdir(path.parent) == []


# ---------------------------------------------------------------------------------------------------- writing


def test_a_failed_write_leaves_the_old_file(path, monkeypatch):
    save(Ridge(alpha=1.0), path)
    for name in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(files.os, name, lambda *args: (_ for _ in ()).throw(OSError("disk full")))
            with pytest.raises(OSError, match="disk full"):
                save(Ridge(alpha=2.0), path)
        assert os.listdir(path.parent) == ["model.novum"]
        assert load(path).alpha == 1.0
    save(Ridge(alpha=2.0), path)
    assert load(path).alpha == 2.0


def test_missing_files_and_folders_are_the_systems_errors(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing.novum")
    with pytest.raises(FileNotFoundError):
        save(Ridge(), tmp_path / "nowhere" / "model.novum")
    with pytest.raises(OSError):
        load(tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="needs links and modes")
def test_links_and_permissions_are_those_of_the_system(tmp_path):
    (tmp_path / "store").mkdir()
    link = tmp_path / "link.novum"
    link.symlink_to(tmp_path / "store" / "model.novum")
    save(Ridge(), link)
    assert link.is_symlink() and isinstance(load(link), Ridge)
    plain = tmp_path / "plain"
    plain.touch()
    assert stat.S_IMODE(os.stat(link).st_mode) == stat.S_IMODE(os.stat(plain).st_mode)


def test_a_missing_folder_and_what_saves_itself_are_named(tmp_path):
    from novum.linear_model import LinearRegression

    class Diary:
        def save(self, path): ...

    with pytest.raises(FileNotFoundError, match="there is no folder") as caught:
        novum.save(LinearRegression(), tmp_path / "nowhere" / "line.novum")
    assert caught.value.filename == str(tmp_path / "nowhere" / "line.novum")
    with pytest.raises(FileFormatError, match=r"It has a method of its own: save\(path\)"):
        novum.save(Diary(), tmp_path / "diary.novum")
