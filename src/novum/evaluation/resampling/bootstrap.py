r"""The bootstrap: n rows drawn with replacement from n, many times, to see how much a statistic depends on the sample.

`bootstrap` gives the standard error, bias and interval of any statistic; `BootstrapSplit` gives the resamples themselves, with the
rows left out of each (out of bag), as a splitter of scikit-learn; how likely a row is left out: `out_of_bag_probability`. Both draw
the same rows for the same seed. The intervals are those of novum.evaluation.intervals.bootstrap_intervals.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from novum.evaluation.intervals.bootstrap_intervals import INTERVAL_METHODS, interval_from, jackknife_groups
from novum.evaluation.intervals.coverage import bootstrap_doubt, few_rows_doubt, warn_of_doubts
from novum.evaluation.intervals.proportion import Interval
from novum.evaluation.resampling.equal_lengths import together
from novum.evaluation.scores.known_statistics import QUICK_NAMES, quick_statistic
from novum.evaluation.scores.statistics import resample_rows
from novum.exceptions import DataError, ParameterError
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.numbers import counted, number
from novum.report.result import Result
from novum.report.style import series
from novum.report.tables import html_text
from novum.runtime import sklearn_private
from novum.runtime.checks import check_choice, check_count, check_level
from novum.runtime.random import seed_of
from novum.runtime.typing import Rows, Seed, Target

__all__ = ["BootstrapResult", "BootstrapSplit", "bootstrap"]


@dataclass(frozen=True, repr=False)
class BootstrapResult(Result):
    """A statistic and how it varies over resamples.

    Attributes
    ----------
    estimate : float or ndarray
        The statistic of the data themselves.
    standard_error, bias : float or ndarray
        Standard deviation of the replicates, and their mean minus the estimate.
    interval : Interval
        Lower and upper end, floats or arrays.
    replicates : ndarray of shape (n_resamples, ...)
    method : {"bca", "percentile", "basic"}
    level : float
    notes : tuple of str
        What to know of the resamples.
    """

    estimate: Any
    standard_error: Any
    bias: Any
    interval: Interval
    replicates: NDArray = field(repr=False)
    method: str = "bca"
    level: float = 0.95
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        head = (
            f"Bootstrap, {counted(len(self.replicates), 'resample')}, {100 * self.level:g} % interval ({self.method})"
        )
        flat = [np.ravel(v) for v in (self.estimate, *self.interval, self.standard_error, self.bias)]
        lines = [
            f"  {number(t)}   {number(low)} - {number(high)}   standard error {number(se)}, bias {number(bias)}"
            for t, low, high, se, bias in zip(*flat)
        ]
        return "\n".join([head, *lines, *(f"  note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        return html_text(repr(self))

    def plot(self, ax: Any = None) -> Any:
        """Draw the replicates of a single number with the estimate and the interval."""
        if np.ndim(self.estimate):
            raise DataError("BootstrapResult.plot: several statistics; draw the columns of `replicates` one by one.")
        ax = drawing_axes(ax)
        ax.hist(self.replicates[np.isfinite(self.replicates)], bins=50, color=series(ax, 5))
        ax.axvline(self.estimate, color=series(ax, 3), label="estimate")
        for end in self.interval:
            ax.axvline(
                end, color=series(ax, 0), ls="--", lw=1, label=None if end is self.interval.upper else "interval"
            )
        ax.set(xlabel="statistic", ylabel="resamples")
        draw_legend(ax)
        return ax


def bootstrap(
    statistic: str | Callable[..., Any],
    *data: Any,
    n_resamples: int = 2000,
    method: str = "bca",
    level: float = 0.95,
    random_state: Seed = None,
    n_jobs: int | None = None,
) -> BootstrapResult:
    """Return a statistic with its bootstrap standard error, bias and interval.

    Parameters
    ----------
    statistic : callable or str
        Called with the data, resampled together by rows; returns a number or an array. A few names and the functions of
        scikit-learn that they stand for (roc_auc_score, average_precision_score, accuracy_score, balanced_accuracy_score,
        matthews_corrcoef, mean_squared_error, root_mean_squared_error, mean_absolute_error, r2_score) and numpy.mean are
        computed without copies of the rows, some fifty times faster: "roc_auc", "average_precision", "pr_auc", "accuracy",
        "error", "balanced_accuracy", "matthews", "mse", "rmse", "mae", "r2", "pearson", "mean".
    *data : array-likes of equal length
        Rows are drawn from all of them together.
    n_resamples : int, default=2000
    method : {"bca", "percentile", "basic"}, default="bca"
        BCa corrects for bias and skewness by a jackknife: leave-one-out up to 1,000 rows, 200 random groups above.
        Warns (DataWarning) of fewer than 50 rows, and where about five rows or fewer decide the variance: the interval then
        holds the truth less often than it says (docs/theory/coverage_of_intervals.md).
    level : float, default=0.95
    random_state : default=None
    n_jobs : int, default=None
        Processes (joblib) that call the statistic, where it is a function of your own.

    Returns
    -------
    BootstrapResult
        Prints itself; `.plot()` draws the replicates.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.evaluation import bootstrap
    >>> x = np.random.default_rng(0).exponential(size=200)
    >>> bootstrap(np.median, x, random_state=0)
    Bootstrap, 2,000 resamples, 95 % interval (bca)
      .8077   .6736 - .9357   standard error .07209, bias .005408
    """
    owner = "bootstrap"
    count = check_count(owner, "n_resamples", n_resamples, low=2)
    check_choice(owner, "method", method, INTERVAL_METHODS)
    level = check_level(owner, level)
    if not data:
        raise DataError("bootstrap: give the data after the statistic.")
    seed, data = seed_of(random_state), together("bootstrap", data)
    n = sklearn_private.num_samples(data[0])
    if n < 2:
        raise DataError(f"bootstrap: {n} row cannot be resampled; give at least two.")
    quick = quick_statistic(statistic, data)
    if quick is not None:
        of_sums, name = quick
        place = of_sums.names.index(name)
        estimate: Any = float(of_sums.values()[place])
        replicates = of_sums.replicates(count, seed)[:, place]
        jackknife = of_sums.jackknife(seed)[:, place] if method == "bca" else None
    elif isinstance(statistic, str):
        raise statistic_error(statistic, data)
    else:
        estimate, replicates, jackknife = by_rows(statistic, data, n, count, seed, method, n_jobs)
    found = summarize(estimate, replicates, jackknife, method, level)
    name = statistic if isinstance(statistic, str) else getattr(statistic, "__name__", "the statistic")
    warn_of_doubts(owner, {str(name): doubt_of(n, jackknife, level)})
    return found


def doubt_of(n: int, jackknife: NDArray | None, level: float) -> str:
    """Return what speaks against the interval of any number of a statistic."""
    if jackknife is None:
        return few_rows_doubt(n, level)
    columns = jackknife.reshape(len(jackknife), -1).T
    return next(filter(None, (bootstrap_doubt(n, column, level) for column in columns)), "")


def statistic_error(statistic: str, data: tuple) -> Exception:
    """Return the error that says why a statistic named does not take the data."""
    if statistic not in QUICK_NAMES:
        known = ", ".join(QUICK_NAMES)
        return ParameterError(f"bootstrap(statistic={statistic!r}): it must be one of {known}; or give a function.")
    expected = 1 if statistic == "mean" else 2
    if len(data) != expected:
        return DataError(f"bootstrap(statistic={statistic!r}): it takes {expected} column(s) of data; got {len(data)}.")
    for place, part in enumerate(map(np.asarray, data), start=1):
        if part.dtype.kind == "f" and part.ndim == 1 and not np.isfinite(part).all():
            row = int(np.argmin(np.isfinite(part)))
            return DataError(f"bootstrap: array {place} of the data holds NaN or infinity at row {row}; remove it.")
    shapes = ", ".join(f"{np.shape(part)} {np.asarray(part).dtype}" for part in data)
    return ParameterError(
        f"bootstrap(statistic={statistic!r}): these data do not fit it ({shapes}); or give a function of the data."
    )


def by_rows(
    statistic: Callable, data: tuple, n: int, count: int, seed: int, method: str, n_jobs: int | None
) -> tuple[Any, NDArray, NDArray | None]:
    """Return the estimate, the replicates and the jackknife values of a function of the rows."""

    def of(rows: NDArray) -> NDArray:
        return np.asarray(statistic(*(sklearn_private.take_rows(part, rows) for part in data)), np.float64)

    def part(resamples: range) -> list[NDArray]:
        return [of(resample_rows(n, r, seed)) for r in resamples]

    size = max(1, count // 16)
    parts = Parallel(n_jobs=n_jobs)(delayed(part)(range(s, min(s + size, count))) for s in range(0, count, size))
    estimate = np.asarray(statistic(*data), np.float64)
    replicates = np.array([value for several in parts for value in several])
    jackknife = None
    if method == "bca":
        group, k = jackknife_groups(n, seed)
        jackknife = np.array([of(np.flatnonzero(group != g)) for g in range(k)])
    return (float(estimate) if estimate.ndim == 0 else estimate), replicates, jackknife


def summarize(estimate: Any, replicates: NDArray, jackknife: NDArray | None, method: str, level: float) -> Any:
    """Return the result, place by place for a statistic of several numbers."""
    shape = np.shape(estimate)
    t, flat = np.ravel(estimate), replicates.reshape(len(replicates), -1)
    if t.size and not np.isfinite(t).any():
        raise DataError(
            f"bootstrap: the statistic of the data is {t[0]}; remove missing values, or give a function that ignores them."
        )
    lost = int((~np.isfinite(flat[:, np.isfinite(t)])).any(axis=1).sum())
    notes = (f"{lost:,} of {counted(len(flat), 'resample', 'have')} no value and do not count",) if lost else ()
    knife = None if jackknife is None else jackknife.reshape(len(jackknife), -1)
    ends = [
        interval_from(float(t[j]), flat[:, j], level, method, None if knife is None else knife[:, j])
        for j in range(t.size)
    ]
    with np.errstate(invalid="ignore"):
        error: Any = np.nanstd(flat, axis=0, ddof=1).reshape(shape)
        bias: Any = (np.nanmean(flat, axis=0) - t).reshape(shape)
    low: Any
    high: Any
    low, high = (np.array(end).reshape(shape) for end in zip(*ends))
    if not shape:
        error, bias, low, high = float(error), float(bias), float(low), float(high)
    return BootstrapResult(
        estimate=estimate,
        standard_error=error,
        bias=bias,
        interval=Interval(low, high),
        replicates=replicates,
        method=method,
        level=level,
        notes=notes,
    )


class BootstrapSplit:
    """Resamples of the rows with what each leaves out, as a splitter of scikit-learn.

    Parameters
    ----------
    n_splits : int, default=100
        Resamples.
    random_state : default=None

    Examples
    --------
    The training rows may repeat; the test rows are those that were not drawn.

    >>> from novum.evaluation import BootstrapSplit
    >>> train, test = next(BootstrapSplit(3, random_state=0).split([10, 20, 30, 40, 50]))
    >>> len(train), sorted({*train.tolist(), *test.tolist()})
    (5, [0, 1, 2, 3, 4])
    """

    def __init__(self, n_splits: int = 100, *, random_state: Seed = None) -> None:
        self.n_splits = check_count("BootstrapSplit", "n_splits", n_splits)
        self.random_state = random_state

    def __repr__(self) -> str:
        return f"BootstrapSplit(n_splits={self.n_splits}, random_state={self.random_state!r})"

    def get_n_splits(self, X: Rows | None = None, y: Target = None, groups: Target = None) -> int:
        """Return the number of resamples."""
        return self.n_splits

    def split(self, X: Rows, y: Target = None, groups: Target = None) -> Iterator[tuple[NDArray, NDArray]]:
        """Yield the rows drawn and the rows left out, for every resample that leaves any out."""
        n = sklearn_private.num_samples(X)
        if n < 2:
            raise DataError(f"BootstrapSplit: {n} row leaves none out; give at least two.")
        seed, resample = seed_of(self.random_state), 0
        for _ in range(self.n_splits):
            while True:
                train = resample_rows(n, resample, seed)
                left = np.setdiff1d(np.arange(n), train)
                resample += 1
                if len(left):  # of few rows a resample may have all: it is drawn again
                    break
            yield train, left
