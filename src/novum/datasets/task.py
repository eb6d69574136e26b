"""What is to be learned from a table: the setting, the kind of target, the measure, and why.

Supervised: every target is known. Semi-supervised: some are. Unsupervised: there is none. Reinforcement: rows are transitions
(state, action, reward, next state). A well-posed problem names its task, its performance measure and its experience; a program
learns if the measure improves with experience.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.datasets.target import MEASURES, Target, describe_column, describe_columns
from novum.exceptions import DataError, ParameterError
from novum.report.numbers import counted
from novum.report.result import Result, result
from novum.report.tables import html_rows, text_table
from novum.runtime.typing import Fittable, Numbers, Rows, Seed

__all__ = ["Learning", "TaskDescription", "describe_task"]

SHOWN_CLASSES = 6
UNSUPERVISED = {
    "clustering": "novum.cluster.KMeans",
    "dimension reduction": "novum.decomposition.PCA",
    "density and novelty": "novum.mixture.GaussianMixture",
}


@result
class Learning(NamedTuple):
    """The measure against the amount of experience."""

    sizes: NDArray[np.int64]
    scores: NDArray[np.float64]  # mean over the folds
    learns: bool  # the score with all rows exceeds the score with the fewest


@dataclass(frozen=True, repr=False)
class TaskDescription(Result):
    """A learning problem: task, measure, experience, and the reasons for reading it so.

    Attributes
    ----------
    setting : {"supervised", "semi-supervised", "unsupervised", "reinforcement"}
    kind : str
        "binary", "multiclass", "multilabel", "ordinal", "regression", "multioutput regression", "multioutput classification",
        "constant"; "clustering or dimension reduction"; "control from transitions".
    target : str or None
        The name of the target.
    classes : dict
        Class to number of rows; empty for real targets.
    measure : str
        The performance measure to begin with.
    concept : bool
        Whether it is concept learning: discrete inputs, two classes.
    n_rows, n_numbers, n_categories, n_unlabelled : int
    methods : dict of str to str
        For unsupervised data: what can be computed, and the class that does it.
    reasons : tuple of str
    """

    setting: str
    kind: str
    target: str | None
    classes: dict[Any, int]
    measure: str
    concept: bool
    n_rows: int
    n_numbers: int
    n_categories: int
    n_unlabelled: int
    methods: dict[str, str]
    reasons: tuple[str, ...]

    @property
    def is_classification(self) -> bool:
        return self.kind in ("binary", "multiclass", "multilabel", "ordinal", "multioutput classification")

    @property
    def inputs(self) -> str:
        """What the inputs are, in words."""
        parts = [(self.n_numbers, "number"), (self.n_categories, "category")]
        words = [f"{n} {word if n == 1 else word.replace('category', 'categorie') + 's'}" for n, word in parts if n]
        return " and ".join(words) or "no inputs"

    @property
    def task(self) -> str:
        """The task in words."""
        noun = " classification" if self.kind in ("binary", "multiclass", "multilabel", "ordinal") else ""
        concept = " (concept learning)" if self.concept else ""
        return f"{self.setting}, {self.kind}{noun}{concept}"

    @property
    def experience(self) -> str:
        """The training experience in words."""
        known = f", {self.n_unlabelled} of them unlabelled" if self.n_unlabelled else ""
        return f"{counted(self.n_rows, 'row')}, {self.inputs}{known}"

    def learning(self, estimator: Fittable, X: Rows, y: Numbers, *, cv: int = 5, random_state: Seed = 0) -> Learning:
        """Return whether the score of an estimator improves with the number of rows (scikit-learn's learning curve)."""
        from sklearn.model_selection import learning_curve

        sizes, _, scores = learning_curve(
            estimator, X, y, cv=cv, train_sizes=np.linspace(0.1, 1, 5), shuffle=True, random_state=random_state
        )
        mean = scores.mean(axis=1)
        return Learning(sizes, mean, bool(mean[-1] > mean[0]))

    def _lines(self) -> list[tuple[str, str]]:
        shown = list(self.classes.items())[:SHOWN_CLASSES]
        more = f" and {len(self.classes) - SHOWN_CLASSES} more" if len(self.classes) > SHOWN_CLASSES else ""
        lines = [("task", self.task)]
        if self.target is not None:
            counts = ", ".join(f"{value} {count}" for value, count in shown)
            lines.append(("target", self.target + (f": {counts}{more}" if counts else "")))
        lines += [("measure", self.measure), ("experience", self.experience)]
        lines += self.methods.items()
        return lines + [("because", "; ".join(self.reasons))]

    def _result_columns(self) -> dict[str, Any]:
        names, texts = zip(*self._lines())
        return {"part": names, "text": texts}

    def __repr__(self) -> str:
        return "\n".join(text_table(self._lines(), left=2, indent=""))

    def _repr_html_(self) -> str:
        return html_rows(self._lines())


def columns_of(data: Any) -> dict[str, Any]:
    """Return a table as named columns; an array's columns are x0, x1, ..."""
    import narwhals as nw

    frame = nw.from_native(data, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return {name: frame[name] for name in frame.columns}
    array = np.asarray(data)
    if array.ndim != 2:
        raise DataError(f"describe_task: data has shape {array.shape}; give a table with rows and columns.")
    return {f"x{j}": array[:, j] for j in range(array.shape[1])}


def cells_of(column: Any) -> NDArray:
    """Return a column of any library as an array; missing cells are None or NaN."""
    values = column.to_list() if hasattr(column, "to_list") else column
    array = np.asarray(values)
    if array.dtype.kind in "U" and hasattr(column, "null_count") and column.null_count():
        return np.asarray(values, dtype=object)
    return array


def order_of(column: Any) -> list[Any] | None:
    """Return the categories of an ordered categorical from low to high, None for anything else."""
    import narwhals as nw

    native = nw.to_native(column, pass_through=True)
    dtype: Any = getattr(native, "dtype", None)
    if getattr(dtype, "ordered", False):
        return list(dtype.categories)
    if type(dtype).__name__ == "Enum" and hasattr(dtype, "categories"):
        return list(dtype.categories)
    return None


def is_number(column: Any) -> bool:
    """Return whether an input column holds numbers."""
    if hasattr(column, "dtype") and hasattr(column.dtype, "is_numeric"):
        return bool(column.dtype.is_numeric())
    array = np.asarray(column)
    return array.dtype.kind in "iuf" or (array.dtype.kind == "O" and all(isinstance(v, int | float) for v in array))


def describe_task(
    data: Rows | Mapping[Any, Any] | Iterable[Any],
    target: Any = None,
    *,
    order: Sequence[Any] | None = None,
    unlabelled: Any = None,
    action: str | None = None,
    reward: str | None = None,
) -> TaskDescription:
    """Say what there is to learn from a table.

    Parameters
    ----------
    data : frame or array of shape (n, d)
        pandas, polars, pyarrow or NumPy.
    target : str, list of str, array or None
        Column(s) of the frame, or the values. None: nothing is to be predicted.
    order : sequence, default=None
        The values of the target from low to high, where they are ranks. Ordered categoricals say so themselves.
    unlabelled : default=None
        A value that stands for an unknown target, such as -1, besides None and NaN.
    action, reward : str, default=None
        Columns that make the rows transitions of a decision process.

    Examples
    --------
    >>> from novum import describe_task
    >>> from novum.datasets import load_play_tennis
    >>> describe_task(*load_play_tennis(return_X_y=True))
    task        supervised, binary classification (concept learning)
    target      y: No 5, Yes 9
    measure     accuracy
    experience  14 rows, 4 categories
    because     every target is known; two values; all inputs are discrete
    """
    columns = columns_of(data)
    n_rows = len(next(iter(columns.values()), ()))
    for name, value in (("action", action), ("reward", reward)):
        if value is not None and value not in columns:
            raise ParameterError(f"describe_task({name}={value!r}): no such column; there are {list(columns)}.")
    if (action is None) != (reward is None):
        raise ParameterError("describe_task: transitions need both action= and reward=.")
    if action is not None and reward is not None:
        return transitions({k: v for k, v in columns.items() if k not in (action, reward)}, n_rows, action, reward)
    if names_columns(target, n_rows):
        names = [target] if isinstance(target, str) else list(target)
        if missing := [name for name in names if name not in columns]:
            known = list(columns)
            raise ParameterError(f"describe_task(target={target!r}): no column {missing[0]!r}; there are {known}.")
        wanted = [columns.pop(name) for name in names]
    elif target is None:
        names, wanted = [], []
    else:
        names, wanted = given_target(target, n_rows)
    numbers = sum(map(is_number, columns.values()))
    sizes = (n_rows, numbers, len(columns) - numbers)
    if not wanted:
        return describe_unlabelled(None, sizes, 0, "no target is given")
    found = target_kind(wanted, order, unlabelled)
    n_unknown = int(n_rows - found.known.sum())
    if n_unknown == n_rows:
        return describe_unlabelled(", ".join(names), sizes, n_rows, "no value of the target is known")
    why = "every target is known" if n_unknown == 0 else f"{n_unknown} of {counted(n_rows, 'target', 'are')} unknown"
    concept = found.kind == "binary" and numbers == 0
    n_rows, n_numbers, n_categories = sizes
    return TaskDescription(
        setting="semi-supervised" if n_unknown else "supervised",
        kind=found.kind,
        target=", ".join(names),
        classes=found.classes,
        measure=MEASURES[found.kind],
        concept=concept,
        n_rows=n_rows,
        n_numbers=n_numbers,
        n_categories=n_categories,
        n_unlabelled=n_unknown,
        methods={},
        reasons=(why, found.reason, *(("all inputs are discrete",) if concept else ())),
    )


def names_columns(target: Any, n_rows: int) -> bool:
    """Return whether a target is given by name; a list of strings as long as the table is taken for its values."""
    if isinstance(target, str):
        return True
    return isinstance(target, list) and len(target) != n_rows and all(isinstance(name, str) for name in target)


def given_target(target: Any, n_rows: int) -> tuple[list[str], list[Any]]:
    """Return the name(s) and column(s) of a target given by its values."""
    import narwhals as nw

    series = nw.from_native(target, allow_series=True, eager_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        name = str(series.name or "y")
        column: list[Any] = [series]
    elif isinstance(series, nw.DataFrame):
        return list(series.columns), [series[c] for c in series.columns]
    else:
        array = target_array(target)
        column = [array] if array.ndim == 1 else [array[:, j] for j in range(array.shape[1])]
        name = "y"
    if len(column[0]) != n_rows:
        raise DataError(
            f"describe_task: data has {counted(n_rows, 'row')} and target {len(column[0])}; give one target per row."
        )
    return ([name] if len(column) == 1 else [f"{name}{j}" for j in range(len(column))]), column


def target_array(target: Any) -> NDArray:
    """Return target values as an array; a list of sets or of lists of unequal length stays one column of objects."""
    cells = list(target)
    sets = all(isinstance(cell, set | frozenset) for cell in cells)
    lists = all(isinstance(cell, list | tuple) for cell in cells) and len({len(cell) for cell in cells}) > 1
    if not cells or not (sets or lists):
        return np.asarray(target)
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


def target_kind(wanted: list[Any], order: Sequence[Any] | None, unlabelled: Any) -> Target:
    """Return the kind of one or several target columns."""
    if len(wanted) > 1:
        return describe_columns([cells_of(column) for column in wanted], unlabelled)
    return describe_column(
        cells_of(wanted[0]), order=order_of(wanted[0]) if order is None else order, unlabelled=unlabelled
    )


def describe_unlabelled(target: str | None, sizes: tuple[int, int, int], unknown: int, why: str) -> TaskDescription:
    """Return the description of data without a target."""
    n_rows, n_numbers, n_categories = sizes
    return TaskDescription(
        setting="unsupervised",
        kind="clustering or dimension reduction",
        target=target,
        classes={},
        measure="variance or likelihood explained on rows kept out",
        concept=False,
        n_rows=n_rows,
        n_numbers=n_numbers,
        n_categories=n_categories,
        n_unlabelled=unknown,
        methods=UNSUPERVISED,
        reasons=(why,),
    )


def transitions(states: dict[str, Any], n_rows: int, action: str, reward: str) -> TaskDescription:
    """Return the description of logged transitions (state, action, reward, next state)."""
    numbers = sum(map(is_number, states.values()))
    return TaskDescription(
        setting="reinforcement",
        kind="control from transitions",
        target=None,
        classes={},
        measure="discounted return of the policy",
        concept=False,
        n_rows=n_rows,
        n_numbers=numbers,
        n_categories=len(states) - numbers,
        n_unlabelled=0,
        methods={},
        reasons=(f"rows carry an action ({action}) and a reward ({reward})",),
    )
