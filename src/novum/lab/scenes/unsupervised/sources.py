"""Two signals, mixed and taken apart again: independent components, pass by pass."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import Call, code_of, literal, python_script
from novum.lab.controls import Choice, Matrix, Refusal, Slider
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.sources.passes import passes
from novum.lab.views import curve, number, plane

KINDS = ("sine", "square", "sawtooth", "laplace", "gaussian")
DRAWN = ("laplace", "gaussian")  # kinds that are different each time
SHOWN = 250  # moments of the curves
FLAT = 0.05  # determinant below which signals cannot be told apart
START = ((1.0, 0.6), (0.5, 1.0))


class SourceSteps(Scene):
    name = "sources"
    family = "unsupervised"
    rows = ("002/P2.1/ica", "002/P2.1/data-mixed-signals")
    first = Choice(KINDS, "sine")
    second = Choice(KINDS, "sawtooth")
    mixing = Matrix(2, 2, -3.0, 3.0, default=START)
    noise = Slider(0.0, 0.5, 0.0)
    n = Slider(100, 1000, 500, integer=True)
    method = Choice(("logcosh", "cube", "likelihood", "gradient"), "logcosh")
    views = (
        plane(points="mixed", lines="axes", domain="mixed_box", equal=True, linked="points"),
        number("turn", r"\max_i \; \mathrm{arccos} \, |\mathrm{corr}(y_i, y_i^{\mathrm{old}})|"),
        number("match"),
        number("likelihood"),
        plane(id="unmixed", points="taken", domain="box", equal=True, linked="points"),
        curve(
            id="heard", x="time", series=[{"array": "x1", "label": "value.x1"}, {"array": "x2", "label": "value.x2"}]
        ),
        curve(
            id="found", x="time", series=[{"array": "y1", "label": "value.y1"}, {"array": "y2", "label": "value.y2"}]
        ),
        curve(
            id="signals", x="time", series=[{"array": "s1", "label": "value.s1"}, {"array": "s2", "label": "value.s2"}]
        ),
        curve(id="turns", series=[{"value": "turn", "label": "value.turn"}], log_y=True),
    )

    def check(self, s: State) -> None:
        if abs(np.linalg.det(s.mixing)) < FLAT:
            raise Refusal(
                "mixing: both mixtures are nearly the same; let the rows of the matrix differ more.", "mixing"
            )

        if s.first == s.second and s.first not in DRAWN:
            raise Refusal(f"second={s.second!r}: both signals would be the same; take another one.", "second")

    def signals(self, s: State) -> tuple[NDArray, NDArray, list[str]]:
        """Return the signals, their mixtures, and the lines that make them."""
        kinds = [s.first, s.second]
        known = ["sine" if kind == "gaussian" else kind for kind in kinds]
        call = Call("novum.datasets.make_mixed_signals", s.n, sources=known, mixing=np.eye(2), random_state=s.seed)
        S = call().sources
        code = [call.imports, f"S = {call.code}.sources"]
        for j, kind in enumerate(kinds):
            if kind == "gaussian":
                S[:, j] = np.random.default_rng([s.seed, j]).normal(size=s.n)
                code.append(f"S[:, {j}] = np.random.default_rng([{s.seed}, {j}]).normal(size={s.n})")
        X = S @ np.array(s.mixing).T
        code.append(f"X = S @ np.array({literal(s.mixing)}).T")
        if s.noise:
            X = X + s.noise * np.random.default_rng([s.seed, 2]).normal(size=X.shape)
            code.append(f"X = X + {s.noise!r} * np.random.default_rng([{s.seed}, 2]).normal(size=X.shape)")
        return S, X, code

    def model(self, s: State) -> Any:
        from novum.decomposition import ICA, FastICA

        if s.method in ("logcosh", "cube"):
            return FastICA(2, fun=s.method, random_state=s.seed)
        return ICA(2) if s.method == "likelihood" else ICA(2, method="natural-gradient", learning_rate=0.3, tol=1e-5)

    def frames(self, s: State) -> Iterator[Frame]:
        S, X, _ = self.signals(s)
        every = slice(None, None, max(1, s.n // SHOWN))
        fixed = {
            "mixed": X,
            "mixed_box": box_of(X),
            "time": np.linspace(0, 1, s.n)[every],
            **{f"x{j + 1}": X[every, j] for j in (0, 1)},
            **{f"s{j + 1}": S[every, j] for j in (0, 1)},
        }
        old: NDArray | None = None
        for step in passes(self.model(s), X):
            Y = step.fitted.transform(X)
            turn = None if old is None else turn_of(Y, old)
            old = Y
            columns = np.array(step.fitted.mixing_).T * Y.std(axis=0)[:, None]
            reach = 2.0
            true = [{"p": [(-reach * a).tolist(), (reach * a).tolist()], "role": "truth"} for a in np.array(s.mixing).T]
            axes = [{"p": [[0.0, 0.0], (reach * a).tolist()], "role": "normal"} for a in columns]
            together = np.abs(np.corrcoef(Y.T, S.T)[:2, 2:])
            match = max(together[0, 0] + together[1, 1], together[0, 1] + together[1, 0]) / 2
            likely = float(step.fitted.score(X)) if s.method in ("likelihood", "gradient") else None
            drawn = {
                **fixed,
                "axes": [*true, *axes],
                "taken": Y,
                "box": box_of(Y),
                **{f"y{j + 1}": Y[every, j] for j in (0, 1)},
            }
            values = {"turn": turn, "match": float(match), "likelihood": likely}
            said = {"n": step.n, "turn": turn, "match": float(match)}
            yield Frame(step.n, values, drawn, ("start" if turn is None else "turned", said))

    def script(self, s: State, n: int, part: str) -> str:
        model = self.model(s)
        if not n:
            return python_script([*self.signals(s)[2], "print(X.shape)"])
        return python_script(
            [
                *self.signals(s)[2],
                "from novum.base.passes import PassRecorder",
                f"from novum.decomposition import {type(model).__name__}",
                f"frames = PassRecorder(stop_at={n})",
                f"{code_of(model)}.set_callbacks(frames).fit(X)",
                f"Y, old = frames[{n}].model.transform(X), frames[{n - 1}].model.transform(X)",
                "together = np.abs(np.diag(np.corrcoef(Y.T, old.T)[:2, 2:]))",
                "print(float(np.degrees(np.arccos(np.minimum(together, 1.0))).max()))",
            ]
        )


def turn_of(Y: NDArray, old: NDArray) -> float:
    """Return the largest angle, in degrees, by which a component turned among the white rows."""
    together = np.abs(np.diag(np.corrcoef(Y.T, old.T)[:2, 2:]))
    return float(np.degrees(np.arccos(np.minimum(together, 1.0))).max())


def box_of(points: NDArray) -> list[list[float]]:
    """Return a square around zero that holds the points."""
    side = float(np.ceil(np.abs(points).max() * 2) / 2)
    return [[-side, side], [-side, side]]
