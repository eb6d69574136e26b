"""Our own contract, kept by every public estimator."""

import inspect
import pickle
import re

import numpy as np
import pytest
from contract.cases import (
    RESAMPLING,
    ROUNDED,
    STEPPING,
    TRANSDUCTIVE,
    briefly,
    data,
    estimators,
    learned,
    many_rows,
    outputs,
    quick,
    same,
    without_a_table,
)
from forking import fork_and_run, forks
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import has_fit_parameter
from threadpoolctl import threadpool_limits

from novum.base.estimator import Estimator
from novum.exceptions import DataError, FileFormatError, ParameterError
from novum.persistence.files import load, save

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*binary units are 0, 1 or probabilities"
)  # rows of any numbers are given too

WIDTHS = (
    "init",
    "means_init",
    "probabilities_init",
    "components",
    "centers",
)  # settings that fix the number of columns
ALL = pytest.mark.parametrize("estimator", estimators(), ids=lambda e: type(e).__name__)
WEIGHTED = pytest.mark.parametrize(
    "estimator", [e for e in estimators() if has_fit_parameter(e, "sample_weight")], ids=lambda e: type(e).__name__
)


@WEIGHTED
def test_weights_equal_repetition(estimator):
    if type(estimator).__name__ in STEPPING + RESAMPLING + TRANSDUCTIVE:
        return
    X, y = data(estimator)
    w = np.random.default_rng(1).integers(0, 4, len(X))
    repeated = (np.repeat(X, w, axis=0), None if y is None else np.repeat(y, w, axis=0))
    a, b = quick(estimator).fit(X, y, sample_weight=w), quick(estimator).fit(*repeated)
    name = type(estimator).__name__
    without = ("predict",) if name == "OneClassSVM" else ()  # free support vectors lie on the rim: rounding decides
    same(outputs(a, X, without), outputs(b, X, without), rtol=ROUNDED.get(name, 1e-9), atol=1e-12)


@WEIGHTED
def test_zero_weight_is_absence(estimator):
    if type(estimator).__name__ in TRANSDUCTIVE:
        return
    X, y = data(estimator)
    w = np.arange(len(X)) % 2
    wild = np.where(w[:, None] == 0, 1e100, X)
    a = quick(estimator).fit(wild, y, sample_weight=w)
    b = quick(estimator).fit(X[w == 1], None if y is None else y[w == 1])
    same(outputs(a, X), outputs(b, X), rtol=1e-8, atol=1e-10)


@ALL
@pytest.mark.filterwarnings("ignore:Maximum number of iteration")  # equal rows of two classes, as bool has them
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int32", "bool", ">f8"])
def test_dtypes(estimator, dtype):
    X, y = data(estimator)
    X = (X > 0) if dtype == "bool" else (X * 4).astype(dtype)
    fitted = quick(estimator).fit(X, y)
    expected = np.float32 if dtype in ("float32", "float16") else np.float64
    results = outputs(fitted, X)
    for name in ("predict_proba", "transform", "score_samples"):
        assert name not in results or results[name].dtype == expected
    if is_regressor(estimator):
        assert results["predict"].dtype == expected


@ALL
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "pandas-nullable"])
def test_frames_in(estimator, library):
    X, y = data(estimator)
    names = ["a", "b", "c"]
    if library == "pyarrow":
        import pyarrow

        frame = pyarrow.table({name: X[:, j] for j, name in enumerate(names)})
    else:
        pd = pytest.importorskip(library.partition("-")[0])
        frame = pd.DataFrame({name: X[:, j] for j, name in enumerate(names)})
        frame = frame.astype("Float64") if library == "pandas-nullable" else frame
    fitted, plain = quick(estimator).fit(frame, y), quick(estimator).fit(X, y)
    assert list(fitted.feature_names_in_) == names
    same(outputs(fitted, frame), outputs(plain, X), rtol=0, atol=0)


@ALL
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_out(estimator, library):
    if not hasattr(estimator, "transform"):
        assert not hasattr(estimator, "set_output")
        return
    X, y = data(estimator)
    out = quick(estimator).set_output(transform=library).fit(X, y).transform(X)
    assert type(out).__module__.startswith(library) and out.shape[0] == len(X)


@ALL
def test_layouts_give_the_same_bits(estimator):
    X, y = data(estimator)
    read_only = X.copy()
    read_only.flags.writeable = False
    wide = np.zeros((2 * len(X), 6))
    wide[::2, ::2] = X
    plain = quick(estimator).fit(X, y)
    for layout in (np.asfortranarray(X), read_only, wide[::2, ::2], X[::-1][::-1]):
        other = quick(estimator).fit(layout, y)
        same(learned(other), learned(plain), rtol=0, atol=0)
        same(outputs(other, layout), outputs(plain, X), rtol=0, atol=0)


@ALL
def test_threads_do_not_change_the_bits(estimator):
    X, y = data(estimator, n=many_rows(estimator))
    fits = []
    for threads in (1, 2, 5):
        with threadpool_limits(threads):
            model = quick(estimator)
            if "n_jobs" in model.get_params():
                model.set_params(n_jobs=threads)
            fits.append(model.fit(X, y))
    for other in fits[1:]:
        same(learned(other), learned(fits[0]), rtol=0, atol=0)
        same(outputs(other, X), outputs(fits[0], X), rtol=0, atol=0)


@forks
@ALL
def test_fit_after_a_fork(estimator):
    X, y = data(estimator, n=many_rows(estimator))
    parent = learned(quick(estimator).fit(X, y))
    assert fork_and_run(lambda: same(learned(quick(estimator).fit(X, y)), parent, rtol=0, atol=0)) == 0


@ALL
def test_fit_changes_nothing_when_it_fails(estimator):
    X, y = data(estimator)
    model = quick(estimator)
    bad = X.copy()
    bad[3, 1] = np.nan
    for fitted in (False, True):
        before = dict(vars(model))
        if not model.__sklearn_tags__().input_tags.allow_nan:
            with pytest.raises(ValueError, match="Input X contains NaN"):
                model.fit(bad, y)
        if has_fit_parameter(model, "sample_weight"):
            with pytest.raises(ValueError, match=r"inconsistent|expected"):
                model.fit(X, y, sample_weight=np.ones(len(X) + 1))
        assert vars(model).keys() == before.keys() and all(vars(model)[k] is before[k] for k in before)
        if not fitted:
            if model.__sklearn_tags__().requires_fit:
                with pytest.raises(NotFittedError):
                    outputs(model, X)
            model.fit(X, y)


@ALL
def test_bad_data_gets_scikit_learns_words(estimator):
    X, y = data(estimator)
    name = type(estimator).__name__
    model = quick(estimator)
    cases = [
        (X[:0], None if y is None else y[:0], r"Found array with 0 sample\(s\)"),
        (X[:, :0], y, r"Found array with 0 feature\(s\)"),
        (X[0], y, "Expected 2D array, got 1D array instead"),
        (X * 1j, y, "Complex data not supported"),
        (np.where(X.max() == X, np.inf, X), y, "Input X contains infinity"),
        (
            np.array([["a", "b", "c"]] * len(X)),
            y,
            "could not convert string to float|dtype='numeric' is not compatible",
        ),
    ]
    for bad, target, words in cases:
        if "infinity" in words and name == "HDBSCAN":
            continue  # rows with gaps are in no cluster
        with pytest.raises(ValueError, match=words):
            model.fit(bad, target)
    weights = ((-np.ones(len(X)), "Negative values in data"), (np.zeros(len(X)), "at least one non-zero"))
    for weight, words in weights if has_fit_parameter(model, "sample_weight") and name != "DBSCAN" else ():
        with pytest.raises(ValueError, match=f"(?s){words}.*{name}"):
            model.fit(X, y, sample_weight=weight)
    if name in TRANSDUCTIVE:
        return
    fitted = quick(estimator).fit(X, y)
    with pytest.raises(ValueError, match=f"X has 2 features, but {name} is expecting 3 features"):
        outputs(fitted, X[:, :2])


@ALL
def test_every_parameter_has_a_domain_that_refuses(estimator):
    X, y = data(estimator)
    assert set(estimator.get_params(deep=False)) == set(type(estimator)._domains)
    for name in type(estimator)._domains:
        model = quick(estimator).set_params(**{name: object()})
        with pytest.raises(
            ParameterError, match=f"The '{name}' parameter of {type(estimator).__name__} must be .* Got <object"
        ):
            model.fit(X, y)


@ALL
def test_clone_repr_html_pickle(estimator):
    X, y = data(estimator)
    model = quick(estimator).fit(X, y)
    copy = clone(model)
    assert not learned(copy) and copy.get_params().keys() == model.get_params().keys()
    assert type(model).__name__ in repr(model)
    assert "<div" in model._repr_html_()
    same(outputs(pickle.loads(pickle.dumps(model)), X), outputs(model, X), rtol=0, atol=0)


def saved_and_loaded(model, path):
    """Return a model that went through a file."""
    try:
        return load(save(model, path))
    except FileFormatError as error:
        error.add_note("Attributes of a model are declared by `python tools/model_attributes.py <files of its tests>`.")
        raise


@ALL
def test_saved_and_loaded(estimator, tmp_path):
    X, y = data(estimator)
    model = quick(estimator).fit(X, y)
    again = saved_and_loaded(model, tmp_path / "model.novum")
    same(outputs(again, X), outputs(model, X), rtol=0, atol=0)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "args"), without_a_table(), ids=lambda value: value if isinstance(value, str) else "")
def test_saved_and_loaded_without_a_table(name, args, tmp_path):
    model = briefly(name).fit(*args)
    again = saved_and_loaded(model, tmp_path / "model.novum")
    assert type(again) is type(model) and vars(again).keys() == vars(model).keys()


@ALL
def test_callbacks_hear_of_a_fit_alone_and_in_a_search(estimator):
    from sklearn.model_selection import GridSearchCV

    class Listener:
        heard = 0

        def setup(self, estimator, context): ...
        def teardown(self, estimator, context): ...
        def on_fit_task_begin(self, estimator, context): ...
        def on_fit_task_end(self, estimator, context):
            Listener.heard += 1

    X, y = data(estimator)
    quick(estimator).set_callbacks(Listener()).fit(X, y)
    assert Listener.heard >= 1
    if hasattr(estimator, "score"):
        search = GridSearchCV(quick(estimator).set_callbacks(Listener()), {}, cv=2).fit(X, y)
        assert hasattr(search.best_estimator_, "n_features_in_")


@ALL
def test_documented(estimator):
    doc = inspect.getdoc(type(estimator)) or ""
    for section in ("Parameters", "Attributes", "Examples", ">>> "):
        assert section in doc
    parameters, attributes = doc.split("Attributes\n-----")[0], doc.split("Attributes\n-----")[1]
    for name in estimator.get_params(deep=False):
        assert name in parameters
    X, y = data(estimator)
    attributes += inspect.getdoc(Estimator) or ""  # what every estimator has is written once
    for name in learned(quick(estimator).fit(X, y)):
        assert name in attributes, name


@ALL
@pytest.mark.filterwarnings("ignore:.*the rows vary along 3 directions")  # independent components of four columns
def test_one_class_or_constant_columns(estimator):
    X, y = data(estimator)
    constant = np.column_stack([X, np.full(len(X), 0.1)])
    given = [value for name, value in quick(estimator).get_params(deep=False).items() if name in WIDTHS]
    if not any(isinstance(value, np.ndarray | list) for value in given):
        model, without = quick(estimator).fit(constant, y), ()
        if (
            type(estimator).__name__ == "LinearDiscriminantAnalysis"
        ):  # it classifies, but its plain covariance is singular
            without = ("score_samples",)
            with pytest.raises(DataError, match="a covariance is singular, so densities do not exist; give shrinkage"):
                model.score_samples(constant)
        said = outputs(model, constant, without).values()
        assert all(np.isfinite(v).all() for v in said if v.dtype.kind == "f")
    if not is_classifier(estimator):
        return
    try:
        assert set(quick(estimator).fit(X, np.zeros(len(X))).predict(X)) == {0.0}
    except DataError as refusal:  # a model of differences between classes, as in scikit-learn
        assert re.search("at least 2 classes|number of classes has to be greater than one; got 1 class", str(refusal))
