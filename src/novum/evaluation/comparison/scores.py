"""Scores of models on the splits of one data set or on several data sets, with failures, warnings and times."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold, check_cv

from novum.evaluation.comparison.design import Design, design_of
from novum.evaluation.comparison.result import ModelFailure
from novum.evaluation.comparison.shared_folds import FoldFit, Outcome, run, splits_of
from novum.evaluation.scores.score_names import check_one_score
from novum.exceptions import DataError, ParameterError
from novum.runtime.sklearn_private import num_samples

__all__ = ["Measured", "on_one", "on_several", "splitter_for"]


POOLED = ("hold-out", "folds", "leave-one-out")  # every row is predicted at most once


class Measured:
    """Scores of models on parts, and what they rest on."""

    def __init__(self, names: list[str], scores: NDArray, parts: list[str], design: Design) -> None:
        self.names, self.scores, self.parts, self.design = names, scores, parts, design
        self.scoring = "score"
        self.failures: list[ModelFailure] = []
        self.warnings: list[str] = []
        self.seconds: NDArray | None = None
        self.classification = False
        self.wrong: NDArray | None = None  # (rows, models): which predictions are wrong, for McNemar's test
        self.ranking: tuple[NDArray, NDArray] | None = None  # labels and (rows, models) scores, for DeLong's test

    def facts(self) -> dict[str, Any]:
        """Return what a comparison keeps of it."""
        kept = ("names", "scores", "parts", "design", "scoring", "failures", "warnings", "seconds")
        return {name: getattr(self, name) for name in kept}

    def only(self, keep: list[int]) -> None:
        """Keep some of the models."""
        self.names, self.scores = [self.names[j] for j in keep], self.scores[:, keep]
        self.seconds = None if self.seconds is None else self.seconds[keep]
        self.wrong = None if self.wrong is None else self.wrong[:, keep]
        self.ranking = None if self.ranking is None else (self.ranking[0], self.ranking[1][:, keep])


def splitter_for(cv: Any, y: Any, classification: bool, groups: Any, random_state: Any) -> Any:
    """Return what makes the splits; a number means so many shuffled folds, stratified for classes."""
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        if cv < 2:
            raise ParameterError(
                f"compare(cv={cv}): cv must be at least 2 folds; for one hold-out set pass a ShuffleSplit."
            )
        kind: Any = StratifiedKFold if classification else KFold
        if groups is not None:
            kind = StratifiedGroupKFold if classification else GroupKFold
        return kind(int(cv), shuffle=True, random_state=random_state)
    try:
        return check_cv(cv, y, classifier=classification)
    except ValueError as problem:
        raise ParameterError(f"compare(cv={cv!r}): {problem}") from problem


def measure_of(scoring: Any, classification: bool) -> str:
    """Return the name of a score."""
    if scoring is None:
        return "accuracy" if classification else "R2"
    return scoring if isinstance(scoring, str) else getattr(scoring, "__name__", "score")


def messages_of(names: list[str], done: list[Outcome]) -> list[str]:
    """Return what models warned of, each once."""
    return sorted({f"{names[one.model]}: {text}" for one in done for text in one.messages})


def on_one(
    models: dict[str, Any],
    X: Any,
    y: Any,
    cv: Any,
    scoring: Any,
    groups: Any,
    n_jobs: Any,
    seed: Any,
    mcnemar: bool = False,
) -> Measured:
    """Return the scores of models on the splits of one data set, with their predictions where McNemar's test needs them."""
    if y is None:
        raise DataError("compare: pass y, the target of the rows of X.")
    if num_samples(X) != num_samples(y):
        raise DataError(f"compare: X has {num_samples(X)} rows and y has {num_samples(y)}.")
    names, classification = list(models), all(is_classifier(model) for model in models.values())
    folds = splits_of("compare", splitter_for(cv, y, classification, groups, seed), X, y, groups)
    if scoring is None and not classification and any(is_classifier(model) for model in models.values()):
        raise ParameterError("compare: classifiers and regressors have different scores of their own; pass scoring=.")
    check_one_score("compare", scoring)
    scorers = [check_scoring(model, scoring) for model in models.values()]
    design, measure = design_of(folds, num_samples(X)), measure_of(scoring, classification)
    if design.kind == "leave-one-out" and measure in ("R2", "r2"):
        raise ParameterError(
            f"compare(cv={cv!r}): R2 of a single row does not exist; pass scoring='neg_mean_squared_error'."
        )
    keep = ""
    if classification and design.kind == "hold-out" and measure == "roc_auc" and len(np.unique(np.asarray(y))) == 2:
        keep = "scores"
    elif classification and (mcnemar or design.kind in ("hold-out", "leave-one-out")) and design.kind in POOLED:
        keep = "labels"
    tasks = [
        FoldFit(model=j, fold=f, estimator=model, X=X, y=y, split=fold, score=scorers[j], keep=keep)
        for f, fold in enumerate(folds)
        for j, model in enumerate(models.values())
    ]
    done = run(tasks, n_jobs)
    parts = [f"fold {f + 1}" for f in range(len(folds))]
    scores, seconds = (np.full((len(folds), len(names)), np.nan) for _ in range(2))
    out = Measured(names, scores, parts, design)
    out.classification = classification
    for one in done:
        scores[one.fold, one.model], seconds[one.fold, one.model] = one.score, one.seconds
        if one.error:
            out.failures.append(ModelFailure(names[one.model], parts[one.fold], one.error))
    out.scoring, out.warnings, out.seconds = (
        measure,
        messages_of(names, done),
        seconds.mean(0),
    )
    truth = np.asarray(y)
    if keep == "scores":  # a model that failed has no scores and is not compared
        found = [np.zeros(len(folds[0].test)) if one.prediction is None else one.prediction for one in done]
        out.ranking = truth[folds[0].test], np.column_stack(found)
    elif keep == "labels":
        columns = [
            np.concatenate([wrong_rows(one, truth[folds[one.fold].test]) for one in done if one.model == j])
            for j in range(len(names))
        ]
        out.wrong = np.column_stack(columns)
    return out


def wrong_rows(one: Outcome, truth: NDArray) -> NDArray:
    """Return which rows of a test part a model got wrong; a model that failed got them all wrong and is not compared."""
    return np.ones(len(truth), bool) if one.prediction is None else one.prediction != truth


def on_several(models: dict[str, Any], data: Mapping, cv: Any, scoring: Any, n_jobs: Any, seed: Any) -> Measured:
    """Return the mean scores of models on several data sets."""
    rows, parts = [], [str(name) for name in data]
    out = Measured(
        list(models), np.empty((0, len(models))), parts, Design("data sets", len(data), 0.0, f"{len(data)} data sets")
    )
    times: list[Any] = []
    for name, pair in data.items():
        try:
            X, y = (pair["data"], pair["target"]) if isinstance(pair, Mapping) else pair
        except (KeyError, TypeError, ValueError) as problem:
            raise DataError(
                f"compare: data set {name!r} must be a pair (X, y) or a Bunch with data and target."
            ) from problem
        one = on_one(models, X=X, y=y, cv=cv, scoring=scoring, groups=None, n_jobs=n_jobs, seed=seed)
        rows.append(one.scores.mean(0))
        times.append(one.seconds)
        out.failures += [ModelFailure(f.model, f"{name}, {f.part}", f.error) for f in one.failures]
        out.warnings += [f"{name}: {text}" for text in one.warnings]
        out.scoring = one.scoring
    out.scores, out.seconds = np.array(rows), np.mean(times, axis=0)
    return out
