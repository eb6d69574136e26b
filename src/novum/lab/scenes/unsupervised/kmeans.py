"""k-means in half-steps: centers move to the means of their rows (M), rows take the color of the nearest center (E)."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import Call, code_of, literal, python_script
from novum.lab.controls import Choice, Matrix, Refusal, Slider
from novum.lab.frames import Frame
from novum.lab.maps import class_map
from novum.lab.points import Points
from novum.lab.presets import BLOBS, CIRCLES, MOONS
from novum.lab.scene import Scene, State
from novum.lab.sources.passes import passes
from novum.lab.views import bars, curve, number, plane


class KMeansSteps(Scene):
    name = "kmeans"
    family = "unsupervised"
    rows = (
        "000-c/18/kmeans",
        "002/P1.5/plot-kmeans-steps",
        "002/P1.5/data-kmeans-failures",
        "004/II.1/kmeans",
    )
    points = Points(
        "plain",
        presets={**BLOBS, **MOONS, **CIRCLES},
        noise=Slider(0.05, 1.5, 0.5),
    )
    k = Slider(1, 12, 5, integer=True)
    init = Choice(("k-means++", "random"), "random")
    centers = Matrix("k", 2, -1e5, 1e5, drag="plane")
    parts = ("M", "E")
    rising = "down"
    views = (
        plane(
            points="X", classes="labels", map="map", crosses="centers", editable=True, drag="centers", linked="points"
        ),
        number("J", r"J = \sum_{i=1}^{n} \min_j \lVert x_i - \mu_j \rVert^2"),
        curve(series=[{"value": "J", "label": "value.J"}]),
        bars(id="sizes", values="sizes", labels="names"),
    )

    def check(self, s: State) -> None:
        if len(s.points.X) < s.k:
            raise Refusal(f"k={s.k}: there are {len(s.points.X)} points; add some, or ask for fewer clusters.", "k")

    def start(self, s: State) -> tuple[NDArray, str]:
        """Return the centers before the first step, and the lines that make them."""
        X, k, seed = s.points.X, s.k, s.seed
        if s.centers is not None:
            return np.array(s.centers), f"start = {literal(np.array(s.centers))}"
        if s.init == "random":
            rows = np.random.default_rng(seed).choice(len(X), k, replace=False)
            return X[rows], f"start = X[np.random.default_rng({seed}).choice(len(X), {k}, replace=False)]"
        call = Call("novum.cluster.kmeans_plusplus", X, k, random_state=seed)
        return call()[0], f"{call.imports}\nstart, _ = kmeans_plusplus(X, {k}, random_state={seed})"

    def frames(self, s: State) -> Iterator[Frame]:
        from sklearn.metrics import pairwise_distances_argmin

        from novum.cluster import KMeans, within_cluster_error

        X, k = s.points.X, s.k
        centers = self.start(s)[0]
        labels = pairwise_distances_argmin(X, centers)

        def shown(n: int, part: str, J: float, say: tuple[str, dict[str, Any]]) -> Frame:
            sizes = np.bincount(labels, minlength=k)
            drawn = {"X": X, "labels": labels, "centers": centers, "sizes": sizes, "map": regions}
            return Frame(n, {"J": J}, {**drawn, "names": [str(j + 1) for j in range(k)]}, say, part)

        regions = class_map(lambda grid: pairwise_distances_argmin(grid, centers), s.points.domain)
        J = KMeans(k, init=centers, max_iter=1).fit(X).history_[0]
        yield shown(0, "E", J, ("start", {"k": k, "J": J}))
        for step in passes(KMeans(k, init=centers), X):
            model, before, old, centers = step.fitted, J, centers, step.fitted.cluster_centers_
            J = within_cluster_error(X, labels, centers=centers).total
            moved = int((centers != old).any(axis=1).sum())
            moves = ("moved", {"moved": moved, "by": before - J, "J": J}) if moved else ("stayed", {"J": J})
            yield shown(step.n, "M", J, moves)
            before, previous, labels = J, labels, model.predict(X)
            J = -model.score(X)
            regions = class_map(model.predict, s.points.domain)
            changed = int((labels != previous).sum())
            say = ("assigned", {"rows": changed, "by": before - J, "J": J}) if changed else ("settled", {"J": J})
            yield shown(step.n, "E", J, say)

    def script(self, s: State, n: int, part: str) -> str:
        from novum.cluster import KMeans

        lines = [s.points.code, self.start(s)[1], "from novum.cluster import KMeans"]
        steps = max(n - (part == "M"), 1)
        model = code_of(KMeans(s.k, max_iter=steps)).replace("max_iter", "init=start, max_iter")
        lines.append(f"model = {model}.fit(X)")
        if n == 0:
            lines.append("print(model.history_[0])")
        elif part == "E":
            lines.append("print(model.inertia_)")
        else:
            labels = "model.labels_" if n > 1 else "pairwise_distances_argmin(X, start)"
            imports = "" if n > 1 else "from sklearn.metrics import pairwise_distances_argmin\n"
            moved = model.replace(f"max_iter={steps}", f"max_iter={n}")
            lines += [
                f"from novum.cluster import within_cluster_error\n{imports}labels = {labels}",
                f"moved = {moved}.fit(X)",
                "print(within_cluster_error(X, labels, centers=moved.cluster_centers_).total)",
            ]
        return python_script(lines)
