"""The study itself: from a table and the name of a column to a compared, tested, explained and saved model.

The six steps of designing a learning system, in order, with the test rows locked away until the last:

    formalise    the table, the target, the kind of task, the measure
    collect      the data card; the hold-out part is put away
    features     numbers, categories and dates made ready, inside every fold
    candidates   the classes of models
    train        all of them on the same folds; the choice
    evaluate     the kept model, once, on the hold-out part
"""

import os
import time
import warnings
from difflib import get_close_matches
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from novum.exceptions import DataError, ParameterError
from novum.runtime.checks import check_count, check_number
from novum.runtime.renamed import renamed_parameter
from novum.study.candidates import Candidate, candidates_for
from novum.study.card import make_card
from novum.study.choose import choose
from novum.study.compare import compare, make_folds, plan
from novum.study.explain import explain
from novum.study.holdout import class_numbers, split_rows
from novum.study.leaks import find_leaks
from novum.study.measures import holdout_interval, measure_for
from novum.study.pipelines import pipeline_for
from novum.study.reading import read_table
from novum.study.result import HoldOut, Listener, Silence, StudyResult
from novum.study.schema import attach, prepare, schema_for
from novum.study.table import Table, table_of
from novum.study.task import CLASSIFICATION, find_task

__all__ = ["Study"]


class Study:
    """Compare models on a table, keep the best or a simpler one that costs next to nothing, and judge it on unseen rows.

    The judged model is fitted on the training rows; the model that is saved and predicts is then fitted again on all rows.

    Parameters
    ----------
    frame : pandas, polars or pyarrow frame, or path of a CSV or Parquet file
    target : str
        The column to predict.
    task : {"auto", "classification", "regression"}, default="auto"
        "auto" decides by the target's values and says why.
    measure : str or None, default=None
        "accuracy" or "balanced_accuracy" for classes, "rmse", "mae" or "r2" for numbers. None: accuracy or rmse.
    models : list of str, dict of estimators or None, default=None
        Names of novum's models, or your own estimators by name; None: the usual list for the task.
    drop : sequence of str, default=()
        Columns to leave out.
    random_state : int, default=0
        The same number gives the same parts, folds and results.
    hold_out : float, default=0.25
        Share of the rows put away until the end.
    folds, repeats : int or None, default=None
        None: ten folds three times up to 2,000 training rows, once up to 20,000, five folds once beyond.
    time_limit : float or None, default=None
        Seconds after which the comparison uses what is finished.
    n_jobs : int or None, default=None
        Processes; None: one per core.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from novum.study import Study
    >>> iris = load_iris(as_frame=True).frame
    >>> result = Study(iris, "target", models=["GaussianNB", "LDA"], folds=5, repeats=1).run()
    >>> result.kept.name
    'LDA'
    >>> result.predict(iris[:3])
    array([0, 0, 0])
    """

    @renamed_parameter("seed", "random_state")
    def __init__(
        self, frame: Any, target: str, *, task: str = "auto", measure: str | None = None, models: Any = None,
        drop: tuple[str, ...] | list[str] = (), random_state: int = 0, hold_out: float = 0.25,
        folds: int | None = None, repeats: int | None = None, time_limit: float | None = None,
        n_jobs: int | None = None
    ) -> None:  # fmt: skip
        self.frame = frame
        self.target = target
        self.task = task
        self.measure = measure
        self.models = models
        self.drop = tuple(drop)
        self.random_state = check_count("Study", "random_state", random_state, low=0)
        self.hold_out = check_number("Study", "hold_out", hold_out, 0.05, 0.5)
        self.folds = None if folds is None else check_count("Study", "folds", folds, low=2)
        self.repeats = None if repeats is None else check_count("Study", "repeats", repeats)
        self.time_limit = (
            None if time_limit is None else check_number("Study", "time_limit", time_limit, 0, open_low=True)
        )
        self.n_jobs = available_cores() if n_jobs is None else check_count("Study", "n_jobs", n_jobs)

    def _table(self) -> Table:
        """Return the table after the checks that need no target."""
        given = self.frame
        table = read_table(given) if isinstance(given, str | os.PathLike) else table_of(given)
        for name in (self.target, *self.drop):
            if name not in table.columns:
                near = get_close_matches(str(name), list(table.columns), n=1, cutoff=0.5)
                hint = (
                    f"did you mean {near[0]!r}?" if near else f"it has {', '.join(map(repr, list(table.columns)[:8]))}."
                )
                raise ParameterError(f"{table.name}: has no column {name!r}; {hint}")
        return table

    def run(self, listener: Listener | None = None) -> StudyResult:
        """Run all six steps.

        Parameters
        ----------
        listener : Listener or None
            Told what each step found, as it happens.

        Returns
        -------
        StudyResult
            Prints as a leaderboard; `save(folder)` writes model, scores and report. Interrupted by Ctrl-C, it holds the
            part of the leaderboard that was finished, and no model.
        """
        listener = listener or Silence()
        start = time.perf_counter()
        table = self._table()
        task = find_task(table.columns[self.target], table.name, self.task)
        measure = measure_for(task.kind, self.measure)
        table = table.take(task.known)
        card = make_card(table, task, self.drop)
        if not card.features:
            why = "; ".join(f"{column.name}: {column.reason}" for column in card.left_out) or "the table has no other"
            raise DataError(f"{table.name}: no column is left to predict {self.target!r} from ({why}).")
        schema = schema_for(table, card, task)
        frame = prepare(table, schema)
        train, held = split_rows(task.y, task.kind, self.hold_out, self.random_state)
        frame_train, y_train = frame.iloc[train].reset_index(drop=True), task.y[train]
        leaks = find_leaks(frame_train, y_train, task, self.random_state)
        result = StudyResult(table.name, task, measure, card, leaks, schema, self.random_state, len(train), len(held))
        listener.step("formalise", result.formalised())

        candidates = candidates_for(task.kind, len(train), self.random_state, self.models)
        smallest = int(np.unique(y_train, return_counts=True)[1].min()) if task.kind == CLASSIFICATION else len(train)
        k, repeats = plan(len(train), smallest, self.folds, self.repeats)
        coded = class_numbers(y_train) if task.kind == CLASSIFICATION else y_train
        folds = make_folds(coded, task.kind, k, repeats, self.random_state)
        listener.step("candidates", [result.planned(len(candidates) - 1, k, repeats)])
        scores = compare(
            candidates,
            frame_train,
            y_train,
            folds,
            measure,
            processes=self.n_jobs,
            time_limit=self.time_limit,
            advance=listener.advance,
        )
        result.compared(scores)
        listener.step("train", result.trained())
        if scores.candidates and scores.stopped != "interrupted":
            try:
                self._conclude(result, frame, task.y, train, held, listener)
            except KeyboardInterrupt:  # the comparison is there, and is kept
                result.interrupted()
        result.elapsed = time.perf_counter() - start
        return result

    def _conclude(
        self, result: StudyResult, frame: Any, y: np.ndarray, train: np.ndarray, held: np.ndarray, listener: Listener
    ) -> None:
        """Choose, fit on all training rows, judge on the rows put away, explain; then fit on every row, to be used."""
        measure = result.measure
        kept, reason = choose(result.leaders, measure)
        listener.step("keep", [f"{kept.name}: {reason} on {len(train)} rows"])
        model = fit_candidate(result.candidate(kept), frame.iloc[train], y[train])
        predicted = model.predict(frame.iloc[held])
        interval = holdout_interval(measure, y[held], predicted, self.random_state)
        hold = HoldOut(measure.score(y[held], predicted), interval, y[held], predicted)
        explanation = explain(model, frame.iloc[held], y[held], predicted, result.task, measure, self.random_state)
        final = fit_candidate(result.candidate(kept), frame, y)
        result.finished(attach(final, result.schema), kept, reason, hold, explanation)
        listener.step("hold-out", [result.judged()])


def fit_candidate(candidate: Candidate, frame: Any, y: Any) -> Any:
    """Return the pipeline of a candidate fitted on rows; what it warns about was noted when it was compared."""
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        return pipeline_for(candidate, frame).fit(frame, y)


def available_cores() -> int:
    """Return how many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # only Linux tells
        return os.cpu_count() or 1
