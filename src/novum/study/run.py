"""The study itself: from a table and the name of a column to a compared, tested, explained and saved model.

The six steps of designing a learning system, in order, with the test rows locked away until the last:

    formalise    the table, the target, the kind of task, the measure
    collect      the data card; the hold-out part is put away
    features     numbers, categories and dates made ready, inside every fold
    candidates   the classes of models
    train        all of them on the same folds, then other settings of the best; the choice
    evaluate     the kept model, once, on the hold-out part
"""

import inspect
import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from novum.base.checkpoint.context import keeps_its_own_steps
from novum.exceptions import ParameterError
from novum.report.numbers import num
from novum.runtime.checks import check_count, check_number
from novum.runtime.typing import Label
from novum.study.comparison.candidates import candidates_for, shape_of
from novum.study.comparison.choose import PREFERENCES
from novum.study.comparison.clock import Clock, seconds_to_finish, slowness_since, usual_seconds
from novum.study.comparison.compare import compare
from novum.study.comparison.fits import Rows
from novum.study.comparison.folds import make_folds, plan
from novum.study.comparison.limits import candidates_within, limits_for
from novum.study.comparison.progress import SavedProgress
from novum.study.comparison.tuning import Judge
from novum.study.comparison.workers import available_cores
from novum.study.conclusion import conclude
from novum.study.data.leaks import find_leaks
from novum.study.data.schema import time_column
from novum.study.formalised import Formalised, StudyRows, formalise
from novum.study.insight.fairness import groups_of
from novum.study.listener import Listener, Silence
from novum.study.named_input import positive_and_costs
from novum.study.result import StudyResult
from novum.study.scoring.measures import measure_for

__all__ = ["Study"]


class Study:
    """Compare models on a table, keep the best or a simpler one that costs next to nothing, and judge it on unseen rows.

    `run` fits every candidate `folds` times `repeats`, and with `tune` other settings of the best. The judged
    model is fitted on the training rows, explained by predictions with columns and rows exchanged, left out or drawn again (some
    hundreds of them), and looked at by a few more fits; the model that is saved and predicts is then fitted again on all rows.

    Parameters
    ----------
    frame : pandas, polars or pyarrow frame, or path of a table (CSV, TSV, JSON lines, Parquet, Feather, Excel)
    target : str
        The column to predict.
    task : {"auto", "classification", "regression"}, default="auto"
        "auto" decides by the target's values and says why.
    scoring : str or None, default=None
        Of classes "accuracy", "balanced_accuracy", "f1", "auc", "average_precision", "log_loss" or "brier"; of numbers "rmse",
        "mae", "median_error", "r2", and of numbers from 0 on "rmsle" or "poisson_deviance". None: accuracy or rmse; the mean cost
        where there are costs.
    models : list of str, dict of estimators or None, default=None
        Names of novum's models, or your own estimators by name; None: the usual list for the task.
    drop : sequence of str, default=()
        Columns to leave out.
    prefer : {"accuracy", "simple", "small", "probabilities"}, default="accuracy"
        What decides between models that are nearly as good as the best; "probabilities" judges by the log loss.
    tune : bool, default=True
        Whether other settings of the best are tried; those that judge a fold are the best on the others.
    ensemble : bool, default=True
        Whether the weighted mean of the best is a candidate and, of 300 training rows or more, a second layer over them.
    group : str or None, default=None
        Column whose rows belong together (a person, a site): they are never in two parts.
    time : str or None, default=None
        Column of dates or numbers: models are judged on rows later than those they learned from.
    weights : str or None, default=None
        Column of row weights.
    costs : dict or None, default=None
        Cost of saying a class where another is true, as {(true, said): cost}; pairs left out cost 1, right ones 0. The model
        then says the class of least expected cost.
    positive : label or None, default=None
        The class that F1, AUC and average precision of two classes are about; None: the second in order.
    random_state : int, default=0
        The same number gives the same parts, folds and results, unless a time limit cuts them short.
    hold_out : float, default=0.25
        Share of the rows put away until the end.
    folds, repeats : int or None, default=None
        None: five folds, four times up to 250 training rows, twice up to 500, once up to 5,000, three beyond; ten folds thrice and
        less without `tune`.
    time_limit : float or None, default=None
        Seconds for the whole study; the comparison uses what is finished. None: as many as are usual for the size of the table,
        minutes (novum.study.comparison.clock).
    n_jobs : int or None, default=None
        Processes; None: one per core.
    cluster : str or None, default=None
        Address of a Dask scheduler whose workers do the fits.
    fair : str or list of str or None, default=None
        Columns whose groups are compared in the report: measures, gaps and calibration; they need not be learned from.
    increasing, decreasing : sequence of str, default=()
        Columns of numbers with which the prediction (of two classes: the probability of the positive one) may only rise, or
        only fall. Models that cannot keep to it are left out.
    interactions : {"none", "pairwise"} or None, default=None
        How many columns may act together: each for itself, or at most two. Models that cannot keep to it are left out.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from novum.study import Study
    >>> iris = load_iris(as_frame=True).frame
    >>> result = Study(iris, "target", models=["GaussianNB", "LDA"], folds=5, repeats=1, ensemble=False).run()
    >>> result.kept.name
    'LDA'
    >>> result.predict(iris[:3])
    array([0, 0, 0])
    """

    def __init__(
        self,
        frame: Any,
        target: str,
        *,
        task: str = "auto",
        scoring: str | None = None,
        models: Sequence[str] | Mapping[str, Any] | None = None,
        drop: tuple[str, ...] | list[str] = (),
        prefer: str = "accuracy",
        tune: bool = True,
        ensemble: bool = True,
        group: str | None = None,
        time: str | None = None,
        weights: str | None = None,
        costs: Mapping[Any, Any] | None = None,
        positive: Label | None = None,
        random_state: int = 0,
        hold_out: float = 0.25,
        folds: int | None = None,
        repeats: int | None = None,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        cluster: str | None = None,
        fair: str | Sequence[str] | None = None,
        increasing: Sequence[str] = (),
        decreasing: Sequence[str] = (),
        interactions: str | None = None,
    ) -> None:
        if prefer not in PREFERENCES:
            raise ParameterError.of("Study", f"prefer must be one of {', '.join(PREFERENCES)}.", prefer=prefer)
        if group is not None and time is not None:
            raise ParameterError.of("Study", "give one of the two.", group=group, time=time)
        self.frame, self.target, self.task = frame, target, task
        self.scoring = scoring
        self.models = models
        self.drop = tuple(drop)
        self.prefer = prefer
        self.tune = tune
        self.ensemble = ensemble
        self.group, self.time, self.weights = group, time, weights
        self.costs, self.positive = costs, positive
        self.random_state = check_count("Study", "random_state", random_state, low=0)
        self.hold_out = check_number("Study", "hold_out", hold_out, 0.05, 0.5)
        self.folds = None if folds is None else check_count("Study", "folds", folds, low=2)
        self.repeats = None if repeats is None else check_count("Study", "repeats", repeats)
        self.time_limit = (
            None if time_limit is None else check_number("Study", "time_limit", time_limit, 0, open_low=True)
        )
        self.n_jobs = available_cores() if n_jobs is None else check_count("Study", "n_jobs", n_jobs)
        self.cluster = cluster
        self.fair = (fair,) if isinstance(fair, str) else tuple(fair or ())
        self.increasing, self.decreasing, self.interactions = tuple(increasing), tuple(decreasing), interactions

    def rows(self) -> StudyRows:
        """Return the rows that a study of this table learns from and those that it puts away, with the columns that it makes."""
        return self._formalise().rows()

    def _options(self) -> dict[str, Any]:
        """Return how the study was called, but for its table."""
        named = [name for name in inspect.signature(Study).parameters if name not in ("frame", "models", "costs")]
        options = {name: getattr(self, name) for name in named}
        models = None if self.models is None else [str(name) for name in self.models]
        return {**options, "models": models, "costs": None if self.costs is None else dict(self.costs)}

    def _formalise(self) -> Formalised:
        """Return what the first steps make of the table."""
        return formalise(
            self.frame,
            self.target,
            task=self.task,
            drop=self.drop,
            group=self.group,
            time=self.time,
            weights=self.weights,
            random_state=self.random_state,
            hold_out=self.hold_out,
            named=(*self.fair, *self.increasing, *self.decreasing),
        )

    @keeps_its_own_steps
    def run(self, listener: Listener | None = None, *, resume: str | os.PathLike | None = None) -> StudyResult:
        """Run all six steps.

        Parameters
        ----------
        listener : Listener or None
            Called with what each step found, as it happens.
        resume : path or None
            Folder that keeps every fit; a study of the same table and settings goes on from there.

        Returns
        -------
        StudyResult
            Prints as a leaderboard; `save(folder)` writes model, scores and report. Interrupted by Ctrl-C, it holds the
            part of the leaderboard that was finished, and no model.
        """
        listener, start, worked = listener or Silence(), perf_counter(), process_time()
        start_of = self._formalise()
        table, task, card, schema, frame = start_of.table, start_of.task, start_of.card, start_of.schema, start_of.frame
        weight, parting, train, held = start_of.weight, start_of.parting, start_of.train, start_of.held
        positive, costs = positive_and_costs(task, self.positive, self.costs)
        wanted = self.scoring or ("log_loss" if self.prefer == "probabilities" and task.labels else None)
        measure = measure_for(task.kind, wanted, positive, costs, least=None if task.labels else float(task.y.min()))
        for name in self.fair:
            groups_of(table.columns[name])  # before the work, not after it
        limits = limits_for(self.increasing, self.decreasing, self.interactions, schema)
        leaks = find_leaks(frame.iloc[train], task.y[train], task, self.random_state)
        result = StudyResult(
            name=table.name,
            task=task,
            scoring=measure,
            card=card,
            leaks=leaks,
            schema=schema,
            random_state=self.random_state,
            n_train=len(train),
            n_held=len(held),
        )
        result.formalisation, result.options = start_of, self._options()
        result.positive, result.costs = positive, costs
        listener.step("formalise", result.formalised())

        classes = np.unique(task.y) if task.labels else None
        inner, time = partial(parting.inner, seed=self.random_state), time_column(schema, self.time)
        judge = Judge(measure, task.kind, classes, self.random_state, inner, costs, time)
        everything = Rows(frame, task.y, weight, judge, treatments={}, readings={})
        compared = start_of.rows().compared()
        result.rows_compared = compared
        few = parting.take(compared)
        judge = judge._replace(split=partial(few.inner, seed=self.random_state))
        rows = everything.some(compared, judge)
        shape = shape_of(task, measure.name)
        candidates = candidates_for(task.kind, len(train), self.random_state, self.models, frame.shape[1], shape)
        candidates, unfit = candidates_within(candidates, limits, positive == 0)
        tune = self.tune and any(c.candidacy is not None and c.candidacy.search for c in candidates)
        smallest = int(np.unique(rows.y, return_counts=True)[1].min()) if task.labels else len(compared)
        k, repeats = plan(len(compared), smallest, self.folds, self.repeats, tune, frame.shape[1])
        result.n_folds = k
        folds = make_folds(few, k, repeats, self.random_state)
        planned = [result.planned(len(candidates) - 1, k, repeats, len(compared), tune)]
        if unfit:
            planned.append(f"left out, since they cannot keep to the limits of the columns: {', '.join(unfit)}")
        listener.step("candidates", planned)
        limited = self.time_limit is not None
        limit = self.time_limit or usual_seconds(table.n_rows, frame.shape[1])
        slowness = slowness_since(start, worked)
        end = seconds_to_finish(limit, len(frame), frame.shape[1], slowness)
        clock = Clock(start, limit - end, set_by_user=limited, slowness=slowness, end=end)
        scores = compare(
            candidates,
            rows,
            folds,
            processes=self.n_jobs,
            tune=tune,
            ensemble=self.ensemble,
            clock=clock,
            last_rows=len(train),
            cluster=self.cluster,
            progress=None if resume is None else SavedProgress(Path(resume), rows, folds),
            advance=listener.advance,
            formed=lambda name, mean: listener.formed(name, measure.text(mean)),
        )
        if scores.stopped == "time limit" and not limited:
            usual = f"a table of this size has {num(limit):.0f} s unless you give it more (--time-limit)"
            scores = scores._replace(notes=[*scores.notes, usual])
        result.compared(scores)
        listener.step("train", result.trained())
        if result.leaders:
            listener.step("leaderboard", result.lines())
        if scores.candidates and scores.stopped != "interrupted":
            try:
                conclude(
                    result,
                    table=table,
                    rows=everything,
                    limits=limits,
                    train=train,
                    held=held,
                    clock=clock,
                    listener=listener,
                )
            except KeyboardInterrupt:  # the comparison is there, and is kept
                result.interrupted()
        result.elapsed = perf_counter() - start
        return result
