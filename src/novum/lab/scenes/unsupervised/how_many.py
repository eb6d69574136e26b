"""How many clusters? The bend of the squares, the silhouettes and the gap, for one number after the other."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import python_script
from novum.lab.controls import Refusal, Slider
from novum.lab.frames import Frame
from novum.lab.points import Points
from novum.lab.presets import BLOBS, CIRCLES, CLOUDS, EVEN, MOONS
from novum.lab.scene import Scene, State
from novum.lab.views import curve, number, plane

REFERENCES, STARTS = 4, 3  # samples without clusters behind the gap, and starts of every k-means of them


class HowManySteps(Scene):
    name = "how-many"
    family = "unsupervised"
    rows = ("000-c/18/elbow", "000-c/18/silhouette", "000-c/18/plot-silhouette", "000-c/18/plot-elbow")
    points = Points(
        "plain",
        presets={**BLOBS, **EVEN, **CLOUDS, **MOONS, **CIRCLES},
        n=Slider(12, 400, 150, integer=True),
        noise=Slider(0.05, 1.5, 0.3),
        limit=400,
        least=12,
    )
    most = Slider(3, 10, 8, integer=True)
    rising = "down"
    views = (
        plane(points="X", classes="labels", crosses="means", editable=True, equal=True, linked="points"),
        number("J", r"J_k = \sum_i \min_j \lVert x_i - \mu_j \rVert^2"),
        number("by_elbow"),
        number("by_silhouette"),
        number("by_gap"),
        curve(id="squares", series=[{"value": "J", "label": "value.J"}]),
        plane(id="silhouettes", points="tips", classes="sorted", segments="bars", domain="range"),
        curve(id="widths", series=[{"value": "silhouette", "label": "value.silhouette"}]),
        curve(
            id="gaps",
            x="numbers",
            series=[{"array": "gap", "low": "gap_low", "high": "gap_high", "label": "value.gap"}],
            marker="k",
        ),
    )

    def check(self, s: State) -> None:
        places = len(np.unique(s.points.X, axis=0))
        if places <= s.most:
            raise Refusal(
                f"most={s.most}: there are {places} different points; add some, or ask for fewer clusters.", "most"
            )

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.cluster import KMeans, elbow, gap_statistic, silhouette_samples

        X = s.points.X
        bend = elbow(X, max_clusters=s.most, random_state=s.seed)
        widths = [silhouette_samples(X, labels) if k else np.zeros(len(X)) for k, labels in enumerate(bend.labels)]
        means = [float(width.mean()) for width in widths]
        quick = KMeans(n_init=STARTS)
        gap = gap_statistic(X, quick, max_clusters=s.most, n_references=REFERENCES, random_state=s.seed)
        by_silhouette = 2 + int(np.argmax(means[1:]))
        fixed = {
            "numbers": np.arange(1.0, s.most + 1),
            "gap": gap.gap,
            "gap_low": gap.gap - gap.error,
            "gap_high": gap.gap + gap.error,
        }
        for k in range(1, s.most + 1):
            labels, J = bend.labels[k - 1], float(bend.error[k - 1])
            drawn = {
                "X": X,
                "labels": labels,
                "means": np.array([X[labels == j].mean(axis=0) for j in range(k)]),
                **fixed,
                **bars_of(widths[k - 1], labels),
            }
            values = {
                "J": J,
                "k": k,
                "silhouette": means[k - 1] if k > 1 else None,
                "by_elbow": bend.best,
                "by_silhouette": by_silhouette,
                "by_gap": gap.best,
            }
            said: dict[str, Any] = {
                "k": k,
                "J": J,
                "gap": float(gap.gap[k - 1]),
                "elbow": bend.best,
                "best_gap": gap.best,
            }
            if k > 1:
                wrong = int((widths[k - 1] < 0).sum())
                said |= {
                    "by": float(bend.error[k - 2]) - J,
                    "width": means[k - 1],
                    "wrong": wrong,
                    "best": by_silhouette,
                }
            yield Frame(k, values, drawn, ("more" if k > 1 else "one", said))

    def script(self, s: State, n: int, part: str) -> str:
        return python_script(
            [
                s.points.code,
                "from novum.cluster import elbow",
                f"found = elbow(X, max_clusters={s.most}, random_state={s.seed})",
                f"print(float(found.error[{n - 1}]))",
            ]
        )


def bars_of(width: NDArray, labels: NDArray) -> dict[str, Any]:
    """Return the silhouettes as bars from zero, cluster by cluster, the widest of each first."""
    order = np.lexsort((width, -labels))
    at = np.arange(len(width), dtype=float)
    tips = np.column_stack([width[order], at])
    return {
        "tips": tips,
        "sorted": labels[order],
        "bars": np.column_stack([np.zeros(len(width)), at, tips]),
        "range": [[min(-0.2, float(width.min())), 1.0], [-1.0, float(len(width))]],
    }
