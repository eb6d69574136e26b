"""Seeing and doing: the effect of x on y by regressions on more and more rows, beside the truth of the intervention."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from novum.lab.calls import python_script
from novum.lab.controls import Choice, Slider, Text
from novum.lab.drawn_graphs import Places, drawn_edges, drawn_nodes
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.views import curve, graph, intervals, number, plane

PLACES: Places = {"x": (0.08, 0.55), "h": (0.5, 0.0), "m": (0.5, 0.42), "y": (0.92, 0.55), "c": (0.5, 1.0)}
ARCS = [("h", "x"), ("x", "m"), ("h", "y"), ("m", "y"), ("x", "y"), ("x", "c"), ("y", "c")]
SIZES = (50, 80, 120, 200, 300, 500, 800, 1200, 2000)
MAY_ADJUST = ("h", "m", "c")
DRAWN = 400  # rows in the picture


class Causality(Scene):
    name = "causality"
    family = "graphical"
    rows = (
        "002/P2.6/do-operator",
        "002/P2.6/backdoor-find",
        "002/P2.6/selection-bias-demo",
        "002/P2.6/rct",
        "002/P2.6/plot-causal-graphs",
    )
    how = Choice(("see", "do", "select"), "see")
    adjusted = Text(20)
    confounding = Slider(-2.0, 2.0, 1.0)
    direct = Slider(-2.0, 2.0, 0.3)
    mediated = Slider(-2.0, 2.0, 0.5)
    common = Slider(-2.0, 2.0, 1.0)
    n = Slider(50, 2000, 800, integer=True)
    views = (
        graph(nodes="nodes", edges="edges", pick="adjusted"),
        number("effect", r"\hat{\beta} = \partial \hat{E}[y \mid do(x)] / \partial x"),
        number("truth"),
        plane(id="seen", points="points", lines="lines", domain="box"),
        intervals(middle="middle", low="low", high="high", labels="names", truth="truth", hit="hit"),
        curve(
            series=[
                {"value": "effect", "label": "value.effect"},
                {"value": "truth", "label": "value.truth", "role": "truth"},
            ]
        ),
    )

    def coefficients(self, s: State, cut: bool) -> dict[str, dict[str, float]]:
        """Return the weights of the arrows into every node; `cut` leaves none into x."""
        return {
            "h": {},
            "x": {} if cut else {"h": s.confounding},
            "m": {"x": s.mediated},
            "y": {"h": s.confounding, "x": s.direct, "m": 1.0},
            "c": {"x": s.common, "y": s.common},
        }

    def network(self, s: State, cut: bool) -> Any:
        from novum.graphical import BayesianNetwork, LinearGaussian

        weights = self.coefficients(s, cut)
        return BayesianNetwork(
            {name: list(into) for name, into in weights.items()},
            {name: LinearGaussian(0.0, into) for name, into in weights.items()},
        )

    def set_of(self, s: State) -> list[str]:
        """Return what is adjusted for: neither x nor y can be."""
        return [name for name in MAY_ADJUST if name in s.adjusted.replace(",", " ").split()]

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.causal import adjust, backdoor_sets, is_backdoor_set

        world, chosen = self.network(s, False), self.set_of(s)
        truth = float(world.do({"x": 1.0}).query("y").mean - world.do({"x": 0.0}).query("y").mean)
        everyone = self.network(s, s.how == "do").sample(max(n for n in SIZES if n <= s.n), random_state=s.seed)
        if s.how == "select":
            everyone = everyone.assign(kept=everyone["c"] > 0)
        backdoor: Any = backdoor_sets(world, "x", "y")[0]
        valid = bool(is_backdoor_set(world, "x", "y", chosen))
        open_paths = self.open_backdoors(s, world.dag, chosen)
        along = {arc: "open" for path in open_paths for arc in pairwise(path.nodes)}
        roles = {"x": "query", "y": "query"}
        fixed: dict[str, Any] = {
            "nodes": drawn_nodes(PLACES, roles, [*chosen, *(["c"] if s.how == "select" else [])]),
            "edges": drawn_edges([arc for arc in ARCS if not (s.how == "do" and arc[1] == "x")], along),
            "names": ["label.none", "label.chosen", "label.backdoor"],
        }
        for edge in fixed["edges"]:
            edge["label"] = f"{self.coefficients(s, False)[edge['to']][edge['from']]:.2g}"
        for n in (size for size in SIZES if size <= s.n):
            rows = everyone.iloc[:n]
            if s.how == "select":
                rows = rows[rows["kept"]].drop(columns="kept")
            found: list[Any] = [adjust(rows, "x", "y", group) for group in ([], chosen, list(backdoor))]
            effects = [one.difference() for one in found]
            effect, (low, high) = effects[1]
            few = rows.iloc[:DRAWN]
            drawn = {
                "points": np.column_stack([few["x"], few["y"]]),
                "lines": [
                    {"p": np.column_stack([one.doses[[0, -1]], one.means[[0, -1]]]).tolist(), "role": "now", "k": k}
                    for k, one in enumerate(found)
                ],
                "box": [[-5.0, 5.0], [-8.0, 8.0]],
                "middle": np.array([e[0] for e in effects]),
                "low": np.array([e[1][0] for e in effects]),
                "high": np.array([e[1][1] for e in effects]),
                "hit": np.array([int(e[1][0] <= truth <= e[1][1]) for e in effects]),
            }
            hit = low <= truth <= high
            say = "held" if hit else "missed" if valid and s.how == "see" else f"biased_{s.how}"
            said = {
                "n": len(rows), "effect": effect, "low": low, "high": high, "truth": truth, "open": len(open_paths),
                "set": ", ".join(chosen) or "∅",
            }  # fmt: skip
            yield Frame(n, {"effect": effect, "truth": truth}, {**fixed, **drawn}, (say, said))

    def open_backdoors(self, s: State, dag: Any, chosen: list[str]) -> list[Any]:
        """Return the paths into x that what is adjusted for leaves open; where x was set, there are none."""
        if s.how == "do":
            return []
        return [path for path in dag.paths("x", "y", chosen) if path.open and not path.forward[0]]

    def script(self, s: State, n: int, part: str) -> str:
        weights = self.coefficients(s, s.how == "do")
        select = 'rows = rows[rows["c"] > 0]' if s.how == "select" else ""
        most = max(size for size in SIZES if size <= s.n)
        return python_script(
            [
                "from novum.causal import adjust\nfrom novum.graphical import BayesianNetwork, LinearGaussian",
                f"weights = {weights!r}",
                "parents = {name: list(into) for name, into in weights.items()}",
                "nodes = {name: LinearGaussian(0.0, into) for name, into in weights.items()}",
                f"rows = BayesianNetwork(parents, nodes).sample({most}, random_state={s.seed}).iloc[:{n}]",
                select,
                f'print(adjust(rows, "x", "y", {self.set_of(s)!r}).difference()[0])',
            ]
        )
