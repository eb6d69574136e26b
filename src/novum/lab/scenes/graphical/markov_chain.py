"""A Markov chain: how its distribution moves, step by step, and whether it settles."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from novum.lab.calls import literal, python_script
from novum.lab.controls import Choice, Graph, Slider, Text
from novum.lab.drawn_graphs import Places, drawn_edges, drawn_nodes, graph_value
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.views import bars, curve, graph, heat, number

SQUARE: Places = {"a": (0.1, 0.1), "b": (0.9, 0.1), "c": (0.9, 0.9), "d": (0.1, 0.9)}
LINE: Places = {
    name: (place, 0.5 - 0.3 * (i % 2)) for i, (name, place) in enumerate(zip("abcde", np.linspace(0, 1, 5)))
}
EXAMPLES: dict[str, tuple[Places, list[tuple[str, str]]]] = {
    "mixing": (SQUARE, [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "a")]),
    "ring": (SQUARE, [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]),
    "walk": (LINE, [pair for i in range(4) for pair in (("abcde"[i], "abcde"[i + 1]), ("abcde"[i + 1], "abcde"[i]))]),
    "classes": (SQUARE, [("a", "b"), ("b", "a"), ("c", "d"), ("d", "c"), ("b", "c")]),
    "traps": (LINE, [("b", "a"), ("b", "c"), ("c", "b"), ("c", "d"), ("d", "c"), ("d", "e")]),
}


class Chain(Scene):
    name = "markov-chain"
    family = "graphical"
    rows = ("003/11/markov-chain", "002/P2.4/markov-chain-properties", "002/P2.5/markov-model")
    example = Choice((*EXAMPLES, "own"), "mixing")
    click = Choice(("start", "arcs"), "start")
    start = Text(20, "a")
    stay = Slider(0.0, 0.95, 0.1)
    steps = Slider(1, 60, 20, integer=True)
    drawn = Graph(graph_value(*EXAMPLES["mixing"]), most=8, acyclic=False)
    rising = "down"
    views = (
        graph(
            nodes="nodes", edges="edges", edit="drawn", own="example", grow=True, press="click", pick={"start": "start"},
            one=["start"],
        ),
        number("distance", r"\lVert p_t - \pi \rVert_1,\quad p_t = p_0 T^t"),
        number("closed"),
        number("period"),
        curve(series=[{"value": "distance", "label": "value.distance"}]),
        bars(values="now", groups="pairs", group_labels="kinds", labels="states", domain="unit"),
        heat(values="table", rows="states", columns="states", domain="unit"),
    )  # fmt: skip

    def table(self, s: State) -> tuple[list[str], Any, Places]:
        """Return the states, T and places: a state stays with its share, and goes along its arrows with equal parts of the rest."""
        places, arcs = EXAMPLES.get(s.example, ({}, []))
        if s.example == "own":
            places, arcs = dict(zip(s.drawn["nodes"], map(tuple, s.drawn["at"]))), s.drawn["arcs"]
        names = list(places)
        T = np.zeros((len(names), len(names)))
        for i, name in enumerate(names):
            out = [names.index(b) for a, b in arcs if a == name]
            T[i, i] = s.stay if out else 1.0
            T[i, out] = (1 - s.stay) / max(len(out), 1)
        return names, T, places

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.sequence import MarkovChain

        names, T, places = self.table(s)
        chain = MarkovChain(transition=T, states=names)
        start = np.eye(len(names))[self.first(s, names)]
        classes = chain.classes()
        closed = [k for k in range(len(classes)) if classes.closed[k]]
        period = int(max(classes.period[k] for k in closed))
        stationary = chain.stationary() if len(closed) == 1 else None
        moves = [(names[i], names[j]) for i in range(len(names)) for j in range(len(names)) if T[i, j] > 0]
        edges = drawn_edges(moves, {})
        for edge in edges:
            edge["label"] = f"{T[names.index(edge['from']), names.index(edge['to'])]:.2g}"
        fixed = {
            "edges": edges,
            "states": names,
            "table": T,
            "unit": [0, 1],
            "kinds": ["label.now", "label.stationary"] if stationary is not None else ["label.now"],
        }
        before = None
        for n in range(s.steps + 1):
            p = chain.marginal(n, start)
            distance = None if stationary is None else float(np.abs(p - stationary).sum())
            nodes = drawn_nodes(places, {names[self.first(s, names)]: "query"})
            for node, mass in zip(nodes, p):
                node |= {"share": float(mass), "value": float(mass)}
            pairs = [p.tolist()] if stationary is None else [p.tolist(), stationary.tolist()]
            values = {"distance": distance, "closed": len(closed), "period": period}
            said = {"n": n, "distance": distance, "before": before, "closed": len(closed), "period": period}
            say = "start" if not n else "classes" if distance is None else "period" if period > 1 else "step"
            yield Frame(n, values, {**fixed, "nodes": nodes, "pairs": pairs, "now": p}, (say, said))
            before = distance

    def first(self, s: State, names: list[str]) -> int:
        """Return the place of the state to start in; the first where there is none of that name."""
        return names.index(s.start) if s.start in names else 0

    def script(self, s: State, n: int, part: str) -> str:
        names, T, _ = self.table(s)
        return python_script(
            [
                "from novum.sequence import MarkovChain",
                f"chain = MarkovChain(transition={literal(T)}, states={names!r})",
                f"p = chain.marginal({n}, np.eye({len(names)})[{self.first(s, names)}])",
                "print(float(np.abs(p - chain.stationary()).sum()))",
            ]
        )
