r"""Learning and validation curves that say what they show.

Both are scikit-learn's displays (training and test scores against rows, or against a parameter) with a diagnosis. With scores
at the last training size and gap = training - test,

    high variance:  in four folds of five a gap beyond a tenth of the range of scores              (1)
    high bias:      the training score itself short of the target by that tenth                    (2)

and whether more rows would help is read from the slope of the test score over the last third of the sizes.
"""

from typing import Any, NamedTuple

import numpy as np

from novum.evaluation.curves.drawn_scores import DrawnScores
from novum.evaluation.curves.sklearn_displays import LearningCurveDisplay as SklearnLearningCurve
from novum.evaluation.curves.sklearn_displays import ValidationCurveDisplay as SklearnValidationCurve
from novum.exceptions import ParameterError
from novum.report.numbers import counted, num
from novum.report.result import Result, result
from novum.runtime.checks import check_number
from novum.runtime.typing import Label

__all__ = ["Diagnosis", "LearningCurveDisplay", "ValidationCurveDisplay"]

SHARE = 0.1  # of the range of scores that counts as a gap
MOST_FOLDS = 0.8  # share of the folds that must show a gap
GAIN = 0.02  # of that range, over the last third of the sizes, that counts as still rising


@result
class Diagnosis(NamedTuple):
    """What a curve shows."""

    kind: str  # "high bias", "high variance", "both" or "good fit"
    train: float
    test: float
    gap: float
    advice: str

    def __str__(self) -> str:
        return f"{self.kind}: training {num(self.train):.3f}, test {num(self.test):.3f}, gap {num(self.gap):.3f}; {self.advice}"


ADVICE = {
    "high bias": "a richer model or better features are needed; more rows will not help",
    "high variance": "more rows, fewer features or a stronger penalty would help",
    "both": "the model misses the target and its training rows flatter it; try another family",
    "good fit": "training and test scores meet",
}


def diagnose_at(
    train: np.ndarray, test: np.ndarray, place: int, target: float, reach: float
) -> tuple[str, float, float, float]:
    """Return (1) or (2) at one place of curves (places, folds)."""
    a, b = float(train[place].mean()), float(test[place].mean())
    wide = (
        train[place] - test[place] > SHARE * reach
    ).mean() >= MOST_FOLDS  # a mean would follow one fold that is far off
    low = target - a > SHARE * reach
    kind = "both" if wide and low else "high variance" if wide else "high bias" if low else "good fit"
    return kind, a, b, a - b


def target_and_reach(owner: str, train: np.ndarray, test: np.ndarray, target: float | None) -> tuple[float, float]:
    """Return the score aimed at, by default the last on the training rows, and the range of scores to measure gaps by."""
    aim = float(train[-1].mean()) if target is None else check_number(owner, "target", target)
    top = max(aim, float(train.mean(1).max()), float(test.mean(1).max()))
    # the worst test score is no measure: a polynomial of high degree may be off by any amount
    return aim, top - min(float(train.mean(1).min()), float(test.mean(1).max())) or 1.0


class LearningCurveDisplay(DrawnScores, SklearnLearningCurve, Result):  # type: ignore[misc]  # scikit-learn's displays return themselves
    """scikit-learn's learning curve with a diagnosis in words.

    `from_estimator` and every parameter are scikit-learn's.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from novum.evaluation import LearningCurveDisplay
    >>> from novum.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> display = LearningCurveDisplay.from_estimator(GaussianNB(), X, y, shuffle=True, random_state=0)
    >>> display.diagnose(target=0.95).kind
    'good fit'
    """

    def _result_columns(self) -> dict[str, Any]:
        scores = {"train_score": self.train_scores, "test_score": self.test_scores}
        return {
            "train_sizes": list(self.train_sizes),
            **{name: np.mean(value, axis=1) for name, value in scores.items()},
        }

    def diagnose(self, target: float | None = None) -> Diagnosis:
        """Say whether bias or variance limits the model at the largest training size, and whether more rows would help.

        Parameters
        ----------
        target : float, default=None
            A score that would do (negative for losses, as scikit-learn scores them); without one high bias cannot be determined.
        """
        train, test = np.asarray(self.train_scores, dtype=float), np.asarray(self.test_scores, dtype=float)
        aim, reach = target_and_reach("LearningCurveDisplay.diagnose", train, test, target)
        kind, a, b, gap = diagnose_at(train, test, -1, aim, reach)
        near = " near the target" if kind == "good fit" and target is not None else ""
        mean = test.mean(1)
        third = max(1, len(mean) // 3)
        rising = mean[-1] - mean[-1 - third] > GAIN * reach if len(mean) > third else False
        more = (
            "the test score is still rising with more rows"
            if rising
            else "the test score no longer rises with more rows"
        )
        return Diagnosis(kind, a, b, gap, f"{ADVICE[kind]}{near}; {more}")

    def __repr__(self) -> str:
        sizes = np.asarray(self.train_sizes)
        return f"learning curve, {sizes.min():,} to {counted(sizes.max(), 'row')}: {self.diagnose()}"


class ValidationCurveDisplay(DrawnScores, SklearnValidationCurve, Result):  # type: ignore[misc]  # scikit-learn's displays return themselves
    """scikit-learn's validation curve with a diagnosis in words: training and test scores against one parameter.

    `from_estimator` and every parameter are scikit-learn's. With a tree's `max_leaf_nodes` it is the curve of accuracy against
    size, with a polynomial's degree that of over- and underfitting.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from novum.evaluation import ValidationCurveDisplay
    >>> from novum.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> display = ValidationCurveDisplay.from_estimator(
    ...     DecisionTreeClassifier(random_state=0), X, y, param_name="max_leaf_nodes", param_range=[2, 4, 8, 16, 32]
    ... )
    >>> display.best in (4, 8, 16), display.diagnose(32).kind
    (True, 'high variance')
    """

    @property
    def best(self) -> Any:
        """The value of the best mean test score; of equal ones the first."""
        return np.asarray(self.param_range)[int(np.argmax(np.asarray(self.test_scores, dtype=float).mean(1)))].item()

    @property
    def gap(self) -> np.ndarray:
        """Training score minus test score by value."""
        return np.asarray(self.train_scores, dtype=float).mean(1) - np.asarray(self.test_scores, dtype=float).mean(1)

    def _result_columns(self) -> dict[str, Any]:
        scores = {"train_score": self.train_scores, "test_score": self.test_scores}
        return {
            "param_range": list(self.param_range),
            **{name: np.mean(value, axis=1) for name, value in scores.items()},
        }

    def diagnose(self, value: Label | None = None, target: float | None = None) -> Diagnosis:
        """Say whether the model over- or underfits at a value of the parameter, the best one by default.

        Parameters
        ----------
        value : default=None
            One of the values of the curve.
        target : float, default=None
            A score that would do; the best seen on the curve by default.
        """
        known = list(np.asarray(self.param_range).tolist())
        chosen = self.best if value is None else value
        if chosen not in known:
            raise ParameterError(f"ValidationCurveDisplay.diagnose(value={value!r}): the curve has {known}.")
        train, test = np.asarray(self.train_scores, dtype=float), np.asarray(self.test_scores, dtype=float)
        seen = float(test.mean(1).max()) if target is None else target
        aim, reach = target_and_reach("ValidationCurveDisplay.diagnose", train, test, seen)
        kind, a, b, gap = diagnose_at(train, test, known.index(chosen), aim, reach)
        near = " near the target" if kind == "good fit" and target is not None else ""
        advice = (
            f"best {self.param_name} {self.best}" if chosen != self.best else "no other value of the curve does better"
        )
        return Diagnosis(kind, a, b, gap, f"{ADVICE[kind]}{near}; {advice}")

    def __repr__(self) -> str:
        return f"validation curve of {self.param_name}, best {self.best}: {self.diagnose()}"
