"""Prediction on a random walk: what states are worth, learned from episodes by Monte Carlo and by temporal differences."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from novum.lab.calls import Call, code_of, python_script
from novum.lab.controls import Choice, Slider
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.views import curve, number, plane

EACH = 40  # episodes that are shown one by one; later ones by powers of GROWTH
GROWTH = 1.15
RUNS = 20  # behind the curves of errors


class PredictionSteps(Scene):
    name = "walk-predict"
    family = "reinforcement"
    rows = ("003/14/td0", "003/14/fig-mc-rmse", "003/14/n-step-td", "003/14/mc-vs-td")
    method = Choice(("td", "steps", "lambda", "first", "every"), "td")
    rate = Slider(0.01, 1.0, 0.1, hidden_when={"method": ["first", "every"]})
    n_steps = Slider(1, 20, 3, integer=True, hidden_when={"method": ["td", "lambda", "first", "every"]})
    trace = Slider(0.0, 1.0, 0.8, hidden_when={"method": ["td", "steps", "first", "every"]})
    states = Slider(3, 19, 5, integer=True)
    left = Slider(-1.0, 1.0, 0.0)
    discount = Slider(0.5, 1.0, 1.0)
    begin = Slider(-1.0, 1.0, 0.5)
    episodes = Slider(10, 300, 100, integer=True)
    views = (
        plane(points="learned", lines="lines", segments="gaps", domain="domain"),
        number("rmse", r"\sqrt{\frac{1}{|S|} \sum_s ( V(s) - V^\pi(s) )^2}"),
        number("visits"),
        curve(
            x="counted",
            series=[
                {"array": "error_chosen", "label": "value.error_chosen"},
                {"array": "error_td", "label": "value.error_td"},
                {"array": "error_first", "label": "value.error_first"},
                {"array": "error_every", "label": "value.error_every"},
            ],
            marker="n",
        ),
        curve(id="one", series=[{"value": "rmse", "label": "value.rmse"}]),
    )

    def call(self, s: State) -> Call:
        """Return the call that makes the walk."""
        return Call("novum.teaching.random_walk", s.states, left=s.left, discount=s.discount)

    def learner(self, s: State, method: str, n: int, **options: Any) -> Any:
        """Return a learner for n episodes; its rate is constant or one over the visits, so that they begin those of n + 1."""
        from novum.reinforcement import TD, MonteCarloPrediction

        made: dict[str, Any] = {"initial_value": s.begin, "random_state": s.seed, **options}
        if method in ("first", "every"):
            return MonteCarloPrediction(n, visits=method, **made)
        extra = {"td": {}, "steps": {"n_steps": s.n_steps}, "lambda": {"trace_decay": s.trace}}[method]
        return TD(n, learning_rate=s.rate, **extra, **made)

    def frames(self, s: State) -> Iterator[Frame]:
        mdp = self.call(s)()
        truth = mdp.evaluate().values[1:-1]
        at = np.arange(1.0, s.states + 1)
        low, high = min(s.left, s.begin, 0.0), max(1.0, s.begin)
        fixed: dict[str, Any] = {
            "domain": [[0.0, s.states + 1.0], [low - 0.15, high + 0.15]],
            "counted": np.arange(1.0, s.episodes + 1),
        }
        for name, method in (("chosen", s.method), ("td", "td"), ("first", "first"), ("every", "every")):
            many = self.learner(s, method, s.episodes, n_runs=RUNS, n_jobs=1).fit(mdp)
            fixed[f"error_{name}"] = many.errors_.mean(axis=0)
        before = np.full(s.states, s.begin)
        start = ("start", {"rmse": rmse_of(before, truth)})
        yield self.frame(0, 0, self.picture(at, before, truth, before), fixed, start)
        n = 0
        while n < s.episodes:
            n = n + 1 if n < EACH else min(s.episodes, max(n + 1, int(n * GROWTH)))
            model = self.learner(s, s.method, n).fit(mdp)
            now = model.values_[1:-1]
            most = int(np.abs(now - before).argmax())
            said = {
                "n": n,
                "rmse": float(model.errors_[0, -1]),
                "most": most + 1,
                "by": float(now[most] - before[most]),
            }
            picture = self.picture(at, now, truth, before)
            yield self.frame(n, int(model.visits_.sum()), picture, fixed, ("learned", said))
            before = now

    def frame(self, n: int, visits: int, picture: Any, fixed: Any, say: Any) -> Frame:
        """Return the frame after so many episodes."""
        return Frame(n, {"rmse": say[1]["rmse"], "visits": visits, "n": n}, {**fixed, **picture}, say)

    def picture(self, at: Any, now: Any, truth: Any, old: Any) -> dict[str, Any]:
        """Return values by state, before and now, and how far they are from the true ones."""
        lines = [(truth, "truth"), (old, "before"), (now, "now")]
        return {
            "learned": np.column_stack([at, now]),
            "lines": [{"p": np.column_stack([at, values]).tolist(), "role": role} for values, role in lines],
            "gaps": np.column_stack([at, now, at, truth]),
        }

    def script(self, s: State, n: int, part: str) -> str:
        call = self.call(s)
        if not n:
            gap = "mdp.evaluate().values[1:-1]"
            return python_script(
                [
                    call.imports,
                    f"mdp = {call.code}",
                    f"gap = {s.begin!r} - {gap}",
                    "print(float(np.sqrt((gap**2).mean())))",
                ]
            )
        learner = self.learner(s, s.method, n)
        return python_script(
            [
                call.imports,
                f"from novum.reinforcement import {type(learner).__name__}",
                f"model = {code_of(learner)}.fit({call.code})",
                "print(float(model.errors_[0, -1]))",
            ]
        )


def rmse_of(values: Any, truth: Any) -> float:
    """Return the root mean square error of the values."""
    return float(np.sqrt(((values - truth) ** 2).mean()))
