from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from novum.runtime.typing import Axes, Fittable, Label, Numbers, Rows, RowWeights, Seed, Splitter, Target

class Drawn:
    ax_: Axes
    figure_: Any

class BinaryCurve(Drawn):
    name: str | list[str] | None
    pos_label: Any
    line_: Any
    chance_level_: Any
    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Rows,
        y: Target,
        *,
        sample_weight: RowWeights = None,
        drop_intermediate: bool = True,
        response_method: str = "auto",
        pos_label: Label | None = None,
        name: str | list[str] | None = None,
        ax: Axes | None = None,
        curve_kwargs: dict[str, Any] | list[dict[str, Any]] | None = None,
        plot_chance_level: bool = False,
        chance_level_kwargs: dict[str, Any] | None = None,
        despine: bool = False,
    ) -> Self: ...
    @classmethod
    def from_estimator(cls, *args: Any, **kwargs: Any) -> Self: ...
    @classmethod
    def from_predictions(cls, *args: Any, **kwargs: Any) -> Self: ...
    def plot(self, *args: Any, **kwargs: Any) -> Self: ...
    @classmethod
    def _validate_and_get_response_values(cls, *args: Any, **kwargs: Any) -> Any: ...

class RocCurveDisplay(BinaryCurve):
    fpr: Any
    tpr: Any
    roc_auc: Any
    def __init__(
        self,
        *,
        fpr: Numbers,
        tpr: Numbers,
        roc_auc: float | list[float] | None = None,
        name: str | list[str] | None = None,
        pos_label: Label | None = None,
    ) -> None: ...

class PrecisionRecallDisplay(BinaryCurve):
    precision: Any
    recall: Any
    average_precision: Any
    prevalence_pos_label: Any
    def __init__(
        self,
        precision: Numbers,
        recall: Numbers,
        *,
        average_precision: float | list[float] | None = None,
        name: str | list[str] | None = None,
        pos_label: Label | None = None,
        prevalence_pos_label: float | list[float] | None = None,
        estimator_name: str = "deprecated",
    ) -> None: ...

class ScoreCurve(Drawn):
    train_scores: np.ndarray
    test_scores: np.ndarray
    score_name: str | None
    errorbar_: Any
    lines_: Any
    fill_between_: Any
    def plot(
        self,
        ax: Axes | None = None,
        *,
        negate_score: bool = False,
        score_name: str | None = None,
        score_type: str = "both",
        std_display_style: str | None = "fill_between",
        line_kw: dict[str, Any] | None = None,
        fill_between_kw: dict[str, Any] | None = None,
        errorbar_kw: dict[str, Any] | None = None,
    ) -> Self: ...

class LearningCurveDisplay(ScoreCurve):
    train_sizes: np.ndarray
    def __init__(
        self, *, train_sizes: Numbers, train_scores: Numbers, test_scores: Numbers, score_name: str | None = None
    ) -> None: ...
    @classmethod
    def from_estimator(
        cls,
        estimator: Fittable,
        X: Rows,
        y: Target,
        *,
        groups: Numbers | None = None,
        train_sizes: Numbers = ...,
        cv: Splitter = None,
        scoring: Any = None,
        exploit_incremental_learning: bool = False,
        n_jobs: int | None = None,
        pre_dispatch: int | str = "all",
        verbose: int = 0,
        shuffle: bool = False,
        random_state: Seed = None,
        error_score: Any = ...,
        fit_params: dict[str, Any] | None = None,
        ax: Axes | None = None,
        negate_score: bool = False,
        score_name: str | None = None,
        score_type: str = "both",
        std_display_style: str | None = "fill_between",
        line_kw: dict[str, Any] | None = None,
        fill_between_kw: dict[str, Any] | None = None,
        errorbar_kw: dict[str, Any] | None = None,
    ) -> Self: ...

class ValidationCurveDisplay(ScoreCurve):
    param_name: str
    param_range: Any
    def __init__(
        self,
        *,
        param_name: str,
        param_range: Numbers,
        train_scores: Numbers,
        test_scores: Numbers,
        score_name: str | None = None,
    ) -> None: ...
    @classmethod
    def from_estimator(
        cls,
        estimator: Fittable,
        X: Rows,
        y: Target,
        *,
        param_name: str,
        param_range: Any,
        groups: Numbers | None = None,
        cv: Splitter = None,
        scoring: Any = None,
        n_jobs: int | None = None,
        pre_dispatch: int | str = "all",
        verbose: int = 0,
        error_score: Any = ...,
        fit_params: dict[str, Any] | None = None,
        ax: Axes | None = None,
        negate_score: bool = False,
        score_name: str | None = None,
        score_type: str = "both",
        std_display_style: str | None = "fill_between",
        line_kw: dict[str, Any] | None = None,
        fill_between_kw: dict[str, Any] | None = None,
        errorbar_kw: dict[str, Any] | None = None,
    ) -> Self: ...
