r"""Structural risk minimization: among nested or listed classes of models, the one with the least bound on its true error.

    choose  argmin_j  r_j + sqrt((ln Pi_j(2n) + ln(4 k / delta)) / n)                                                (1)

r_j is the training error of the model of class j. k classes share the level, delta/k each, so that the bound of the chosen
one holds with probability 1 - delta although it was chosen by looking. Empirical risk minimization would take the least r_j
alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from novum.exceptions import ParameterError
from novum.report.axes import drawing_axes, name_places
from novum.report.legends import draw_legend
from novum.report.numbers import cell_text, num
from novum.report.result import Result
from novum.report.style import ink, series, shade
from novum.runtime.checks import check_number
from novum.runtime.typing import Rows, Target
from novum.theory.bounds import ErrorBound, error_bound

__all__ = ["StructuralRisk", "structural_risk_minimization"]


@dataclass(frozen=True)
class StructuralRisk(Result):
    """Bounds of all classes and the model of the least.

    Attributes
    ----------
    bounds : dict of str to ErrorBound
    models : dict of str to fitted classifier
    best : str
        Name with the least bound; of equal bounds the first.
    """

    bounds: dict[str, ErrorBound]
    models: dict[str, Any]
    best: str

    @property
    def best_model(self) -> Any:
        """The fitted model of the least bound."""
        return self.models[self.best]

    def to_frame(self) -> Any:
        """Return one row per class: training error, what is added, bound, capacity."""
        import pandas as pd

        columns = ("training_error", "complexity", "value", "kind", "capacity")
        rows = {name: {c: getattr(bound, c) for c in columns} for name, bound in self.bounds.items()}
        return pd.DataFrame.from_dict(rows, orient="index")

    def __repr__(self) -> str:
        width = max(map(len, self.bounds))
        lines = [f"{'':{width}}  training  added   bound"]
        for name, b in self.bounds.items():
            mark = "  <- least" if name == self.best else ""
            lines.append(
                f"{name:{width}}  {num(b.training_error):8.4f}  {num(b.complexity):.4f}  {num(b.value):.4f}{mark}"
            )
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return self.to_frame().to_html(float_format=cell_text)

    def plot(self, ax: Any = None) -> Any:
        """Draw training error, capacity term and bound over the classes."""
        ax = drawing_axes(ax)
        place = np.arange(len(self.bounds))
        parts = list(self.bounds.values())
        ax.plot(place, [b.training_error for b in parts], "o-", color=series(ax, 0), label="training error")
        ax.plot(place, [b.complexity for b in parts], "o--", color=shade(ax, 0.5), label="capacity term")
        ax.plot(place, [b.value for b in parts], "o-", color=series(ax, 3), label="bound")
        ax.axvline(list(self.bounds).index(self.best), color=ink(ax), lw=1, ls=":")
        ax.set(xlabel="class of models", ylabel="error")
        name_places(ax, "x", place, self.bounds)
        draw_legend(ax)
        return ax


def structural_risk_minimization(
    models: Mapping[str, Any], X: Rows, y: Target, delta: float = 0.05, *, kind: str | None = None, **options: Any
) -> StructuralRisk:
    """Fit one model of every class and choose the least bound (1).

        choose  argmin_j  r_j + sqrt((ln Pi_j(2n) + ln(4 k / delta)) / n)    (1)

    Parameters
    ----------
    models : mapping of str to classifier
        One per class, unfitted, in order of capacity; copies are fitted.
    X, y : array-like
        The examples.
    delta : float, default=0.05
        The bound of the chosen model may fail with this probability.
    kind, **options
        As in `error_bound`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import PolynomialFeatures
    >>> from novum.linear_model import LogisticRegression
    >>> from novum.theory import structural_risk_minimization
    >>> x = np.random.default_rng(0).uniform(-1, 1, (4000, 1))
    >>> degree = lambda p: make_pipeline(PolynomialFeatures(p, include_bias=False), LogisticRegression(C=1e3))
    >>> found = structural_risk_minimization({str(p): degree(p) for p in (1, 2, 5, 9)}, x, abs(x[:, 0]) < 0.5)
    >>> found.best
    '2'
    """
    if not isinstance(models, Mapping) or not models:
        raise ParameterError(
            "structural_risk_minimization(models=...): give a mapping of names to classifiers, at least one."
        )
    delta = check_number("structural_risk_minimization", "delta", delta, 0, 1, open_low=True, open_high=True)
    fitted = {str(name): clone(model).fit(X, y) for name, model in models.items()}
    bounds = {
        name: error_bound(model, X, y, delta / len(fitted), kind=kind, **options) for name, model in fitted.items()
    }
    return StructuralRisk(bounds, fitted, min(bounds, key=lambda name: bounds[name].value))
