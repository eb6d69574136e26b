"""Learning in a grid world, episode by episode, beside the plan of whoever knows the world."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from novum.lab.calls import Call, code_of, python_script
from novum.lab.controls import Choice, Refusal, Slider
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.views import curve, grid, number
from novum.lab.worlds import MAPS, arrows_on_grid, cells_of, codes_of, map_of, on_grid, painting, world_call

EACH = 30  # episodes that are shown one by one; later ones by powers of GROWTH
GROWTH = 1.12
RUNS = 10  # behind the curves
AHEAD = 300  # episodes of them
SMOOTHING = 0.05  # rate of their running mean, which begins at zero
PATIENCE = 200  # steps after which an episode is cut


def shown_episodes(most: int) -> list[int]:
    """Return after how many episodes a frame is shown."""
    made = list(range(1, min(most, EACH) + 1))
    while made[-1] < most:
        made.append(min(most, max(made[-1] + 1, int(made[-1] * GROWTH))))
    return made


class LearningSteps(Scene):
    name = "grid-learn"
    family = "reinforcement"
    rows = ("003/15/q-learning", "003/15/sarsa", "003/15/sarsa-lambda")
    world = Choice(tuple(MAPS), "cliff")
    painted = painting()
    method = Choice(("q", "sarsa", "expected"), "q")
    rate = Slider(0.01, 1.0, 0.5)
    exploration = Slider(0.0, 1.0, 0.1)
    trace = Slider(0.0, 1.0, 0.0, hidden_when={"method": "expected"})
    episodes = Slider(10, 1000, 300, integer=True)
    step_reward = Slider(-2.0, 0.5, -1.0)
    discount = Slider(0.0, 1.0, 1.0)
    slip = Slider(0.0, 1.0, 0.0)
    prize = Slider(0.0, 10.0, 0.0)
    penalty = Slider(-100.0, 0.0, -100.0)
    views = (
        grid(
            rows="height", cols="width", cells="cells", values="values", arrows="arrows", marked="walk", edit="painted",
            codes="codes",
        ),
        number("distance", r"\max_{s,a} |Q(s,a) - Q^*(s,a)|"),
        number("paid"),
        number("way"),
        grid(id="q", rows="height", cols="width", cells="cells", q="q"),
        grid(id="plan", rows="height", cols="width", cells="cells", values="best", arrows="best_arrows"),
        curve(
            x="counted",
            series=[{"array": "q_paid", "label": "value.q_paid"}, {"array": "sarsa_paid", "label": "value.sarsa_paid"}],
            marker="n",
        ),
        grid(id="visits", rows="height", cols="width", cells="cells", values="visits"),
    )  # fmt: skip

    def call(self, s: State) -> Call:
        """Return the call that makes the process."""
        options = {"step_reward": s.step_reward, "slip": s.slip, "discount": s.discount, "cliff_reward": s.penalty}
        return world_call(s, {"+": s.prize, "-": s.penalty}, **options)

    def check(self, s: State) -> None:
        text = map_of(s)
        if "+" not in text and "-" not in text:
            raise Refusal("painted: an episode has to end somewhere; paint an exit.", "painted")
        if s.discount == 1 and s.step_reward >= 0:
            raise Refusal(
                f"step_reward={s.step_reward:g}: without discount a walk that never ends must cost; take it below 0.",
                "step_reward",
            )

    def agent(self, s: State, n: int, **options: Any) -> Any:
        """Return an agent that learns for n episodes; its rates are constant, so that n episodes begin those of n + 1."""
        from novum.reinforcement import SARSA, ExpectedSARSA, QLearning

        made = {"learning_rate": s.rate, "exploration": s.exploration, "max_steps": PATIENCE, "random_state": s.seed}
        if s.method != "expected":
            made["trace_decay"] = s.trace
        return {"q": QLearning, "sarsa": SARSA, "expected": ExpectedSARSA}[s.method](n, **{**made, **options})

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.reinforcement import policy_iteration

        mdp, text = self.call(s)(), map_of(s)
        plan = policy_iteration(mdp)
        inside = ~mdp.model.terminal
        codes = codes_of(text)
        fixed = {
            "cells": cells_of(text),
            "codes": codes,
            "height": len(codes),
            "width": len(codes[0]),
            "best": on_grid(mdp, plan.values),
            "best_arrows": arrows_on_grid(mdp, plan.policy),
            **self.curves(s, mdp),
        }
        for n in shown_episodes(s.episodes):
            model = self.agent(s, n).fit(mdp)
            gap = np.abs(model.action_values_ - plan.action_values)[inside]
            walked = mdp.rollout(model.policy_, max_steps=PATIENCE, random_state=s.seed)
            paid, steps = float(model.returns_[0, -1]), int(model.lengths_[0, -1])
            drawn = {
                **fixed,
                "values": on_grid(mdp, np.where(inside, model.values_, plan.values)),
                "arrows": arrows_on_grid(mdp, model.policy_),
                "q": on_grid(mdp, np.where(inside[:, None], model.action_values_, np.nan)).reshape(-1, 4),
                "visits": on_grid(mdp, np.where(inside, model.visits_.sum(axis=1), np.nan)),
                "walk": [place_of(mdp, state) for state in walked.states],
            }
            way = float(np.sum(walked.rewards))
            values = {"distance": float(np.nanmax(gap)), "paid": paid, "way": way, "n": n}
            said = {"n": n, "steps": steps, "paid": paid, "distance": values["distance"], "length": len(walked.rewards)}
            yield Frame(n, values, drawn, ("learned" if steps < PATIENCE else "lost", said))

    def curves(self, s: State, mdp: Any) -> dict[str, Any]:
        """Return a running mean of what episodes paid, of Q-learning and of SARSA with the same rates."""
        from novum.reinforcement import SARSA, QLearning, running_mean

        made: dict[str, Any] = {}
        options = {"learning_rate": s.rate, "exploration": s.exploration, "max_steps": PATIENCE}
        for name, kind in (("q_paid", QLearning), ("sarsa_paid", SARSA)):
            model = kind(min(s.episodes, AHEAD), n_runs=RUNS, random_state=s.seed, n_jobs=1, **options).fit(mdp)
            made[name] = running_mean(model.returns_.mean(axis=0), SMOOTHING)
        return {**made, "counted": np.arange(1.0, min(s.episodes, AHEAD) + 1)}

    def script(self, s: State, n: int, part: str) -> str:
        call, agent = self.call(s), self.agent(s, n)
        return python_script(
            [
                call.imports,
                f"from novum.reinforcement import {type(agent).__name__}, policy_iteration",
                f"mdp = {call.code}",
                f"agent = {code_of(agent)}.fit(mdp)",
                "inside = [state not in mdp.terminal_states for state in mdp.states]",
                "gap = np.abs(agent.action_values_ - policy_iteration(mdp).action_values)[inside]",
                "print(float(np.nanmax(gap)))",
            ]
        )


def place_of(mdp: Any, state: Any) -> list[int]:
    """Return the row and column of a state, which is named (column, row) from below."""
    return [mdp.layout.cells.shape[0] - state[1], state[0] - 1]
