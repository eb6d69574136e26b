"""Clusters as places where points are dense: DBSCAN while its radius grows, beside HDBSCAN, which needs none."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from novum.lab.calls import Call, python_script
from novum.lab.controls import Refusal, Slider
from novum.lab.frames import Frame
from novum.lab.points import Points, Preset
from novum.lab.presets import BLOBS, CIRCLES, MOONS
from novum.lab.scene import Scene, State
from novum.lab.views import curve, number, plane

STEPS = 24
DISCS = 60  # most that are drawn
CORE, BORDER, NOISE = 0.12, 0.05, 0.03  # areas of the marks


def densities(n: int, noise: float, seed: int) -> Call:
    """Return three clouds, two of them dense and one wide."""
    centers = [[-2.0, -0.25], [-1.6, 0.25], [1.6, 0.0]]
    widths = [noise / 4, noise / 4, 2 * noise]
    return Call("sklearn.datasets.make_blobs", n, centers=centers, cluster_std=widths, random_state=seed)


class DensitySteps(Scene):
    name = "density-clusters"
    family = "unsupervised"
    rows = ("004/II.1/dbscan-named",)
    points = Points(
        "plain",
        presets={**MOONS, "densities": Preset(densities), **CIRCLES, **BLOBS},
        n=Slider(10, 600, 200, integer=True),
        noise=Slider(0.05, 1.5, 0.4),
        limit=600,
        least=2,
    )
    smallest = Slider(0.01, 1.0, 0.05, log=True)
    largest = Slider(0.1, 5.0, 1.0, log=True)
    min_samples = Slider(1, 20, 5, integer=True)
    views = (
        plane(points="X", classes="labels", sizes="sizes", circles="discs", editable=True, equal=True, linked="points"),
        number("clusters"),
        number("core", r"\sum_i [ |N_\varepsilon(x_i)| \ge m ]"),
        number("noise"),
        curve(
            x="radii",
            series=[{"array": "by_clusters", "label": "value.clusters"}, {"array": "by_noise", "label": "value.noise"}],
            marker="eps",
            log_x=True,
        ),
        curve(id="reach", x="ranks", series=[{"array": "far", "label": "value.far"}], levels="level"),
        plane(id="hierarchy", points="X", classes="own", equal=True, linked="points"),
    )

    def check(self, s: State) -> None:
        if s.largest <= s.smallest:
            raise Refusal(f"largest={s.largest:g}: must be above the smallest radius, {s.smallest:g}.", "largest")
        if len(s.points.X) < max(2, s.min_samples):
            raise Refusal(f"min_samples={s.min_samples}: there are {len(s.points.X)} points; add some.", "min_samples")

    def radius(self, s: State, t: int) -> float:
        """Return the radius of step t."""
        return round(s.smallest * (s.largest / s.smallest) ** (t / STEPS), 6)

    def model(self, s: State, t: int) -> Any:
        from novum.cluster import DBSCAN

        return DBSCAN(eps=self.radius(s, t), min_samples=s.min_samples).fit(s.points.X)

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.cluster import HDBSCAN
        from novum.neighbors import NearestNeighbors

        X = s.points.X
        fits = [self.model(s, t) for t in range(STEPS + 1)]
        far, _ = NearestNeighbors(n_neighbors=s.min_samples).fit(X).kneighbors(X)  # the row itself is the first
        own = HDBSCAN(min_cluster_size=max(2, s.min_samples)).fit(X).labels_
        fixed = {
            "X": X,
            "own": own,
            "radii": np.array([self.radius(s, t) for t in range(STEPS + 1)]),
            "by_clusters": np.array([fit.labels_.max() + 1.0 for fit in fits]),
            "by_noise": np.array([(fit.labels_ < 0).sum() for fit in fits], float),
            "ranks": np.arange(1.0, len(X) + 1),
            "far": np.sort(far[:, -1]),
        }
        before = 0
        for t, fit in enumerate(fits):
            labels, eps = fit.labels_, self.radius(s, t)
            core = fit.core_sample_indices_
            sizes = np.where(labels < 0, NOISE, BORDER)
            sizes[core] = CORE
            shown = core[:: max(1, -(-len(core) // DISCS))]
            drawn = {
                **fixed,
                "labels": labels,
                "sizes": sizes,
                "discs": np.column_stack([X[shown], np.full(len(shown), eps)]),
                "level": [{"y": eps, "label": "ε"}],
            }
            clusters, noise = int(labels.max()) + 1, int((labels < 0).sum())
            values = {"clusters": clusters, "core": len(core), "noise": noise, "eps": eps}
            said = {"eps": eps, "clusters": clusters, "core": len(core), "noise": noise, "own": int(own.max()) + 1}
            said["border"] = len(X) - len(core) - noise
            key = "merged" if clusters < before else "grown" if clusters > before else "same"
            before = clusters
            yield Frame(t, values, drawn, (key, said))

    def script(self, s: State, n: int, part: str) -> str:
        return python_script(
            [
                s.points.code,
                "from novum.cluster import DBSCAN",
                f"model = DBSCAN(eps={self.radius(s, n)!r}, min_samples={s.min_samples}).fit(X)",
                "print(int(model.labels_.max()) + 1)",
            ]
        )
