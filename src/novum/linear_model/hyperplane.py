r"""Hyperplanes: the geometry of linear decisions.

    f(x) = w'x + b,   the plane is f(x) = 0,   w is normal to it                                   (1)
    signed distance    r(x) = f(x) / |w|                                                           (2)
    foot of the perpendicular    x_p = x - r(x) w / |w|                                            (3)
    functional margin of (x, y)  y f(x),   geometric margin  y r(x),   y in {-1, +1}               (4)
    canonical form for X: the multiple of (w, b) with min_i |f(x_i)| = 1; then the nearest row lies at 1/|w|       (5)

Several functions f_k decide by the largest; classes i and j meet where f_i - f_j = 0, and every region is convex: if f_i is
largest at two points, it is largest on the line between them, as all f_k are linear there.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from novum.exceptions import DataError, ParameterError
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.numbers import counted, num
from novum.report.result import Result
from novum.report.style import ink, series, shade
from novum.runtime.typing import Axes, Fittable, Numbers, Rows, Target

__all__ = ["Hyperplane"]


class Hyperplane(Result):
    """One linear function of x, or several, and the planes where they decide.

    Parameters
    ----------
    coef : array-like of shape (n_features,) or (n_functions, n_features)
        w of (1), not zero; one row per function where there are several.
    intercept : float or array-like of shape (n_functions,), default=0
        b of (1).

    Examples
    --------
    >>> from novum.linear_model import Hyperplane
    >>> plane = Hyperplane([3.0, 4.0], -5.0)
    >>> plane.signed_distance([[3.0, 4.0]]), plane.project([[3.0, 4.0]])
    (array([4.]), array([[0.6, 0.8]]))
    >>> plane.origin_distance
    -1.0
    """

    def __init__(self, coef: Numbers, intercept: float | Numbers = 0.0) -> None:
        w = np.asarray(coef, dtype=np.float64)
        b = np.asarray(intercept, dtype=np.float64)
        self.several = w.ndim == 2 and len(w) > 1
        w = w[0] if w.ndim == 2 and len(w) == 1 else w
        b = b.reshape(()) if not self.several and b.size == 1 else b
        if w.ndim not in (1, 2) or w.shape[-1] == 0 or b.shape not in ((), w.shape[:-1]):
            raise ParameterError(
                f"Hyperplane(coef=..., intercept=...): shapes {w.shape} and {b.shape} do not belong together; give a vector and a"
                " number, or one row and one number per function."
            )
        if not (np.isfinite(w).all() and np.isfinite(b).all()):
            raise ParameterError("Hyperplane(coef=..., intercept=...) must be finite.")
        if not self.several and not w.any():
            raise ParameterError(
                "Hyperplane(coef=...) is zero: w'x + b = b is no plane; give a normal that is not zero."
            )
        self.coef, self.intercept = w, np.broadcast_to(b, w.shape[:-1]).copy()

    @classmethod
    def from_estimator(cls, estimator: Fittable) -> "Hyperplane":
        """Return the planes of a fitted linear model, from its `coef_` and `intercept_`."""
        if not hasattr(estimator, "coef_"):
            raise ParameterError(
                f"Hyperplane.from_estimator: {type(estimator).__name__} has no coef_; give a fitted linear model."
            )
        return cls(np.asarray(estimator.coef_), getattr(estimator, "intercept_", 0.0))

    def __repr__(self) -> str:
        if self.several:
            return f"Hyperplane({len(self.coef)} functions of {counted(self.coef.shape[1], 'variable')})"
        terms = " + ".join(f"{num(w):.4g} x{i}" for i, w in enumerate(self.coef))
        return f"Hyperplane({terms} + {num(float(self.intercept)):.4g} = 0)".replace("+ -", "- ")

    def _result_columns(self) -> dict[str, Any]:
        names = [f"x{i}" for i in range(self.coef.shape[-1])]
        rows = zip(np.atleast_2d(self.coef), np.atleast_1d(self.intercept))
        return {
            "term": [*names, "1"],
            **{f"function {k}" if self.several else "coef": [*w, b] for k, (w, b) in enumerate(rows)},
        }

    @property
    def norm(self) -> Any:
        """|w|, of every function."""
        norm = np.linalg.norm(self.coef, axis=-1)
        return norm if self.several else float(norm)

    @property
    def normal(self) -> NDArray:
        """w / |w|: the direction in which f grows fastest."""
        return self.coef / np.expand_dims(self.norm, -1)

    @property
    def origin_distance(self) -> Any:
        """r(0) = b / |w|: where the origin lies, with its sign."""
        distance = self.intercept / self.norm
        return distance if self.several else float(distance)

    def _rows(self, X: Any) -> NDArray:
        X = check_array(X, dtype=np.float64, estimator="Hyperplane", input_name="X")
        if X.shape[1] != self.coef.shape[-1]:
            raise DataError(f"X has {X.shape[1]} features, but Hyperplane is expecting {self.coef.shape[-1]} features.")
        return X

    def _one(self, method: str) -> None:
        if self.several:
            raise ParameterError(
                f"Hyperplane.{method} is about one plane, and there are {len(self.coef)} functions; take one by"
                " `between(i, j)` or `at(0.0, i)`."
            )

    def decision_function(self, X: Rows) -> NDArray:
        """Return f of every row, (1); one column per function where there are several.

        f(x) = w'x + b,   the plane is f(x) = 0,   w is normal to it    (1)
        """
        return self._rows(X) @ self.coef.T + self.intercept

    def predict(self, X: Rows) -> NDArray:
        """Return +1 where f >= 0 and -1 elsewhere; with several functions the index of the largest, the first of equals."""
        value = self.decision_function(X)
        return value.argmax(axis=1) if self.several else np.where(value >= 0, 1, -1)

    def signed_distance(self, X: Rows) -> NDArray:
        """Return (2): positive on the side that w points to.

        signed distance   r(x) = f(x) / |w|    (2)
        """
        return self.decision_function(X) / self.norm

    def project(self, X: Rows) -> NDArray:
        """Return (3): the nearest point of the plane.

        foot of the perpendicular   x_p = x - r(x) w / |w|    (3)
        """
        self._one("project")
        X = self._rows(X)
        return X - self.signed_distance(X)[:, None] * self.normal

    def functional_margin(self, X: Rows, y: Target) -> NDArray:
        """Return y f(x), (4), for labels -1 and +1; positive where the sign is right.

        functional margin of (x, y)  y f(x),   geometric margin  y r(x),   y in {-1, +1}    (4)
        """
        self._one("functional_margin")
        labels = np.asarray(y)
        if not np.isin(labels, (-1, 1)).all():
            raise DataError("Hyperplane: margins need labels -1 and +1; give y in that coding.")
        return labels * self.decision_function(X)

    def geometric_margin(self, X: Rows, y: Target) -> NDArray:
        """Return y r(x), (4): how far the plane is from making a mistake.

        functional margin of (x, y)  y f(x),   geometric margin  y r(x),   y in {-1, +1}    (4)
        """
        return self.functional_margin(X, y) / self.norm

    def canonical(self, X: Rows) -> "Hyperplane":
        """Return the same plane scaled as in (5).

        canonical form for X: the multiple of (w, b) with min_i |f(x_i)| = 1; then the nearest row lies at 1/|w|    (5)
        """
        self._one("canonical")
        least = np.abs(self.decision_function(X)).min()
        if least == 0:
            raise DataError(
                "Hyperplane.canonical: a row of X lies on the plane, so no multiple of f is 1 at the nearest row."
            )
        return Hyperplane(self.coef / least, self.intercept / least)

    def at(self, level: float, function: int = 0) -> "Hyperplane":
        """Return the plane f(x) = level; the boundary of an activation a at threshold k is at level a^-1(k)."""
        if self.several:
            return Hyperplane(self.coef[function], self.intercept[function] - level)
        return Hyperplane(self.coef, self.intercept - level)

    def between(self, i: int, j: int) -> "Hyperplane":
        """Return the plane where functions i and j are equal, positive on the side of i."""
        if not self.several:
            raise ParameterError("Hyperplane.between: there is one function; nothing lies between.")
        return Hyperplane(self.coef[i] - self.coef[j], self.intercept[i] - self.intercept[j])

    def plot(self, ax: Axes | None = None, *, X: Rows | None = None, label: str | None = None) -> Axes:
        """Draw the plane in two dimensions, its normal, and the perpendiculars of the rows of X; return the axes.

        With a `label` it has a color of its own and an entry in the legend, for several planes on the same axes.
        """
        self._one("plot")
        if self.coef.shape != (2,):
            raise ParameterError(f"Hyperplane.plot draws a plane in two dimensions, not in {len(self.coef)}.")
        ax = drawing_axes(ax)
        color = ink(ax) if label is None else series(ax, 2 + len(ax.get_legend_handles_labels()[1]))
        foot = -self.origin_distance * self.normal  # the point of the plane nearest to the origin
        along = np.array([-self.normal[1], self.normal[0]])
        points = foot[None] if X is None else self._rows(X)
        reach = 1.2 * max(1.0, float(np.abs((points - foot) @ along).max()), abs(self.origin_distance))
        ax.plot(*np.stack([foot - reach * along, foot + reach * along]).T, color=color, label=label or "f(x) = 0")
        arrow = {"arrowstyle": "<-", "color": color}
        ax.annotate(
            "w", foot, foot + 0.4 * reach * self.normal, arrowprops=arrow, color=color, ha="center", va="center"
        )
        if X is not None:
            side = self.predict(points)
            for point, base in zip(points, self.project(points)):
                ax.plot(*np.stack([base, point]).T, color=shade(ax, 0.5), linewidth=0.8, linestyle=":")
            ax.scatter(*points.T, c=np.where(side > 0, series(ax, 0), series(ax, 1)), zorder=3)
        ax.set_aspect("equal")
        ax.set(xlabel="x0", ylabel="x1", title=f"distance of the origin: {num(self.origin_distance):.3g}")
        if label is not None:
            ax.set_title("")
            draw_legend(ax)
        return ax
