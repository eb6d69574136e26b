"""Sum-product and max-product on a factor graph, message by message; with a loop, sweep by sweep beside the exact answer."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from novum.lab.calls import python_script
from novum.lab.controls import Choice, Slider, Text
from novum.lab.drawn_graphs import Places, drawn_edges, drawn_nodes
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.views import bars, curve, graph, number, table

CHAIN = ["x1", "x2", "x3", "x4"]
SWEEPS = 60
PLACES: dict[str, Places] = {
    "star": {
        "x4": (0.5, 0.0), "fc": (0.5, 0.25), "x2": (0.5, 0.5), "fa": (0.25, 0.7), "x1": (0.0, 0.95), "fb": (0.75, 0.7),
        "x3": (1.0, 0.95),
    },
    "chain": {
        "f1": (0.0, 0.15), "x1": (0.14, 0.5), "f12": (0.28, 0.5), "x2": (0.42, 0.5), "f23": (0.56, 0.5), "x3": (0.7, 0.5),
        "f34": (0.84, 0.5), "x4": (1.0, 0.5),
    },
    "polytree": {
        "f_A": (0.0, 0.1), "A": (0.2, 0.1), "f_B": (0.4, 0.45), "B": (0.4, 0.9), "C": (0.6, 0.1), "f_C": (0.8, 0.1),
        "D": (1.0, 0.1), "f_D": (1.0, 0.6),
    },
    "loop": {
        "f1": (0.0, 0.1), "x1": (0.2, 0.1), "f12": (0.5, 0.1), "x2": (0.8, 0.1), "f23": (0.8, 0.5), "x3": (0.8, 0.9),
        "f34": (0.5, 0.9), "x4": (0.2, 0.9), "f41": (0.2, 0.5),
    },
}  # fmt: skip
STAR = {
    "fa": (("x1", "x2"), [[1, 2], [3, 4]]),
    "fb": (("x2", "x3"), [[2, 1], [1, 3]]),
    "fc": (("x4", "x2"), [[1, 1], [2, 5]]),
}
ROOTS = {"star": "x3", "chain": "x4", "polytree": "B", "loop": "x3"}
FIXED = {"example": ["star", "polytree"]}


class Messages(Scene):
    name = "messages"
    family = "graphical"
    rows = (
        "000-b/9/sum-product",
        "000-b/9/max-product",
        "002/P2.2/plot-message-passing",
        "000-b/9/loopy-bp",
        "000-b/9/junction-tree",
        "000-b/9/plot-factor-graph",
    )
    example = Choice(tuple(PLACES), "star")
    algorithm = Choice(("sum", "max"), "sum", hidden_when={"example": "loop"})
    root = Text(10)
    pull = Slider(0.1, 10.0, 3.0, log=True, hidden_when=FIXED)
    bias = Slider(0.01, 0.99, 0.8, hidden_when=FIXED)
    views = (
        graph(nodes="nodes", edges="edges", pick="root", one=["root"]),
        number("newest", r"\mu_{f \to x}(x) = \sum_{x_f \setminus x} f(x_f) \prod_{y \ne x} \mu_{y \to f}(y)"),
        number("log_Z", r"\ln Z"),
        table(columns="columns", rows="sent", marked="last"),
        bars(values="first", groups="pairs", group_labels="kinds", labels="variables", domain="unit"),
        curve(series=[{"value": "newest", "label": "value.newest"}]),
    )

    def graph(self, s: State) -> tuple[Any, str]:
        """Return the factor graph, and the lines of a script that make it."""
        from novum.datasets import load_network
        from novum.graphical import FactorGraph

        if s.example == "polytree":
            code = 'from novum.datasets import load_network\ngraph = load_network("polytree").to_factor_graph()'
            return load_network("polytree").to_factor_graph(), code
        factors: dict[str, Any] = dict(STAR)
        if s.example != "star":
            table = [[s.pull, 1.0], [1.0, s.pull]]
            pairs = [*pairwise(CHAIN), *([("x4", "x1")] if s.example == "loop" else [])]
            factors = {"f1": (("x1",), [s.bias, 1 - s.bias]), **{f"f{a[1]}{b[1]}": ((a, b), table) for a, b in pairs}}
        return FactorGraph(factors), f"from novum.graphical import FactorGraph\ngraph = FactorGraph({factors!r})"

    def rooted(self, s: State) -> str:
        """Return the root: the variable that was clicked, or the example's own."""
        return s.root if s.root in self.graph(s)[0].states else ROOTS[s.example]

    def frames(self, s: State) -> Iterator[Frame]:
        factors, _ = self.graph(s)
        yield from (self.sweeps(s, factors) if s.example == "loop" else self.tree(s, factors))

    def picture(self, s: State, factors: Any, roles: dict[str, str], beliefs: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the nodes: variables with their beliefs where they are known, factors as squares."""
        nodes = drawn_nodes(PLACES[s.example], {self.rooted(s): "query", **roles})
        for node in nodes:
            node["square"] = node["id"] not in factors.states
            if node["id"] in beliefs:
                states = factors.states[node["id"]]
                node["bars"] = [[str(one), float(p)] for one, p in zip(states, beliefs[node["id"]])]
        return nodes

    def tree(self, s: State, factors: Any) -> Iterator[Frame]:
        root = self.rooted(s)
        found = factors.sum_product(root=root) if s.algorithm == "sum" else factors.max_product(root=root)
        known = factors.sum_product(root=root)
        links = [(f.name, v) for f in factors.factors for v in f.variables]
        arrived: dict[str, int] = dict.fromkeys(factors.states, 0)
        exact = [float(factors.query(v).p[0]) for v in factors.states]
        rows: list[list[Any]] = []
        newest: dict[Any, tuple[str, str, Any]] = {}
        fixed = {
            "columns": ["label.from", "label.to", "label.message"],
            "kinds": ["label.belief", "label.exact"],
            "variables": [f"{v}={states[0]}" for v, states in factors.states.items()],
            "unit": [0, 1],
        }
        degree = {v: sum(v == other for _, other in links) for v in factors.states}
        for n, (sender, receiver) in enumerate([("", ""), *found.schedule]):
            beliefs = {}
            if n:
                mu = found.message(sender, receiver)
                rows = [*rows, [sender, receiver, ", ".join(f"{value:.6g}" for value in mu)]]
                newest[frozenset((sender, receiver))] = (sender, receiver, mu)
                arrived[receiver] = arrived.get(receiver, 0) + 1
            if s.algorithm == "sum":
                beliefs = {v: known.marginals[v].p for v in degree if arrived[v] == degree[v]}
            edges = []
            for a, b in links:
                at = newest.get(frozenset((a, b)))
                edge = drawn_edges([at[:2] if at else (a, b)], {(sender, receiver): "active"}, directed=at is not None)[
                    0
                ]
                if at:
                    share = at[2] / at[2].sum()
                    edge["bars"] = [[str(i), float(p)] for i, p in enumerate(share)]
                edges.append(edge)
            done = arrived[root] == degree[root]
            believed = [float(beliefs[v][0]) if v in beliefs else None for v in factors.states]
            drawn = {
                "nodes": self.picture(s, factors, {sender: "active", receiver: "active"} if n else {}, beliefs),
                "edges": edges,
                "sent": rows,
                "last": [len(rows) - 1] if rows else [],
                "pairs": [believed, exact],
                "first": exact,
            }
            log_Z = None if not done else found.log_partition if s.algorithm == "sum" else found.log_value
            values = {"newest": float(mu[0]) if n else None, "log_Z": log_Z}
            half = len(found.schedule) // 2
            say = "start" if not n else "inward" if n < half else "reached" if n == half else "outward"
            said = {"from": sender, "to": receiver, "root": root, "left": half - n, "messages": len(found.schedule)}
            yield Frame(n, values, {**fixed, **drawn}, (say, said))
        if s.algorithm == "max":
            best = ", ".join(f"{v}={value}" for v, value in found.values.items())
            yield Frame(n + 1, values, {**fixed, **drawn}, ("best", {"best": best, "root": root}))

    def sweeps(self, s: State, factors: Any) -> Iterator[Frame]:
        names, root = list(factors.states), self.rooted(s)
        exact = {v: factors.query(v, method="junction_tree").p for v in names}
        links = [(f.name, v) for f in factors.factors for v in f.variables]
        fixed = {
            "edges": drawn_edges(links, {}, directed=False),
            "columns": ["label.variable", "label.belief", "label.exact"],
            "kinds": ["label.belief", "label.exact"],
            "variables": [f"{v}=0" for v in names],
            "unit": [0, 1],
            "last": [names.index(root)],
        }
        for n in range(1, SWEEPS + 1):
            answers = {v: factors.query(v, method="loopy_bp", max_iter=n) for v in names}
            beliefs = {v: answer.p for v, answer in answers.items()}
            change, off = answers[root].details["last_change"], float(beliefs[root][0] - exact[root][0])
            pairs = np.array([[beliefs[v][0] for v in names], [exact[v][0] for v in names]])
            drawn = {
                "nodes": self.picture(s, factors, {}, beliefs),
                "sent": [[v, float(beliefs[v][0]), float(exact[v][0])] for v in names],
                "pairs": pairs,
                "first": pairs[0],
            }
            values = {"newest": float(beliefs[root][0]), "log_Z": float(answers[root].log_evidence)}
            said = {"n": n, "change": change, "root": root, "off": off}
            settled = answers[root].details["converged"]
            yield Frame(n, values, {**fixed, **drawn}, ("settled" if settled else "sweep", said))
            if settled:
                return

    def script(self, s: State, n: int, part: str) -> str:
        factors, code = self.graph(s)
        root = self.rooted(s)
        if s.example == "loop":
            return python_script([code, f'print(float(graph.query({root!r}, method="loopy_bp", max_iter={n}).p[0]))'])
        method = "sum_product" if s.algorithm == "sum" else "max_product"
        found = getattr(factors, method)(root=root)
        if not n:
            return python_script([code, f"found = graph.{method}(root={root!r})", 'print("nothing is sent yet")'])
        last = min(n, len(found.schedule)) - 1
        return python_script(
            [
                code,
                f"found = graph.{method}(root={root!r})",
                f"sender, receiver = found.schedule[{last}]",
                "print(float(found.message(sender, receiver)[0]))",
            ]
        )
