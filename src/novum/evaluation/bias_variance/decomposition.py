r"""Bias, variance and noise of a learner, over training sets.

y_D(x) is the prediction after training on D, f(x) = E[t | x], t = f(x) + noise. For squared loss, with mean(x) = E_D[y_D(x)],

    E[(t - y_D(x))^2] = (f(x) - mean(x))^2 + E_D[(y_D(x) - mean(x))^2] + sigma^2                   (1)
                         bias^2               variance                  noise

For 0-1 loss (Domingos 2000) the main prediction m(x) is the most frequent one and y*(x) the best label:

    B(x) = [m(x) != y*(x)],   V(x) = P_D(y_D(x) != m(x)),   N(x) = P(t != y*(x))                   (2)
    E[loss] = B + c V  without noise:  c = 1 where B = 0,  c = -P_D(y_D = y* | y_D != m) where B = 1   (3)

so that variance helps where the main prediction is wrong. Training sets come from a sampler or from fresh noise on given rows
(then f is known), or by bootstrap from the rows at hand (then the labels stand for f, and the noise hides in the bias). A linear
smoother with matrix S on fixed rows needs no simulation:

    bias(x) = s(x)' f - f(x),   variance(x) = sigma^2 |s(x)|^2                                     (4)
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from novum.evaluation.bias_variance.result import BiasVariance, BiasVarianceCurve
from novum.evaluation.bias_variance.smoothers import smoother_matrix
from novum.exceptions import DataError, ParameterError
from novum.runtime.checks import check_choice, check_count, check_number
from novum.runtime.random import seed_of
from novum.runtime.sklearn_private import take_rows
from novum.runtime.typing import Fittable, Numbers, Rows, Seed, Target

__all__ = ["bias_variance_decomposition", "exact_parts", "squared_parts", "zero_one_parts"]

METHODS = ("auto", "exact", "fresh", "bootstrap")


class Setting(NamedTuple):
    """Where training sets come from and what predictions are compared with."""

    X: Any
    y: Any
    X_test: Any
    truth: NDArray  # f or y* at the test points
    noise: float  # variance of t around f, or probability that t differs from y*
    sampler: Callable | None
    f_train: NDArray | None  # f at X, for fresh noise


def squared_parts(predictions: NDArray, truth: NDArray) -> tuple[NDArray, NDArray]:
    """Return bias^2 and variance of (1) at every point from predictions (repeats, points)."""
    mean = predictions.mean(0)
    return (truth - mean) ** 2, ((predictions - mean) ** 2).mean(0)


def zero_one_parts(predictions: NDArray, truth: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """Return B, V and c V of (2), (3) at every point; ties of the main prediction go to the label that sorts first."""
    labels = np.unique(predictions)
    share = np.stack([(predictions == label).mean(0) for label in labels])  # (labels, points)
    main = labels[share.argmax(0)]
    bias = (main != truth).astype(np.float64)
    variance = 1 - share.max(0)
    right = (predictions == truth).mean(0)  # where biased, every right prediction is one that differs from the main one
    return bias, variance, np.where(bias == 0, variance, -right)


def exact_parts(S: NDArray, f_train: NDArray, truth: NDArray, noise: float) -> tuple[NDArray, NDArray, NDArray]:
    """Return bias^2, variance and mean prediction (4)."""
    mean = S @ f_train
    return (mean - truth) ** 2, noise * (S**2).sum(1), mean


def training_set(setting: Setting, method: str, rng: np.random.Generator) -> tuple[Any, Any, Any]:
    """Return a training set, and which rows it was drawn from where it is a bootstrap sample."""
    if method == "bootstrap":
        n = np.shape(setting.X)[0]
        rows = rng.integers(n, size=n)
        return take_rows(setting.X, rows), take_rows(setting.y, rows), rows
    if setting.sampler is not None:
        drawn = setting.sampler(rng)
        if not isinstance(drawn, tuple | list) or len(drawn) != 2:
            raise DataError(
                f"bias_variance_decomposition(sampler=...): it must return a pair (X, y); got {type(drawn).__name__}."
            )
        return drawn[0], drawn[1], None
    if setting.f_train is None:
        raise ParameterError("bias_variance_decomposition(method='fresh'): give a sampler, or X with truth and noise.")
    return setting.X, setting.f_train + np.sqrt(setting.noise) * rng.normal(size=len(setting.f_train)), None


def simulate_predictions(
    estimator: Any, setting: Setting, method: str, n_repeats: int, seed: int, own_rows: bool
) -> NDArray:
    """Return predictions (repeats, points); NaN where a bootstrap sample holds the row that is predicted."""
    out = []
    for repeat in range(n_repeats):
        rng = np.random.default_rng([seed, repeat])  # the same training sets for every value of a parameter
        X, y, rows = training_set(setting, method, rng)
        predicted = np.asarray(clone(estimator).fit(X, y).predict(setting.X_test))
        if own_rows and rows is not None:
            predicted = predicted.astype(object if predicted.dtype.kind not in "fiub" else np.float64)
            predicted[np.unique(rows)] = np.nan
        out.append(predicted)
    return np.array(out)


def out_of_bag_parts(predictions: NDArray, truth: NDArray, loss: str) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """Return bias, variance, signed variance and mean per row, from the repeats that left the row out."""
    parts = []
    for column, target in zip(predictions.T, truth):
        seen = np.array([value for value in column if not (isinstance(value, float) and np.isnan(value))])
        if len(seen) == 0:
            continue  # a row that was in every sample says nothing
        if loss == "squared":
            bias, variance = squared_parts(seen[:, None].astype(float), np.array([target]))
            parts.append((bias[0], variance[0], variance[0]))
        else:
            parts.append(tuple(part[0] for part in zero_one_parts(seen[:, None], np.array([target]))))
    if not parts:
        raise DataError("bias_variance_decomposition: no row was left out of a bootstrap sample; raise n_repeats.")
    bias, variance, signed = (np.array(part) for part in zip(*parts))
    return bias, variance, signed, np.empty(0)


def decompose(
    estimator: Any, setting: Setting, loss: str, method: str, n_repeats: int, seed: int, own_rows: bool
) -> BiasVariance:
    """Return the parts for one learner."""
    truth = setting.truth
    if method == "exact":
        S = smoother_matrix(estimator, setting.X, setting.X_test)
        if setting.f_train is None:
            raise ParameterError("bias_variance_decomposition(method='exact'): give X, truth (a function) and noise.")
        bias, variance, mean = exact_parts(S, setting.f_train, truth, setting.noise)
        signed, predictions = variance, mean[None]
    else:
        predictions = simulate_predictions(estimator, setting, method, n_repeats, seed, own_rows)
        if own_rows:
            method = "out of bag"
            bias, variance, signed, _ = out_of_bag_parts(predictions, truth, loss)
        elif loss == "squared":
            bias, variance = squared_parts(predictions, truth)
            signed = variance
        else:
            bias, variance, signed = zero_one_parts(predictions, truth)
    return BiasVariance(
        bias_by_point=bias,
        variance_by_point=variance,
        signed_by_point=signed,
        noise=setting.noise,
        predictions=predictions,
        truth=truth,
        points=setting.X_test,
        loss=loss,
        method=method,
    )


def bias_variance_decomposition(
    estimator: Fittable,
    X: Rows | None = None,
    y: Target = None,
    *,
    X_test: Numbers | None = None,
    y_test: Numbers | None = None,
    truth: Callable | None = None,
    noise: float | None = None,
    sampler: Callable | None = None,
    loss: str = "squared",
    method: str = "auto",
    n_repeats: int = 100,
    parameter: str | None = None,
    values: Any = None,
    random_state: Seed = 0,
) -> Any:
    """Split the expected loss of a learner into bias, variance and noise.

    Parameters
    ----------
    estimator : estimator
    X, y : array-like, default=None
        Rows to resample (bootstrap), or X alone with `truth` and `noise`: fresh noise on these rows.
    X_test : array-like, default=None
        Where predictions are judged; X by default, each row then only by bootstrap samples that left it out.
    y_test : array-like, default=None
        Labels there, where `truth` is not known.
    truth : callable, default=None
        f: rows to expected targets, or to best labels.
    noise : float, default=None
        Standard deviation of t around f; for 0-1 loss the probability that a label is not the best one (reported, and added for two
        classes as Domingos does). Needed with `truth`.
    sampler : callable, default=None
        `sampler(rng)` draws a training set (X, y).
    loss : {"squared", "zero-one"}
    method : {"auto", "exact", "fresh", "bootstrap"}
        "exact" is from the matrix of a learner that is linear in y, on fixed rows; "auto": fresh training sets where they can be
        had, else bootstrap.
    n_repeats : int, default=100
        Training sets.
    parameter : str, default=None
        A parameter of the estimator to vary over `values`: the result is then a curve.
    values : sequence, default=None
    random_state : int, Generator, RandomState, SeedSequence or None, default=0

    Returns
    -------
    BiasVariance, or BiasVarianceCurve where a parameter varies
        `bias`, `variance`, `noise`, `total`, and the same at every point; `plot()`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import PolynomialFeatures
    >>> from novum.evaluation import bias_variance_decomposition
    >>> from novum.linear_model import LinearRegression
    >>> line = make_pipeline(PolynomialFeatures(1), LinearRegression())
    >>> x = np.linspace(0, 1, 10)[:, None]
    >>> f = lambda x: np.sin(2 * np.pi * x[:, 0])
    >>> parts = bias_variance_decomposition(line, x, X_test=[[0.3]], truth=f, noise=0.3, method="exact")
    >>> round(parts.bias, 6), round(parts.variance, 6), round(parts.total, 6)
    (0.464175, 0.012535, 0.56671)
    """
    owner = "bias_variance_decomposition"
    check_choice(owner, "loss", loss, ("squared", "zero-one"))
    check_choice(owner, "method", method, METHODS)
    repeats = check_count(owner, "n_repeats", n_repeats, 2)
    setting, method, own_rows = sampling_plan(
        owner,
        X=X,
        y=y,
        X_test=X_test,
        y_test=y_test,
        truth=truth,
        noise=noise,
        sampler=sampler,
        loss=loss,
        method=method,
    )
    seed = int(np.random.default_rng(seed_of(random_state)).integers(2**32))
    if (parameter is None) != (values is None):
        raise ParameterError(f"{owner}: `parameter` and `values` go together.")
    if parameter is None:
        return decompose(estimator, setting, loss, method, repeats, seed, own_rows)
    parts = [
        decompose(clone(estimator).set_params(**{parameter: value}), setting, loss, method, repeats, seed, own_rows)
        for value in values
    ]
    if not parts:
        raise ParameterError(f"{owner}(values={values!r}): pass at least one value.")
    return BiasVarianceCurve(parameter, list(values), parts)


def sampling_plan(
    owner: str, X: Any, y: Any, X_test: Any, y_test: Any, truth: Any, noise: Any, sampler: Any, loss: str, method: str
) -> tuple[Setting, str, bool]:
    """Return where training sets come from, the method, and whether rows are judged by samples that left them out."""
    if sampler is None and X is None:
        raise ParameterError(f"{owner}: give X (with y, or with truth and noise), or a sampler.")
    if method == "auto":
        method = "fresh" if sampler is not None or (y is None and truth is not None) else "bootstrap"
    if method == "bootstrap" and (X is None or y is None):
        raise ParameterError(
            f"{owner}(method='bootstrap'): give X and y; fresh samples need truth and noise, or a sampler."
        )
    points = X if X_test is None else np.asarray(X_test, dtype=float) if isinstance(X_test, list) else X_test
    if points is None:
        raise ParameterError(f"{owner}: give X_test, the points where predictions are judged.")
    own_rows = method == "bootstrap" and X_test is None
    if truth is None and y_test is None and not own_rows:
        raise ParameterError(f"{owner}: give truth, or the labels y_test of X_test.")
    if truth is not None and noise is None:
        raise ParameterError(f"{owner}: with truth give noise too.")
    level = 0.0 if noise is None else check_number(owner, "noise", noise, 0)
    variance = level**2 if loss == "squared" else level
    target = np.asarray(truth(points) if truth is not None else y if own_rows else y_test)
    if target.shape != (np.shape(points)[0],):
        raise DataError(f"{owner}: truth or y_test has shape {target.shape} for {np.shape(points)[0]} points.")
    if loss == "squared" and target.dtype.kind not in "biuf":
        raise DataError(f"{owner}(loss='squared'): y holds labels, not numbers; give loss='zero-one'.")
    fixed = truth is not None and sampler is None and y is None and loss == "squared"
    return (
        Setting(X, y, points, target, variance, sampler, np.asarray(truth(X), float) if fixed else None),
        method,
        own_rows,
    )
