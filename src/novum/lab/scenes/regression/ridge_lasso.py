"""Ridge, lasso and what lies between, along a falling penalty: whom each lets in, and what new rows say of it."""

from collections.abc import Iterator
from inspect import getsource
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import python_script
from novum.lab.controls import Slider
from novum.lab.frames import Frame
from novum.lab.maps import PIXELS, pixel_centers
from novum.lab.scene import Scene, State
from novum.lab.views import bars, curve, number, plane

MOST = 8
WIDER = 1.5  # the picture than high, so that units are nearly equal
LOWEST = 1e-3  # of the largest penalty: where the path ends
FLOOR = 0.01  # of l1_ratio, below which no penalty makes all coefficients zero
TOL = 1e-12
OBJECTIVE = (
    r"\frac{1}{2n} \lVert y - X w \rVert^2"
    r" + \lambda \left( r \lVert w \rVert_1 + \frac{1 - r}{2} \lVert w \rVert^2 \right)"
)
ANGLES = np.linspace(0, 2 * np.pi, 121)


def made_rows(n: int, p: int, correlation: float, noise: float, seed: int) -> Any:
    """Return centered rows whose first two columns are correlated, their targets, and the true coefficients."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, p))
    X[:, 1] = correlation * X[:, 0] + np.sqrt(1 - correlation**2) * X[:, 1]
    truth = np.resize([1.5, 0.5, 0.0, -1.0, 0.0, 0.0], p)
    y = X @ truth + noise * generator.normal(size=n)
    return X - X.mean(axis=0), y - y.mean(), truth


class PathSteps(Scene):
    name = "ridge-lasso"
    family = "regression"
    rows = (
        *("003/3/ridge", "003/3/lasso", "003/3/regularisation-path", "000-c/16/plot-regularisation"),
        "004/5/regularisation-path-plot",
    )
    l1_ratio = Slider(0.0, 1.0, 1.0)
    columns = Slider(2, MOST, 4, integer=True)
    correlation = Slider(-0.999, 0.999, 0.9)
    n = Slider(10, 500, 40, integer=True)
    noise = Slider(0.0, 3.0, 1.0)
    steps = Slider(5, 60, 30, integer=True)
    rising = "down"
    views = (
        plane(
            points="pair", map="map", map_kind="level", map_scale="sequential", map_levels="levels", lines="lines",
            domain="sides", marked="now", labels="names",
        ),
        number("objective", OBJECTIVE),
        number("penalty"),
        number("kept"),
        curve(
            id="paths", span=2, series=[{"value": f"w{j + 1}", "label": f"value.w{j + 1}"} for j in range(MOST)],
        ),
        curve(series=[{"value": "train", "label": "value.train"}, {"value": "test", "label": "value.test"}]),
        bars(values="coef", groups="both", labels="features", group_labels="which"),
    )  # fmt: skip

    def penalties(self, s: State, X: NDArray, y: NDArray) -> NDArray:
        """Return the penalties from the least that leaves all coefficients zero, where one does, down to its thousandth."""
        top = float(np.abs(X.T @ y).max()) / (len(y) * max(s.l1_ratio, FLOOR))
        return top * LOWEST ** (np.arange(s.steps + 1) / s.steps)

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.linear_model import Ridge, enet_path

        given = (s.n, s.columns, s.correlation, s.noise)
        X, y, truth = made_rows(*given, s.seed)
        X_new, y_new, _ = made_rows(*given, s.seed + 1)
        penalties = self.penalties(s, X, y)
        if s.l1_ratio == 0:
            coefs = [Ridge(len(y) * penalty, fit_intercept=False).fit(X, y).coef_ for penalty in penalties]
        else:
            _, found, _ = enet_path(X, y, l1_ratio=s.l1_ratio, alphas=penalties, tol=TOL)
            coefs = list(found.T)
        free = np.linalg.lstsq(X, y, rcond=None)[0]
        shown = np.array([np.zeros(2), free[:2], *(w[:2] for w in coefs)])
        middle, reach = (shown.max(axis=0) + shown.min(axis=0)) / 2, max(float(np.ptp(shown, axis=0).max()), 0.5) * 0.7
        domain = [[float(m - side), float(m + side)] for m, side in zip(middle, (WIDER * reach, reach))]
        before = np.zeros(s.columns)
        for n, (penalty, w) in enumerate(zip(penalties, coefs)):
            ball = ball_through(w[:2], s.l1_ratio)
            path = {"p": [v[:2].tolist() for v in coefs[: n + 1]], "role": "path"}
            kept = np.flatnonzero(w)
            drawn = {
                "pair": np.array([free[:2], w[:2]]),
                "now": [1],
                "names": [[float(free[0]), float(free[1]), "λ = 0"]],
                "map": closeness(X, y, w, domain),
                "levels": [40, 90, 140, 185, 220, 243],
                "lines": [*([{"p": ball, "role": "now"}] if ball else []), path],
                "sides": domain,
                "coef": w,
                "both": np.array([w, truth]),
                "features": [f"x{j + 1}" for j in range(s.columns)],
                "which": ["w", "w*"],
            }
            values = {
                "objective": objective(X, y, w, penalty, s.l1_ratio),
                "penalty": float(penalty),
                "kept": len(kept),
                **{f"w{j + 1}": float(w[j]) if j < s.columns else None for j in range(MOST)},
                "train": float(np.mean((y - X @ w) ** 2)),
                "test": float(np.mean((y_new - X_new @ w) ** 2)),
            }
            entered, left = np.flatnonzero((w != 0) & (before == 0)), np.flatnonzero((w == 0) & (before != 0))
            key = "start" if n == 0 else "entered" if len(entered) else "left" if len(left) else "moved"
            who = int([*entered, *left, int(np.abs(w - before).argmax())][0]) + 1
            said = {"penalty": float(penalty), "kept": len(kept), "of": s.columns, "who": who, "test": values["test"]}
            yield Frame(n, values, drawn, (key, said))
            before = w

    def script(self, s: State, n: int, part: str) -> str:
        X, y, _ = made_rows(s.n, s.columns, s.correlation, s.noise, s.seed)
        penalties, r = self.penalties(s, X, y).tolist(), s.l1_ratio
        if r == 0:
            fit = f"w = Ridge(len(y) * {penalties[n]!r}, fit_intercept=False).fit(X, y).coef_"
            home = "from novum.linear_model import Ridge"
        else:
            fit = f"_, coefs, _ = enet_path(X, y, l1_ratio={r!r}, alphas={penalties[: n + 1]!r}, tol={TOL!r})\nw = coefs[:, -1]"
            home = "from novum.linear_model import enet_path"
        return python_script(
            [
                home,
                "from typing import Any",
                getsource(made_rows),
                f"X, y, truth = made_rows({s.n}, {s.columns}, {s.correlation!r}, {s.noise!r}, {s.seed})",
                fit,
                f"penalty = {r!r} * np.abs(w).sum() + {(1 - r)!r} / 2 * (w @ w)",
                f"print(float(((y - X @ w) ** 2).sum() / (2 * len(y)) + {penalties[n]!r} * penalty))",
            ]
        )


def objective(X: NDArray, y: NDArray, w: NDArray, penalty: float, r: float) -> float:
    """Return what the coefficients minimize."""
    paid = r * np.abs(w).sum() + (1 - r) / 2 * (w @ w)
    return float(((y - X @ w) ** 2).sum() / (2 * len(y)) + penalty * paid)


def closeness(X: NDArray, y: NDArray, w: NDArray, domain: Any) -> NDArray:
    """Return the least sum of squares over that of the first two coefficients at every pixel, the others as they are."""
    rest = y - X[:, 2:] @ w[2:]
    gaps = rest[:, None] - X[:, :2] @ pixel_centers(domain).T
    squares = (gaps**2).sum(axis=0)
    least = squares.min()
    return np.round(255 * (least / np.maximum(squares, 1e-300))).astype(np.uint8).reshape(PIXELS, PIXELS)


def ball_through(w: NDArray, r: float) -> list[list[float]]:
    """Return the curve of all pairs whose penalty is that of w; nothing at zero."""
    paid = r * np.abs(w).sum() + (1 - r) / 2 * (w @ w)
    if paid <= 0:
        return []
    across = np.column_stack([np.cos(ANGLES), np.sin(ANGLES)])
    linear, square = r * np.abs(across).sum(axis=1), (1 - r) / 2
    root = np.sqrt(linear**2 + 4 * square * paid)
    return (across * (2 * paid / (linear + root))[:, None]).tolist()
