"""EM for a mixture of Gaussians in halves: rows are shared out (E), then means, shapes and weights follow the shares (M)."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import code_of, literal, python_script
from novum.lab.controls import Choice, Matrix, Refusal, Slider
from novum.lab.frames import Frame
from novum.lab.geometry import ellipse_of
from novum.lab.maps import class_map
from novum.lab.points import Points
from novum.lab.presets import BLOBS, MOONS, TOUCHING
from novum.lab.scene import Scene, State
from novum.lab.sources.passes import passes
from novum.lab.views import bars, curve, number, plane


class MixtureSteps(Scene):
    name = "em"
    family = "unsupervised"
    rows = ("002/P1.5/gmm-em", "000-c/18/gmm-means-em", "000-c/18/plot-gmm-covariances")
    points = Points(
        "plain",
        presets={**BLOBS, **TOUCHING, **MOONS},
        n=Slider(10, 2000, 250, integer=True),
        noise=Slider(0.05, 1.5, 0.6),
        limit=3000,
    )
    k = Slider(1, 6, 4, integer=True)
    form = Choice(("full", "tied", "diag", "spherical"), "full")
    floor = Slider(0.0, 0.5, 0.0)
    means = Matrix("k", 2, -1e5, 1e5, drag="plane")
    parts = ("M", "E")
    rising = "up"
    views = (
        plane(
            points="X", shares="shares", map="map", crosses="means", ellipses="ellipses", editable=True, drag="means",
            linked="points",
        ),
        number("L", r"\frac{1}{n} \sum_i \log \sum_k \pi_k \mathcal{N}(x_i \mid \mu_k, \Sigma_k)"),
        number("aic"),
        number("bic"),
        curve(series=[{"value": "L", "label": "value.L"}]),
        bars(id="weights", values="weights", labels="names", by_class=True),
    )  # fmt: skip

    def check(self, s: State) -> None:
        if len(s.points.X) <= s.k:
            raise Refusal(f"k={s.k}: there are {len(s.points.X)} points; add some, or take fewer components.", "k")

    def start(self, s: State) -> tuple[NDArray, str]:
        """Return the means before the first step, and the line that makes them."""
        X, k = s.points.X, s.k
        if s.means is not None:
            return np.array(s.means), f"means = {literal(np.array(s.means))}"
        rows = np.random.default_rng(s.seed).choice(len(X), k, replace=False)
        return X[rows], f"means = X[np.random.default_rng({s.seed}).choice(len(X), {k}, replace=False)]"

    def model(self, s: State, **options: Any) -> Any:
        from novum.mixture import GaussianMixture

        return GaussianMixture(s.k, covariance_type=s.form, reg_covar=s.floor, tol=1e-4, **options)

    def options(self, s: State) -> dict[str, Any]:
        """Return the start: equal weights, and every component as wide as the data."""
        X, k = s.points.X, s.k
        one = np.eye(2) / X.var()
        shape = {"full": np.array([one] * k), "tied": one, "diag": np.full((k, 2), 1 / X.var())}
        shape["spherical"] = np.full(k, 1 / X.var())
        weights = np.full(k, 1 / k)
        return {"weights_init": weights, "means_init": self.start(s)[0], "precisions_init": shape[s.form]}

    def frames(self, s: State) -> Iterator[Frame]:
        X, k = s.points.X, s.k
        options = self.options(s)
        shares: NDArray

        def shown(n: int, part: str, model: Any, say: tuple[str, dict[str, Any]]) -> Frame:
            forms = model.covariances_
            matrices = {
                "full": lambda j: forms[j],
                "tied": lambda j: forms,
                "diag": lambda j: np.diag(forms[j]),
                "spherical": lambda j: np.eye(2) * forms[j],
            }[s.form]
            drawn = {
                "X": X,
                "shares": np.round(255 * shares).astype(np.uint8),
                "means": model.means_,
                "ellipses": np.array([ellipse_of(model.means_[j], matrices(j)) for j in range(k)]),
                "weights": model.weights_,
                "names": [str(j + 1) for j in range(k)],
                "map": class_map(model.predict, s.points.domain),
            }
            values = {"L": float(model.score(X)), "aic": float(model.aic(X)), "bic": float(model.bic(X))}
            return Frame(n, values, drawn, say, part)

        model = self.model(s, max_iter=0, **options).fit(X)
        shares = model.predict_proba(X)
        before = float(model.score(X))
        yield shown(0, "E", model, ("start", {"k": k, "L": before}))
        last = 0
        for step in passes(self.model(s, **options), X):
            if step.n == 0:
                continue
            model, last = step.fitted, step.n
            L = float(model.score(X))
            yield shown(last, "M", model, ("moved", {"by": L - before, "L": L}))
            before, old, shares = L, shares, model.predict_proba(X)
            turned = int((shares.argmax(axis=1) != old.argmax(axis=1)).sum())
            yield shown(last, "E", model, ("shared", {"rows": turned, "most": float(np.abs(shares - old).max())}))

    def script(self, s: State, n: int, part: str) -> str:
        k = s.k
        one = {
            "full": f"np.array([np.eye(2) / X.var()] * {k})",
            "tied": "np.eye(2) / X.var()",
            "diag": f"np.full(({k}, 2), 1 / X.var())",
            "spherical": f"np.full({k}, 1 / X.var())",
        }[s.form]
        model = code_of(self.model(s, max_iter=n))
        start = f"weights_init=np.full({k}, 1 / {k}), means_init=means, precisions_init={one}"
        return python_script(
            [
                s.points.code,
                "from novum.mixture import GaussianMixture",
                self.start(s)[1],
                f"model = {model[:-1]}, {start}).fit(X)",
                "print(float(model.score(X)))",
            ]
        )
