r"""Pictures of information: the entropy of a coin, and the entropies of two variables as overlapping areas.

    H(X, Y) = H(X|Y) + I(X;Y) + H(Y|X)                                                                       (14)

The two discs have areas H(X) and H(Y) and overlap in the area I(X;Y); the distance of their centers is found from the area of
the lens that two circles of radii r and s at distance t have in common,

    r^2 arccos((t^2 + r^2 - s^2) / 2tr) + s^2 arccos((t^2 + s^2 - r^2) / 2ts)
        - sqrt((-t + r + s)(t + r - s)(t - r + s)(t + r + s)) / 2                                            (15)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import entr

from novum.distributions.tables.joint import JointTable
from novum.exceptions import DataError
from novum.information.pairs import conditional_nats, mutual_nats
from novum.information.sources import table_of
from novum.information.units import Base, as_float, log_of, unit_name
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.numbers import num
from novum.report.result import Result
from novum.report.style import SMALL, paper, series, shade
from novum.runtime.checks import check_choice
from novum.runtime.typing import Axes, HasArray, Numbers, RowWeights

__all__ = ["EntropyCurve", "InformationDiagram", "entropy_curve", "information_diagram"]

POINTS = 401  # odd, so that one half is among them
FIRST, SHARED, SECOND = 0, 4, 3  # places of their colors


@dataclass(frozen=True, repr=False)
class EntropyCurve(Result):
    """The entropy of a coin against its probability of heads.

    Attributes
    ----------
    p, entropy : ndarray of shape (n,)
    unit : str
    """

    p: NDArray[Any]
    entropy: NDArray[Any]
    unit: str

    def __repr__(self) -> str:
        top = f", at most {num(self.entropy.max()):.6g}" if self.entropy.size else ""
        return f"EntropyCurve of {self.p.size} probabilities: entropy in {self.unit}{top}; .plot() draws it"

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the curve and return the axes."""
        ax = drawing_axes(ax)
        ax.plot(self.p, self.entropy, color=series(ax, 0), lw=2)
        top = int(self.entropy.argmax())
        ax.plot(self.p[top], self.entropy[top], "o", color=series(ax, SECOND))
        ax.set(xlabel="probability p", ylabel=f"entropy H(p) in {self.unit}", ylim=(0, None))
        return ax


def entropy_curve(p: Numbers | None = None, *, base: Base = "bits") -> EntropyCurve:
    """Return H(p) = -p log p - (1 - p) log(1 - p).

    Parameters
    ----------
    p : array-like, optional
        Probabilities; 401 from 0 to 1 by default.
    base : "bits", "nats" or number above 1, default="bits"

    Returns
    -------
    EntropyCurve
        `.plot()` draws it.

    Examples
    --------
    >>> from novum.teaching import entropy_curve
    >>> entropy_curve([0, 0.25, 0.5, 1]).entropy.round(6)
    array([0.      , 0.811278, 1.      , 0.      ])
    """
    share = np.linspace(0, 1, POINTS) if p is None else np.asarray(p, dtype=np.float64)
    if not np.all((share >= 0) & (share <= 1)):
        raise DataError("entropy_curve: every p must lie in [0, 1] and not be NaN.")
    return EntropyCurve(share, (entr(share) + entr(1 - share)) / log_of("entropy_curve", base), unit_name(base))


def lens_area(r: float, s: float, t: float) -> float:
    """Return (15)."""
    if t >= r + s:
        return 0.0
    if t <= abs(r - s):
        return float(np.pi * min(r, s) ** 2)
    a = np.arccos(np.clip((t * t + r * r - s * s) / (2 * t * r), -1, 1))
    b = np.arccos(np.clip((t * t + s * s - r * r) / (2 * t * s), -1, 1))
    kite = np.sqrt(max((-t + r + s) * (t + r - s) * (t - r + s) * (t + r + s), 0.0)) / 2
    return float(r * r * a + s * s * b - kite)


def center_distance(r: float, s: float, shared: float) -> float:
    """Return the distance at which the lens (15) has the given area."""
    low, high = abs(r - s), r + s
    if shared >= lens_area(r, s, low):
        return low
    if shared <= 0:
        return high
    return float(brentq(lambda t: lens_area(r, s, t) - shared, low, high, xtol=1e-14))


@dataclass(frozen=True)
class InformationDiagram(Result):
    """The entropies of two variables and what they share.

    Attributes
    ----------
    x_only, shared, y_only : float
        H(X|Y), I(X;Y) and H(Y|X), the parts of (14).
    names : (str, str)
    unit : str
    """

    x_only: float
    shared: float
    y_only: float
    names: tuple[str, str]
    unit: str

    @property
    def x(self) -> float:
        """H(X)."""
        return self.x_only + self.shared

    @property
    def y(self) -> float:
        """H(Y)."""
        return self.y_only + self.shared

    @property
    def joint(self) -> float:
        """H(X, Y)."""
        return self.x_only + self.shared + self.y_only

    def _parts(self) -> list[tuple[str, float, int]]:
        a, b = self.names
        return [
            (f"H({a}|{b})", self.x_only, FIRST),
            (f"I({a};{b})", self.shared, SHARED),
            (f"H({b}|{a})", self.y_only, SECOND),
        ]

    def __repr__(self) -> str:
        a, b = self.names
        parts = ", ".join(f"{name} = {num(value):.6g}" for name, value, _ in self._parts())
        whole = f"H({a}) = {num(self.x):.6g}, H({b}) = {num(self.y):.6g}, H({a},{b}) = {num(self.joint):.6g}"
        return f"InformationDiagram in {self.unit}: {whole}; {parts}"

    def _result_columns(self) -> dict[str, Any]:
        x, y = self.names
        return {"part": [f"{x} only", "shared", f"{y} only"], self.unit: [self.x_only, self.shared, self.y_only]}

    def plot(self, ax: Axes | None = None, *, kind: str = "venn") -> Axes:
        """Draw it as two discs whose areas are entropies (kind="venn") or as stacked bars (kind="bars")."""
        check_choice("InformationDiagram.plot", "kind", kind, ("venn", "bars"))
        ax = drawing_axes(ax)
        return self._venn(ax) if kind == "venn" else self._bars(ax)

    def _venn(self, ax: Any) -> Any:
        from matplotlib.patches import Circle

        r, s = np.sqrt(self.x / np.pi), np.sqrt(self.y / np.pi)
        t = center_distance(r, s, self.shared)
        for center, radius, k in ((0.0, r, FIRST), (t, s, SECOND)):
            color = series(ax, k)
            ax.add_patch(Circle((center, 0), radius, facecolor=color, alpha=0.35, edgecolor=color, lw=1.5))
        left, right = min(-r, t - s), max(r, t + s)
        middles = ((left + max(t - s, left)) / 2, (max(t - s, -r) + min(r, t + s)) / 2, (min(r, right) + right) / 2)
        height = max(r, s)
        for (name, value, _), x, lift in zip(self._parts(), middles, (0.0, -1.25, 0.0)):
            ax.text(x, lift * height, f"{name}\n{value:.3f}", ha="center", va="center", fontsize=SMALL)
        ax.plot([middles[1]] * 2, [-1.08 * height, 0], color=shade(ax, 0.3), lw=0.8)
        for x, name, value in ((-r / 2, self.names[0], self.x), (t + s / 2, self.names[1], self.y)):
            ax.text(x, 1.1 * height, f"H({name}) = {num(value):.3f}", ha="center", va="bottom")
        ax.set(xlim=(left - 0.15 * height, right + 0.15 * height), ylim=(-1.5 * height, 1.4 * height), aspect="equal")
        ax.set_axis_off()
        ax.set_title(f"information in {self.unit}")
        return ax

    def _bars(self, ax: Any) -> Any:
        a, b = self.names
        (n1, v1, c1), (n2, v2, c2), (n3, v3, c3) = self._parts()
        rows = [
            (f"H({a},{b})", [(0, n1, v1, c1), (v1, n2, v2, c2), (v1 + v2, n3, v3, c3)]),
            (f"H({a})", [(0, n1, v1, c1), (v1, n2, v2, c2)]),
            (f"H({b})", [(v1, n2, v2, c2), (v1 + v2, n3, v3, c3)]),
        ]
        for place, (_, bars) in enumerate(rows):
            for left, name, value, k in bars:
                label = None if place else f"{name} = {num(value):.3f}"
                ax.barh(place, value, left=left, color=series(ax, k), alpha=0.6, edgecolor=paper(ax), label=label)
        ax.set_yticks(range(3), [name for name, _ in rows])
        ax.set_ylim(-0.5, 4.6)  # room for the legend below the bars
        draw_legend(ax)
        ax.invert_yaxis()
        ax.set_xlabel(f"information in {self.unit}")
        ax.spines[["top", "right"]].set_visible(False)
        return ax


def information_diagram(
    p: Numbers | JointTable | None = None,
    *,
    counts: Numbers | None = None,
    labels: Sequence[Any] | HasArray | None = None,
    sample_weight: RowWeights = None,
    names: tuple[str, str] | None = None,
    base: Base = "bits",
) -> InformationDiagram:
    """Return the parts (14) of the information in two variables.

        H(X, Y) = H(X|Y) + I(X;Y) + H(Y|X)    (14)

    Parameters
    ----------
    p : array-like of shape (n, m) or JointTable of two variables
    counts, labels, sample_weight
        As in `mutual_information`.
    names : (str, str), optional
        Those of the table, or "X" and "Y".
    base : "bits", "nats" or number above 1, default="bits"

    Returns
    -------
    InformationDiagram
        `.plot()` draws a Venn diagram with true areas, `.plot(kind="bars")` stacked bars.

    Examples
    --------
    >>> from novum.teaching import information_diagram
    >>> information_diagram([[0.3, 0.2], [0.1, 0.4]])
    InformationDiagram in bits: H(X) = 1, H(Y) = .970951, H(X,Y) = 1.84644; H(X|Y) = .875489, I(X;Y) = .124511, ...
    """
    owner = "information_diagram"
    table = table_of(owner, p, counts, labels, sample_weight, n_columns=2)
    if table.ndim != 2:
        raise DataError(f"{owner}: the table has {table.ndim} axes; a diagram shows two variables, take a marginal.")
    called = names or tuple(getattr(p, "names", ("X", "Y")))
    nats = conditional_nats(table, (0,), (1,)), mutual_nats(table, (0,), (1,), ()), conditional_nats(table, (1,), (0,))
    x_only, shared, y_only = (float(as_float(value, owner, base)) for value in nats)
    return InformationDiagram(x_only, shared, y_only, (called[0], called[1]), unit_name(base))
