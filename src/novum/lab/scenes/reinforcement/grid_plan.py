"""Planning in a grid world: sweep by sweep (value iteration), or policy by policy (policy iteration)."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import Call, python_script
from novum.lab.controls import Choice, Refusal, Slider
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.views import curve, graph, grid, number
from novum.lab.worlds import MAPS, arrows_on_grid, cells_of, codes_of, map_of, on_grid, painting, world_call

MOST_SWEEPS = 400
TOP = 0.14  # of the graph, for the loops of the highest states
FEWEST = 0.01  # share of a transition from which the graph draws it


class PlanningSteps(Scene):
    name = "grid-plan"
    family = "reinforcement"
    rows = (
        *("000-c/19/value-iteration", "003/12/policy-iteration", "000-c/19/plot-gridworld", "003/12/vi-error-bound"),
        *("000-c/19/optimal-policy-regimes", "003/11/fig-mdp-graph", "003/12/fig-policy-iteration"),
    )
    world = Choice(tuple(MAPS), "room")
    painted = painting()
    method = Choice(("value", "policy"), "value")
    step_reward = Slider(-2.0, 0.5, -0.04)
    discount = Slider(0.0, 1.0, 0.9)
    slip = Slider(0.0, 1.0, 0.2)
    prize = Slider(0.0, 10.0, 1.0)
    penalty = Slider(-20.0, 0.0, -1.0)
    views = (
        grid(rows="height", cols="width", cells="cells", values="values", arrows="arrows", edit="painted", codes="codes"),
        number("change", r"\max_s |V_{k+1}(s) - V_k(s)|"),
        number("error", r"\max_s |V_k(s) - V^*(s)|"),
        number("loss", r"\max_s ( V^*(s) - V^{\pi_k}(s) )"),
        grid(id="q", rows="height", cols="width", cells="cells", q="q"),
        curve(
            series=[{"value": "error", "label": "value.error"}, {"value": "bound", "label": "value.bound", "role": "bound"}],
            log_y=True,
        ),
        graph(nodes="nodes", edges="edges"),
    )  # fmt: skip

    def call(self, s: State) -> Call:
        """Return the call that makes the process."""
        exits = {"+": s.prize, "-": s.penalty}
        options = {"step_reward": s.step_reward, "slip": s.slip, "discount": s.discount, "cliff_reward": s.penalty}
        return world_call(s, exits, **options)

    def check(self, s: State) -> None:
        map_of(s)
        if s.discount == 1 and s.step_reward >= 0:
            raise Refusal(
                f"step_reward={s.step_reward:g}: without discount a walk that never ends must cost; take it below 0.",
                "step_reward",
            )

    def plan(self, s: State, mdp: Any) -> Any:
        """Return the plan of the method, with what it went through."""
        from novum.reinforcement import policy_iteration, value_iteration

        if s.method == "policy":
            return policy_iteration(mdp)
        return value_iteration(mdp, order="synchronous", max_iter=MOST_SWEEPS, keep_path=True)

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.reinforcement import policy_iteration

        mdp, text = self.call(s)(), map_of(s)
        plan = self.plan(s, mdp)
        best = policy_iteration(mdp).values
        path = plan.history["path"] if s.method == "value" else plan.history["values"]
        far = float(np.abs(path[0] - best).max())
        inside = ~mdp.model.terminal
        codes = codes_of(text)
        fixed = {"cells": cells_of(text), "codes": codes, "height": len(codes), "width": len(codes[0])}
        before: NDArray | None = None
        for k, values in enumerate(path):
            policy = mdp.greedy(values) if s.method == "value" else plan.history["policies"][k]
            action = policy.probabilities.argmax(axis=1)
            change = float(np.abs(values - path[k - 1]).max()) if k else None
            error = float(np.abs(values - best).max())
            numbers = {
                "change": change,
                "error": error,
                "bound": far * s.discount**k,
                "loss": loss_of(mdp, policy, best),
            }
            drawn = {
                **fixed,
                "values": on_grid(mdp, values),
                "arrows": arrows_on_grid(mdp, policy),
                "q": on_grid(mdp, np.where(inside[:, None], mdp.action_values(values), np.nan)).reshape(-1, 4),
                **self.chain(mdp, policy),
            }
            turned = 0 if before is None else int((action != before)[inside].sum())
            key = "start" if k == 0 else "swept" if s.method == "value" else "improved"
            said = {"n": k, "change": change, "turned": turned, "error": error}
            yield Frame(k, numbers, drawn, (key, said))
            before = action

    def chain(self, mdp: Any, policy: Any) -> dict[str, Any]:
        """Return the process under a policy as a graph: states in their places, transitions by their probability."""
        cells = mdp.layout.cells
        (h, w), steps = cells.shape, mdp.reward_process(policy).transition.tocoo()
        nodes = [
            {"id": str(cells[r, c]), "label": f"{c + 1},{h - r}", "x": c / max(w - 1, 1), "y": TOP + (1 - TOP) * r / max(h - 1, 1),
             "role": "observed" if mdp.model.terminal[cells[r, c]] else "plain"}
            for r, c in np.argwhere(cells >= 0).tolist()
        ]  # fmt: skip
        edges = [
            {"from": str(i), "to": str(j), "label": f"{p:.2g}"}
            for i, j, p in zip(steps.row.tolist(), steps.col.tolist(), steps.data.tolist())
            if p >= FEWEST and not mdp.model.terminal[i]
        ]
        return {"nodes": nodes, "edges": edges}

    def script(self, s: State, n: int, part: str) -> str:
        call = self.call(s)
        function = "policy_iteration" if s.method == "policy" else "value_iteration"
        options = "" if s.method == "policy" else f', order="synchronous", max_iter={MOST_SWEEPS}, keep_path=True'
        kept = "values" if s.method == "policy" else "path"
        return python_script(
            [
                call.imports,
                f"from novum.reinforcement import {function}",
                f"mdp = {call.code}",
                f"plan = {function}(mdp{options})",
                f'path = plan.history["{kept}"]',
                f"print(float(np.abs(path[{n}] - path[{n - 1}]).max()))" if n else "print(path[0])",
            ]
        )


def loss_of(mdp: Any, policy: Any, best: NDArray) -> float | None:
    """Return how much a policy loses at the worst state; None where it never ends and nothing discounts."""
    from novum.exceptions import ParameterError

    try:
        return float((best - mdp.evaluate(policy).values).max())
    except ParameterError:
        return None
