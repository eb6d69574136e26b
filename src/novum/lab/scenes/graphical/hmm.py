"""A hidden Markov model of a casino that swaps its die: the trellis column by column, or Baum-Welch pass by pass."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import literal, python_script
from novum.lab.controls import Choice, Refusal, Slider, Text
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.sources.passes import passes
from novum.lab.views import bars, curve, heat, number, trellis

FACES = "123456"
NAMES = ["label.fair", "label.loaded"]
MOST_PASSES = 60


class Casino(Scene):
    name = "hmm"
    family = "graphical"
    rows = (
        "002/P2.5/forward-backward",
        "002/P2.5/viterbi",
        "000-b/9/viterbi-trellis",
        "002/P2.5/baum-welch",
        "000-b/9/plot-trellis",
    )
    do = Choice(("decode", "learn"), "decode")
    n = Slider(2, 60, 24, integer=True)
    rolls = Text(60)
    stay_fair = Slider(0.5, 0.99, 0.9)
    stay_loaded = Slider(0.5, 0.99, 0.9)
    six = Slider(0.2, 0.9, 0.6)
    views = (
        trellis(
            values="log_delta", pointers="pointers", path="path", states="states", observed="observed", upto="upto",
            edit="rolls", symbols="faces",
        ),
        number("L", r"\ln p(x_1, \ldots, x_t) = \ln \sum_j \alpha_t(j)"),
        number("delta", r"\max_j \ln \delta_t(j)"),
        curve(
            series=[
                {"array": "filtered", "label": "value.filtered"},
                {"array": "smoothed", "label": "value.smoothed"},
                {"array": "decoded", "label": "value.decoded", "role": "truth"},
            ],
            x="place",
        ),
        bars(values="dice", groups="dice", group_labels="states", labels="faces"),
        heat(values="moves", rows="states", columns="states", domain="unit"),
        curve(id="by_step", series=[{"value": "L", "label": "value.L"}]),
    )  # fmt: skip

    def check(self, s: State) -> None:
        odd = [roll for roll in s.rolls if roll not in FACES]
        if odd:
            raise Refusal(f"rolls={s.rolls!r}: {odd[0]!r} is no face of a die; type digits from 1 to 6.", "rolls")

    def parts_of(self, s: State) -> tuple[NDArray, NDArray, NDArray]:
        """Return where the casino starts, how it swaps, and its dice."""
        moves = np.array([[s.stay_fair, 1 - s.stay_fair], [1 - s.stay_loaded, s.stay_loaded]])
        return np.array([0.5, 0.5]), moves, np.array([[1 / 6] * 6, [(1 - s.six) / 5] * 5 + [s.six]])

    def model(self, s: State, **options: Any) -> Any:
        from novum.sequence import CategoricalHMM

        model = CategoricalHMM(2, n_features=6, **options)
        model.startprob_, model.transmat_, model.emissionprob_ = self.parts_of(s)
        return model

    def observed(self, s: State) -> NDArray:
        """Return the faces as symbols 0 to 5: those typed, or drawn from the model."""
        if s.rolls:
            return np.array([[int(roll) - 1] for roll in s.rolls])
        return self.model(s).sample(s.n, random_state=s.seed)[0]

    def frames(self, s: State) -> Iterator[Frame]:
        X = self.observed(s)
        fixed = {
            "observed": [str(face + 1) for face in X[:, 0]],
            "faces": list(FACES),
            "states": NAMES,
            "place": np.arange(1, len(X) + 1),
            "unit": [0, 1],
        }
        yield from (self.columns(s, X, fixed) if s.do == "decode" else self.learning(s, X, fixed))

    def at_step(self, n: int, model: Any, X: NDArray, fixed: Any, t: int, say: tuple[str, dict[str, Any]]) -> Frame:
        """Return what a model says of the first t + 1 rolls."""
        seen = X[: t + 1]
        found, path = model.trellis(X), model.decode(seen)[1]
        log_delta = np.where(np.isfinite(found.log_delta), found.log_delta, -1e9)
        arrows = [[row, int(found.pointers[row, j]), j] for row in range(1, t + 1) for j in range(2)]
        drawn = {
            "log_delta": log_delta,
            "pointers": arrows,
            "path": path,
            "filtered": model.filter(X)[: t + 1, 1],
            "smoothed": model.predict_proba(seen)[:, 1],
            "decoded": path,
            "dice": model.emissionprob_,
            "moves": model.transmat_,
        }
        values = {"L": float(model.score(seen)), "delta": float(model.decode(seen)[0]), "upto": t}
        return Frame(n, values, {**fixed, **drawn}, say)

    def columns(self, s: State, X: NDArray, fixed: Any) -> Iterator[Frame]:
        model, before = self.model(s), np.empty(0, int)
        for t in range(len(X)):
            path = model.decode(X[: t + 1])[1]
            turned = int((path[:-1] != before).sum())
            share = float(model.filter(X[: t + 1])[-1, 1])
            said = {"t": t + 1, "face": int(X[t, 0]) + 1, "share": share, "turned": turned}
            yield self.at_step(t + 1, model, X, fixed, t, ("turned" if turned else "column", said))
            before = path

    def learning(self, s: State, X: NDArray, fixed: Any) -> Iterator[Frame]:
        before: float | None = None
        for step in passes(self.model(s, init_params="", max_iter=MOST_PASSES, tol=1e-3), X):
            model = step.fitted
            L, said = (
                float(model.score(X)),
                {"six": float(model.emissionprob_[1, 5]), "stay": float(model.transmat_[1, 1])},
            )
            say = ("start", {**said, "L": L}) if before is None else ("pass", {**said, "by": L - before, "L": L})
            yield self.at_step(step.n, model, X, fixed, len(X) - 1, say)
            before = L

    def script(self, s: State, n: int, part: str) -> str:
        start, moves, dice = self.parts_of(s)
        learn = s.do == "learn"
        given = f', init_params="", max_iter={n}, tol=1e-3' if learn else ""
        return python_script(
            [
                "from novum.sequence import CategoricalHMM",
                f"model = CategoricalHMM(2, n_features=6{given})",
                f"model.startprob_ = {literal(start)}",
                f"model.transmat_ = {literal(moves)}",
                f"model.emissionprob_ = {literal(dice)}",
                f"rolls = np.array([[int(roll)] for roll in {s.rolls!r}]) - 1"
                if s.rolls
                else f"rolls = model.sample({s.n}, random_state={s.seed})[0]",
                "print(float(model.fit(rolls).score(rolls)))" if learn else f"print(float(model.score(rolls[:{n}])))",
            ]
        )
