"""Principal components: a direction by hand, the one of most variance, its companion, and rows in their coordinates."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import Call, python_script
from novum.lab.controls import Refusal, Slider
from novum.lab.frames import Frame
from novum.lab.points import Points, Preset
from novum.lab.presets import BLOBS, MOONS
from novum.lab.scene import Scene, State
from novum.lab.views import bars, curve, number, plane

HAND, FIRST, SECOND, TURNED, WHITE = range(5)
ANGLES = np.arange(181.0)


def cloud(n: int, noise: float, seed: int) -> Call:
    """Return one long cloud, as wide across as `noise` says."""
    long, wide = 2.25, noise**2
    along = [[0.64 * long + 0.36 * wide, 0.48 * (long - wide)], [0.48 * (long - wide), 0.36 * long + 0.64 * wide]]
    path = "novum.datasets.make_gaussian_classes"
    return Call(path, n, means=[[0.0, 0.0]] * 2, covariances=[along] * 2, random_state=seed, return_X_y=True)


def direction(angle: float) -> NDArray:
    """Return the unit vector at so many degrees."""
    return np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])


class ComponentSteps(Scene):
    name = "pca"
    family = "unsupervised"
    rows = (
        *("000-a/4/pca", "002/P1.5/pca", "003/7/pca", "002/P1.5/pca-decorrelate-whiten", "004/II.2/pca"),
        *("000-a/4/fig-pca", "003/7/fig-pca"),
    )
    points = Points(
        "plain",
        presets={"cloud": Preset(cloud), **BLOBS, **MOONS},
        n=Slider(3, 1000, 150, integer=True),
        noise=Slider(0.05, 1.5, 0.5),
        limit=1000,
        least=3,
    )
    angle = Slider(0, 180, 100, integer=True)
    views = (
        plane(points="X", lines="lines", segments="segments", editable=True, equal=True, linked="points"),
        number("variance", r"w^\top S w"),
        number("share"),
        curve(x="angles", series=[{"array": "variances", "label": "value.variance"}], marker="at", drag="angle"),
        plane(id="scores", points="Z", domain="score_domain", equal=True, linked="points"),
        bars(id="scree", values="scree", labels="names"),
    )

    def check(self, s: State) -> None:
        if not np.ptp(s.points.X, axis=0).any():
            raise Refusal("points: all are in one place; drag one away.", "points")

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.decomposition import PCA

        X = s.points.X
        model, white = PCA().fit(X), PCA(whiten=True)
        S, center = model.get_covariance(), model.mean_
        total = float(np.trace(S))
        axes, variances = model.components_, model.explained_variance_
        scores = model.transform(X)
        found = float(np.degrees(np.arctan2(axes[0, 1], axes[0, 0])) % 180)
        curve_of = np.array([direction(angle) @ S @ direction(angle) for angle in ANGLES])
        reach = float(np.abs(np.array(s.points.domain)).max() * 2)

        def shown(n: int, w: NDArray, variance: float, at: float, Z: NDArray, key: str, **said: Any) -> Frame:
            feet = center + np.outer((X - center) @ w, w)
            lines = [{"p": [(center - reach * w).tolist(), (center + reach * w).tolist()], "role": "now"}]
            for j in range(min(n, 2)):
                tip = center + 2 * np.sqrt(variances[j]) * axes[j]
                lines.append({"p": [center.tolist(), tip.tolist()], "role": "normal"})
            side = max(3.0, float(np.ceil(np.abs(Z).max())))
            drawn = {
                "X": X,
                "Z": Z,
                "score_domain": [[-side, side], [-side, side]],
                "lines": lines,
                "segments": np.column_stack([X, feet]) if n < TURNED else np.zeros((0, 4)),
                "angles": ANGLES,
                "variances": curve_of,
                "scree": variances if n >= SECOND else np.zeros(2),
                "names": ["1", "2"],
            }
            values = {"variance": variance, "share": variance / total if n < WHITE else None, "at": at}
            return Frame(n, values, drawn, (key, {"variance": variance, "share": variance / total, **said}))

        by_hand, centered = direction(s.angle), X - center
        miss = abs(s.angle - found)
        yield shown(HAND, by_hand, float(by_hand @ S @ by_hand), s.angle, centered, "hand", angle=s.angle)
        miss = min(miss, 180 - miss)
        yield shown(FIRST, axes[0], float(variances[0]), found, centered, "first", angle=found, miss=miss)
        across = (found + 90) % 180
        yield shown(SECOND, axes[1], float(variances[1]), across, centered, "second")
        spans = scores.std(axis=0)
        before = float(np.corrcoef(X.T)[0, 1]) if X.std(axis=0).all() else 0.0
        turned = float(scores[:, 0].var(ddof=1))
        yield shown(TURNED, axes[0], turned, found, scores, "turned", before=before)
        if spans.min() > 1e-9 * spans.max():
            Z = white.fit_transform(X)
            yield shown(WHITE, axes[0], float(Z[:, 0].var(ddof=1)), found, Z, "white")

    def script(self, s: State, n: int, part: str) -> str:
        radians = f"np.radians({s.angle})"
        last = {
            HAND: f"w = np.array([np.cos({radians}), np.sin({radians})])\nprint(float(w @ PCA().fit(X).get_covariance() @ w))",
            FIRST: "print(float(PCA().fit(X).explained_variance_[0]))",
            SECOND: "print(float(PCA().fit(X).explained_variance_[1]))",
            TURNED: "print(float(PCA().fit(X).transform(X)[:, 0].var(ddof=1)))",
            WHITE: "print(float(PCA(whiten=True).fit_transform(X)[:, 0].var(ddof=1)))",
        }
        return python_script([s.points.code, "from novum.decomposition import PCA", last.get(n, last[WHITE])])
