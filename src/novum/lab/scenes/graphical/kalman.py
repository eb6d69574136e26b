"""A body that is followed through noise: the Kalman filter in halves (predict, correct), the smoother, and EM for the noises."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import Call, python_script
from novum.lab.controls import Choice, Slider
from novum.lab.frames import Frame
from novum.lab.geometry import ellipse_of
from novum.lab.points import Points, Preset
from novum.lab.scene import Scene, State
from novum.lab.sources.passes import passes
from novum.lab.views import curve, number, plane

SYSTEM = "novum.sequence.LinearDynamicalSystem"
WIDE = [4.0, 1.0, 4.0, 1.0]  # variances of the first position and speed, along x and along y
PLACE = [0, 2]  # of the position among the states
MOST_PASSES = 60
NOISES = ["transition_covariance", "observation_covariance"]
LEARN = {"learn": NOISES, "tol": 1e-5, **{f"{name}_type": "scaled" for name in NOISES}}


def matrices(push: float, noise: float) -> dict[str, Any]:
    """Return the system of a body that keeps its speed but for random pushes, and whose place is seen."""
    A, Q = np.kron(np.eye(2), [[1.0, 1.0], [0.0, 1.0]]), np.kron(np.eye(2), [[1 / 3, 1 / 2], [1 / 2, 1.0]])
    return {
        "transition": A.tolist(),
        "transition_covariance": (push * Q).tolist(),
        "observation": np.kron(np.eye(2), [1.0, 0.0]).tolist(),
        "observation_covariance": [[noise**2, 0.0], [0.0, noise**2]],
        "initial_mean": [0.0] * 4,
        "initial_covariance": np.diag(WIDE).tolist(),
    }


class Walk(Call):
    """Rows that a system draws."""

    def __init__(self, n: int, seed: int, **system: Any) -> None:
        super().__init__(SYSTEM, **system)
        self.n, self.seed = n, seed

    @property
    def code(self) -> str:
        return f"{super().code}.sample({self.n}, random_state={self.seed})[0]"

    def __call__(self) -> Any:
        return super().__call__().sample(self.n, random_state=self.seed)[0]


def body(n: int, noise: float, seed: int) -> Call:
    """Return a body that is pushed about."""
    return Walk(n, seed, **matrices(0.05, noise))


def straight(n: int, noise: float, seed: int) -> Call:
    """Return a body that nobody pushes."""
    return Walk(n, seed, **matrices(1e-6, noise))


class Tracking(Scene):
    name = "kalman"
    family = "graphical"
    rows = ("002/P2.5/kalman-filter", "002/P2.5/kalman-smoother", "002/P2.5/lds-em", "002/P2.A/linear-gaussian")
    points = Points(
        "plain",
        presets={"body": Preset(body), "straight": Preset(straight)},
        n=Slider(3, 60, 20, integer=True),
        noise=Slider(0.05, 3.0, 0.7),
        limit=80,
        least=2,
    )
    do = Choice(("filter", "learn"), "filter")
    push = Slider(1e-4, 2.0, 0.05, log=True)
    noise = Slider(0.01, 100.0, 0.7, log=True)
    gap_start = Slider(1, 60, 10, integer=True)
    gap = Slider(0, 30, 0, integer=True)
    parts = ("predict", "correct", "smooth")
    views = (
        plane(
            points="X", classes="seen", marked="newest", ellipses="ellipses", lines="lines", segments="innovation",
            editable=True,
        ),
        number("K", r"K = P H^\top (H P H^\top + R)^{-1}"),
        number("sd"),
        number("L"),
        curve(series=[{"value": "K", "label": "value.K"}, {"value": "sd", "label": "value.sd"}]),
        curve(id="surprise", series=[{"array": "surprises", "label": "value.surprise"}], x="rows_seen", levels="usual"),
        number("learned"),
    )  # fmt: skip

    def model(self, s: State, **options: Any) -> Any:
        from novum.sequence import LinearDynamicalSystem

        return LinearDynamicalSystem(**matrices(s.push, s.noise), **options)

    def learner(self, s: State, most: int) -> Any:
        """Return the same system, which learns how strong pushes and noise are."""
        return self.model(s, max_iter=most, **LEARN)

    def observed(self, s: State) -> NDArray:
        """Return the rows, those of the gap without a value."""
        X = s.points.X.astype(float).copy()
        X[s.gap_start - 1 : s.gap_start - 1 + s.gap] = np.nan
        return X

    def frames(self, s: State) -> Iterator[Frame]:
        X = self.observed(s)
        yield from (self.halves(s, X) if s.do == "filter" else self.learning(s, X))

    def at_row(self, s: State, X: NDArray, model: Any, t: int, part: str, n: int, say: Any) -> Frame:
        """Return what is known at row t, before it is seen, after, or with all rows."""
        found = model.filter(X)
        H, P, S = np.array(model.observation), found.predicted_covariances[t], found.innovation_covariances[t]
        K = P @ H.T @ np.linalg.inv(S)
        before, after = part == "predict", found.means[:, PLACE]
        means, covariances = found.predicted_means[t, PLACE], P[np.ix_(PLACE, PLACE)]
        ellipses = [ellipse_of(means, covariances)]
        lines = [{"p": after[: t + (not before)].tolist(), "role": "now"}]
        if not before:
            ellipses.append(ellipse_of(after[t], found.covariances[t][np.ix_(PLACE, PLACE)]))
        if part == "smooth":
            smooth = model.smooth(X)
            lines.append({"p": smooth.means[:, PLACE].tolist(), "role": "path"})
            ellipses = [ellipse_of(m[PLACE], C[np.ix_(PLACE, PLACE)]) for m, C in zip(smooth.means, smooth.covariances)]
        seen = np.isfinite(X[:, 0])
        upto = np.arange(len(X)) < t + (not before)
        spread = P if before else found.covariances[t]
        drawn = {
            "X": s.points.X,
            "seen": np.where(seen & upto, 2, -1),
            "newest": [t],
            "ellipses": np.array(ellipses),
            "lines": lines,
            "innovation": [[*means.tolist(), *X[t].tolist()]] if seen[t] and part == "correct" else [],
            "usual": [{"y": 2, "label": "2"}],
            "rows_seen": np.flatnonzero(seen & upto) + 1,
            "surprises": (found.standardized_innovations**2).sum(axis=1)[seen & upto],
        }
        R = getattr(model, "observation_covariance_", model.observation_covariance)
        values = {
            "K": float(K[0, 0]),
            "sd": float(np.sqrt(spread[0, 0])),
            "L": float(found.log_likelihoods[: t + (not before)].sum()),
            "learned": float(np.sqrt(R[0][0])),
        }
        return Frame(n, values, drawn, say, part)

    def halves(self, s: State, X: NDArray) -> Iterator[Frame]:
        model = self.model(s)
        found = model.filter(X)
        gap = ~np.isfinite(X[:, 0])
        for t in range(len(X)):
            before = float(np.sqrt(found.predicted_covariances[t, 0, 0]))
            after = float(np.sqrt(found.covariances[t, 0, 0]))
            say = ("gap" if gap[t] else "predicted", {"t": t + 1, "sd": before})
            yield self.at_row(s, X, model, t, "predict", t + 1, say)
            if not gap[t]:
                miss = float(np.linalg.norm(found.innovations[t]))
                said = {"t": t + 1, "miss": miss, "before": before, "after": after}
                yield self.at_row(s, X, model, t, "correct", t + 1, ("corrected", said))
        smooth = model.smooth(X).standard_deviations[:, 0]
        said = {"filtered": float(found.standard_deviations[:, 0].mean()), "smoothed": float(smooth.mean())}
        yield self.at_row(s, X, model, len(X) - 1, "smooth", len(X) + 1, ("smoothed", said))

    def learning(self, s: State, X: NDArray) -> Iterator[Frame]:
        for step in passes(self.learner(s, MOST_PASSES), X):
            model = step.fitted
            push, noise = float(model.transition_covariance_[1, 1]), float(model.observation_covariance_[0, 0])
            said = {"push": push, "noise": float(np.sqrt(noise)), "L": float(model.score(X))}
            yield self.at_row(s, X, model, len(X) - 1, "smooth", step.n, ("learned" if step.n else "start", said))

    def script(self, s: State, n: int, part: str) -> str:
        lines = [s.points.code, "from novum.sequence import LinearDynamicalSystem"]
        if s.gap:
            lines.append(f"X = X.copy()\nX[{s.gap_start - 1} : {s.gap_start - 1 + s.gap}] = np.nan")
        given = ", ".join(f"{name}={value!r}" for name, value in matrices(s.push, s.noise).items())
        t = len(s.points.X) - 1 if part == "smooth" else n - 1
        lines.append(f"model = LinearDynamicalSystem({given})")
        if s.do == "learn" and n:
            options = {**LEARN, "max_iter": n}
            lines.append(
                f"model.set_params({', '.join(f'{name}={value!r}' for name, value in options.items())}).fit(X)"
            )
        lines += [
            "found = model.filter(X)",
            "H = np.array(model.observation)",
            f"P, S = found.predicted_covariances[{t}], found.innovation_covariances[{t}]",
            "print(float((P @ H.T @ np.linalg.inv(S))[0, 0]))",
        ]
        return python_script(lines)
