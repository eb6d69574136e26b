"""The precision-recall curve: scikit-learn's display with a band about the curve and an interval of the area (`banded.py`)."""

from typing import Any, Self

from numpy.typing import NDArray

from novum.evaluation.curves.banded import Banded, Resampling, curve_columns
from novum.evaluation.curves.bands import precision_at
from novum.evaluation.curves.sklearn_displays import PrecisionRecallDisplay as SklearnPrecisionRecall
from novum.evaluation.intervals.proportion import Interval
from novum.evaluation.scores.statistics import Areas, intervals
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.runtime.typing import Axes, Fittable, Label, Numbers, Rows, RowWeights, Seed

__all__ = ["PrecisionRecallDisplay"]

LEAST_INTERVAL = 1000  # resamples of an interval, whose ends need more than a picture


class PrecisionRecallDisplay(SklearnPrecisionRecall, Banded):
    """The precision-recall curve with a pointwise band, and the area by steps with a BCa interval.

    scikit-learn's display, made by `from_estimator(model, X, y)`, `from_predictions(y, y_score)` or
    `from_cv_results(cv_results, X, y)`, which draw it; `plot` draws it once more. All parameters and attributes of scikit-learn's
    are there.

    Attributes
    ----------
    precision, recall : ndarray
        At the thresholds, from recall 1 to recall 0.
    average_precision : float
        The area by steps.
    average_precision_interval : (float, float)
        BCa, at `level`.
    area_trapezoid : float
        By trapezoids, which is optimistic: precision does not change linearly with recall (Davis and Goadrich 2006).
    prevalence_pos_label : float
        The precision of guessing.
    band : (places, lower, upper)
        Of the precision at fixed places of the recall.
    level : float
    line_, chance_level_, ax_, figure_ : what was drawn

    Examples
    --------
    >>> from novum.evaluation import PrecisionRecallDisplay
    >>> display = PrecisionRecallDisplay.from_predictions([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    >>> round(float(display.average_precision), 4), round(display.area_trapezoid, 4)
    (0.9167, 0.9028)
    """

    average_precision_interval: Interval | None = None
    area_trapezoid: float | None = None
    _read = staticmethod(precision_at)

    @classmethod
    def from_estimator(
        cls,
        estimator: Fittable,
        X: Rows,
        y: Numbers,
        *,
        sample_weight: RowWeights = None,
        drop_intermediate: bool = False,
        response_method: str = "auto",
        pos_label: Label | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: dict[str, Any] | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: dict[str, Any] | None = None,
        despine: bool = False,
        level: float = 0.95,
        n_resamples: int = 500,
        random_state: Seed = 0,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve of a fitted classifier of two classes; return the display.

        Parameters
        ----------
        estimator : fitted classifier
        X, y : rows and their labels
        sample_weight : array-like of shape (n_samples,), default=None
        drop_intermediate : bool, default=False
            Leave out thresholds that change nothing in the picture.
        response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
        pos_label : label, default=None
            The positive class; None takes `classes_[1]`.
        name : str, default=None
            For the legend; None takes the class of the estimator.
        ax : matplotlib axes, default=None
            None makes a figure.
        curve_kwargs : dict, default=None
            For matplotlib's `plot`.
        plot_chance_level : bool, default=False
        chance_level_kw : dict, default=None
            For the line at chance level.
        despine : bool, default=False
            Leave out the upper and the right line of the frame.
        level : float, default=0.95
            Of the band at every place, and of the area's interval.
        n_resamples : int, default=500
            From which the band is taken.
        random_state : default=0
        **kwargs
            scikit-learn's old way to give `curve_kwargs`.
        """
        y_score, pos_label, name = cls._validate_and_get_response_values(
            estimator, X, y, response_method=response_method, pos_label=pos_label, name=name
        )
        return cls.from_predictions(
            y,
            y_score,
            sample_weight=sample_weight,
            drop_intermediate=drop_intermediate,
            pos_label=pos_label,
            name=name,
            ax=ax,
            curve_kwargs=curve_kwargs,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            despine=despine,
            level=level,
            n_resamples=n_resamples,
            random_state=random_state,
            **kwargs,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: Numbers,
        y_score: Numbers | None = None,
        *,
        sample_weight: RowWeights = None,
        drop_intermediate: bool = False,
        pos_label: Label | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: dict[str, Any] | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: dict[str, Any] | None = None,
        despine: bool = False,
        y_pred: Numbers = "deprecated",
        level: float = 0.95,
        n_resamples: int = 500,
        random_state: Seed = 0,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve of scores that grow with the probability of the positive class; return the display.

        Parameters
        ----------
        y_true, y_score : array-likes of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
        drop_intermediate : bool, default=False
            Leave out thresholds that change nothing in the picture.
        pos_label : label, default=None
            The positive class; None takes 1 of {0, 1} or of {-1, 1}.
        name : str, default=None
            For the legend; None takes "Classifier".
        ax : matplotlib axes, default=None
            None makes a figure.
        curve_kwargs : dict, default=None
            For matplotlib's `plot`.
        plot_chance_level : bool, default=False
        chance_level_kw : dict, default=None
            For the line at chance level.
        despine : bool, default=False
            Leave out the upper and the right line of the frame.
        y_pred
            scikit-learn's old name of y_score.
        level : float, default=0.95
            Of the band at every place, and of the area's interval.
        n_resamples : int, default=500
            From which the band is taken.
        random_state : default=0
        **kwargs
            scikit-learn's old way to give `curve_kwargs`.
        """
        resampling = Resampling.checked(f"{cls.__name__}.from_predictions", level, n_resamples, random_state)
        display = super().from_predictions(
            y_true,
            y_score,
            sample_weight=sample_weight,
            drop_intermediate=drop_intermediate,
            pos_label=pos_label,
            name=name,
            ax=ax,
            curve_kwargs=curve_kwargs,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            despine=despine,
            y_pred=y_pred,
            **kwargs,
        )
        return display._resampled(y_true, y_pred if y_score is None else y_score, sample_weight, resampling)

    def plot(  # type: ignore[override]  # scikit-learn's displays return themselves
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: dict[str, Any] | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: dict[str, Any] | None = None,
        despine: bool = False,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve and its band; return the display. The parameters are those of `from_predictions`."""
        SklearnPrecisionRecall.plot(
            self,
            drawing_axes(ax),
            name=name,
            curve_kwargs=curve_kwargs,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            despine=despine,
            **kwargs,
        )
        self._draw_band()
        if self.ax_.get_legend() is not None:
            draw_legend(self.ax_)
        return self

    def _judge(self, positive: NDArray, score: NDArray, weight: NDArray | None, resampling: Resampling) -> None:
        resamples = max(resampling.n_resamples, LEAST_INTERVAL)
        areas = intervals(
            Areas(positive[:, None], score[:, None], weight), resampling.level, resamples, resampling.seed
        )
        self.average_precision_interval, self.area_trapezoid = areas["average_precision"][1], areas["pr_auc"][0]

    def _result_columns(self) -> dict[str, Any]:
        return curve_columns(recall=self.recall, precision=self.precision)

    def __repr__(self) -> str:
        return self._said(self.average_precision, self.average_precision_interval)
