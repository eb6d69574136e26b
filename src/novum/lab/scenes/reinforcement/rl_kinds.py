"""Kinds of reinforcement learning: what each learner is told, keeps and follows, and what that is worth after a few episodes."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from novum.lab.calls import Call, code_of, python_script
from novum.lab.controls import Choice, Refusal, Slider
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.views import curve, grid, number, table
from novum.lab.worlds import arrows_on_grid, cells_of, codes_of, map_of, on_grid, painting, world_call

EACH = 30  # episodes that are shown one by one; later ones by powers of GROWTH
GROWTH = 1.15
RUNS = 6  # behind the curves
AHEAD = 100  # episodes of them
SMOOTHING = 0.1  # rate of their running mean
PATIENCE = 200  # steps after which an episode is cut
MOST_CELLS = 24  # who learns a model plans after every step
LEARNERS = {  # of the world that is shown: class and settings
    "q": ("QLearning", {}),
    "sarsa": ("SARSA", {}),
    "mc": ("MonteCarloControl", {}),
    "dyna": ("QLearning", {"planning_steps": 10}),
    "adp": ("ADP", {}),
}
OTHERS = ("SemiGradientSARSA", "DQN", "REINFORCE", "ActorCritic", "TD", "MonteCarloPrediction")  # of the table alone
COLUMNS = (  # of the table: which tags stand in which column
    ("model-free", "model-based"),
    ("on-policy", "off-policy"),
    ("online", "offline"),
    ("tabular", "approximate"),
    ("value-based", "policy-based", "actor-critic"),
    ("prediction", "control"),
)


class KindSteps(Scene):
    name = "rl-kinds"
    family = "reinforcement"
    rows = ("003/13/rl-taxonomy", "003/13/rl-named")
    learner = Choice(tuple(LEARNERS), "q")
    world = Choice(("room", "corridor"), "room")
    painted = painting()
    exploration = Slider(0.01, 1.0, 0.1)
    episodes = Slider(10, 200, 100, integer=True)
    slip = Slider(0.0, 0.5, 0.2)
    views = (
        grid(
            rows="height",
            cols="width",
            cells="cells",
            values="worth_of_cells",
            arrows="arrows",
            edit="painted",
            codes="codes",
        ),
        number("worth", r"V^{\pi}(s_0)"),
        number("lost", r"V^*(s_0) - V^{\pi}(s_0)"),
        number("steps"),
        table(columns="columns", rows="kinds", marked="chosen", span=2),
        curve(
            x="counted",
            series=[{"array": f"paid_{name}", "label": f"label.{name}"} for name in LEARNERS],
            marker="n",
        ),
        curve(
            id="progress",
            series=[
                {"value": "worth", "label": "value.worth"},
                {"value": "best", "label": "value.best", "role": "bound"},
            ],
        ),
    )

    def call(self, s: State) -> Call:
        """Return the call that makes the process."""
        return world_call(s, {"+": 1.0, "-": -1.0}, step_reward=-0.04, slip=s.slip, discount=0.95)

    def check(self, s: State) -> None:
        text = map_of(s)
        if "+" not in text and "-" not in text:
            raise Refusal("painted: an episode has to end somewhere; paint an exit.", "painted")
        if len(text.replace("\n", "")) > MOST_CELLS:
            raise Refusal(f"painted: at most {MOST_CELLS} cells here; take some away.", "painted")

    def agent(self, s: State, name: str, n: int, **options: Any) -> Any:
        """Return a learner for n episodes."""
        import novum.reinforcement

        kind, settings = LEARNERS[name]
        made = {"exploration": s.exploration, "max_steps": PATIENCE, "random_state": s.seed, **settings, **options}
        return getattr(novum.reinforcement, kind)(n, **made)

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.reinforcement import policy_iteration

        mdp, text = self.call(s)(), map_of(s)
        plan = policy_iteration(mdp)
        start, codes = first_state(mdp), codes_of(text)
        fixed = {
            "cells": cells_of(text),
            "codes": codes,
            "height": len(codes),
            "width": len(codes[0]),
            "columns": ["label.method", *(f"label.column{k + 1}" for k in range(len(COLUMNS)))],
            "kinds": kinds(),
            "chosen": [list(LEARNERS).index(s.learner)],
            "counted": np.arange(1.0, min(s.episodes, AHEAD) + 1),
            **self.curves(s, mdp),
        }
        best, before, n = float(plan.values[start]), None, 0
        while n < s.episodes:
            n = n + 1 if n < EACH else min(s.episodes, max(n + 1, int(n * GROWTH)))
            model = self.agent(s, s.learner, n).fit(mdp)
            values = mdp.evaluate(model.policy_).values
            worth, steps = float(values[start]), int(model.lengths_[0].sum())
            drawn = {**fixed, "worth_of_cells": on_grid(mdp, values), "arrows": arrows_on_grid(mdp, model.policy_)}
            shown = {"worth": worth, "lost": best - worth, "steps": steps, "best": best, "n": n}
            said = {"n": n, "steps": steps, "worth": worth, "lost": best - worth}
            key = "first" if before is None else "same" if worth == before else "better" if worth > before else "worse"
            yield Frame(n, shown, drawn, (key, {**said, "by": abs(worth - (before or 0.0))}))
            before = worth

    def curves(self, s: State, mdp: Any) -> dict[str, Any]:
        """Return a running mean of what episodes paid, for every learner."""
        from novum.reinforcement import running_mean

        made = {}
        for name in LEARNERS:
            model = self.agent(s, name, min(s.episodes, AHEAD), n_runs=RUNS, n_jobs=1).fit(mdp)
            made[f"paid_{name}"] = running_mean(model.returns_.mean(axis=0), SMOOTHING)
        return made

    def script(self, s: State, n: int, part: str) -> str:
        call, agent = self.call(s), self.agent(s, s.learner, n)
        start = first_state(call())
        return python_script(
            [
                call.imports,
                f"from novum.reinforcement import {type(agent).__name__}, method_tags",
                f"mdp = {call.code}",
                f"agent = {code_of(agent)}.fit(mdp)",
                "print(method_tags(agent))",
                f"print(float(mdp.evaluate(agent.policy_).values[{start}]))  # of the policy it has learned, from the start",
            ]
        )


def first_state(mdp: Any) -> int:
    """Return the state in which episodes begin."""
    return int(np.argmax(mdp.initial))


def kinds() -> list[list[str]]:
    """Return a row per learner: its name and its tag of every column, as the class itself says."""
    import novum.reinforcement
    from novum.reinforcement import method_tags

    made = []
    for name in (*LEARNERS, *OTHERS):
        tags = method_tags(getattr(novum.reinforcement, LEARNERS[name][0] if name in LEARNERS else name))
        title = f"label.{name}" if name in LEARNERS else name
        cells = [next((tag for tag in column if tag in tags), "") for column in COLUMNS]
        made.append([title, *(f"label.{cell}" if cell else "–" for cell in cells)])
    return made
