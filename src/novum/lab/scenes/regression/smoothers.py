"""Smoothers as the bandwidth grows: kernel means, kernel ridge and radial bases, with the error of leaving one out."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import code_of, python_script
from novum.lab.controls import Choice, Refusal, Slider, Toggle
from novum.lab.frames import Frame
from novum.lab.points import Points
from novum.lab.presets import LINE, SINE
from novum.lab.scene import Scene, State
from novum.lab.views import curve, number, plane

PLACES = 161  # of the curves
NARROWEST, WIDEST = 0.01, 1.0  # bandwidths, in widths of the picture
CURVES = ("mean", "ridge_curve", "network")


class SmootherSteps(Scene):
    name = "smoothers"
    family = "regression"
    rows = ("003/9/nadaraya-watson", "003/9/parzen-window", "003/9/kernel-ridge", "003/9/rbf-network", "003/9/fig-rbf")
    points = Points(
        "xy",
        presets={**SINE, **LINE},
        n=Slider(4, 200, 40, integer=True),
        noise=Slider(0.0, 1.0, 0.3),
        limit=300,
        least=3,
        domain=((0.0, 1.0), (-2.0, 2.0)),
    )
    gap = Slider(0.0, 0.8, 0.25)
    kernel = Choice(("gaussian", "epanechnikov", "tophat"), "gaussian")
    ridge = Slider(1e-6, 10.0, 0.1, log=True)
    centers = Slider(1, 30, 10, integer=True)
    normalized = Toggle(False)
    steps = Slider(3, 40, 20, integer=True)
    views = (
        plane(points="rows", lines="lines", editable=True, linked="points"),
        number("loo", r"\frac{1}{n} \sum_i (y_i - \hat{y}_{-i}(x_i))^2"),
        number("bandwidth"),
        number("ridge_loo"),
        curve(id="curves", x="places", span=2, series=[{"array": name, "label": f"value.{name}"} for name in CURVES]),
        curve(series=[{"value": "loo", "label": "value.loo"}, {"value": "ridge_loo", "label": "value.ridge_loo"}]),
        curve(id="density", x="places", series=[{"array": "density", "label": "value.density"}]),
    )

    def check(self, s: State) -> None:
        if len(self.kept(s)[0]) < 3:
            raise Refusal(f"gap={s.gap:g}: fewer than three points are left; make it smaller.", "gap")

    def kept(self, s: State) -> tuple[NDArray, NDArray]:
        """Return the rows, those of a preset without what lies in the gap."""
        X, y = s.points.X, s.points.y
        if "rows" in s.given["points"]:
            return X, y
        outside = np.abs(X[:, 0] - self.middle(s)) >= self.half(s)
        return X[outside], y[outside]

    def middle(self, s: State) -> float:
        low, high = s.points.domain[0]
        return (low + high) / 2

    def half(self, s: State) -> float:
        """Return half of the width of the gap."""
        low, high = s.points.domain[0]
        return s.gap * (high - low) / 2

    def bandwidth(self, s: State, n: int) -> float:
        low, high = s.points.domain[0]
        return float((high - low) * NARROWEST * (WIDEST / NARROWEST) ** (n / s.steps))

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.kernel_ridge import KernelRidge
        from novum.kernels import RBFNetwork
        from novum.neighbors import KernelDensity, NadarayaWatson

        X, y = self.kept(s)
        low, high = s.points.domain[0]
        at = np.linspace(low, high, PLACES)[:, None]
        places = np.linspace(low, high, s.centers)[:, None] if s.centers > 1 else [[self.middle(s)]]
        best: tuple[float, float] = (np.inf, 0.0)
        for n in range(s.steps + 1):
            h = self.bandwidth(s, n)
            mean = NadarayaWatson(bandwidth=h, kernel=s.kernel).fit(X, y)
            ridge = KernelRidge(s.ridge, kernel="rbf", gamma=1 / (2 * h**2)).fit(X, y)
            network = RBFNetwork(places, width=h, alpha=s.ridge, normalized=s.normalized).fit(X, y)
            density = KernelDensity(bandwidth=h, kernel=s.kernel).fit(X)
            curves = dict(zip(CURVES, (model.predict(at) for model in (mean, ridge, network))))
            loo = float(np.mean((y - mean.leave_one_out_predict()) ** 2))
            ridge_loo = float(np.mean((y - ridge.leave_one_out_predict()) ** 2))
            alone = int(np.isnan(curves["mean"]).sum())
            drawn = {
                "rows": np.column_stack([X, y]),
                "lines": [line for k, name in enumerate(CURVES) for line in pieces(at[:, 0], curves[name], k)],
                "places": at[:, 0],
                **curves,
                "density": np.exp(density.score_samples(at)),
            }
            values = {"loo": loo if np.isfinite(loo) else None, "bandwidth": h, "ridge_loo": ridge_loo}
            if loo < best[0]:
                best = (loo, h)
            said = {
                "bandwidth": h,
                "loo": loo if np.isfinite(loo) else 0.0,
                "ridge_loo": ridge_loo,
                "best": best[1],
                "share": alone / PLACES,
            }
            key = "empty" if not np.isfinite(loo) else "alone" if alone else "best" if best[1] == h else "wide"
            yield Frame(n, values, drawn, (key, said))

    def script(self, s: State, n: int, part: str) -> str:
        from novum.neighbors import NadarayaWatson

        outside = "" if "rows" in s.given["points"] else f"np.abs(X[:, 0] - {self.middle(s)!r}) >= {self.half(s)!r}"
        return python_script(
            [
                s.points.code,
                "from novum.neighbors import NadarayaWatson",
                f"outside = {outside}\nX, y = X[outside], y[outside]" if outside else "",
                f"model = {code_of(NadarayaWatson(bandwidth=self.bandwidth(s, n), kernel=s.kernel))}.fit(X, y)",
                "print(float(np.mean((y - model.leave_one_out_predict()) ** 2)))",
            ]
        )


def pieces(at: NDArray, values: NDArray, k: int) -> list[dict[str, Any]]:
    """Return a curve in the pieces where it is defined."""
    known = np.isfinite(values)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], known, [False]]).astype(int)))
    spans = zip(edges[::2], edges[1::2])
    return [{"p": np.column_stack([at[a:b], values[a:b]]).tolist(), "role": "now", "k": k} for a, b in spans]
