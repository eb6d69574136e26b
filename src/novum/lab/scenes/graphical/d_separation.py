"""d-separation, path by path: every path between two nodes is open or blocked, at a node and for a reason."""

from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any

from novum.lab.calls import python_script
from novum.lab.controls import Choice, Graph, Refusal, Text
from novum.lab.drawn_graphs import Places, drawn_edges, drawn_nodes, graph_code, graph_value
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.views import graph, number, table

MOST_PATHS = 90  # between two nodes: every one is a frame

PLACES: dict[str, Places] = {
    "d_separation": {"a": (0.1, 0.1), "f": (0.75, 0.1), "e": (0.42, 0.5), "b": (0.9, 0.6), "c": (0.42, 1.0)},
    "d_separation_large": {
        "1": (0.0, 0.15), "2": (0.22, 0.15), "5": (0.45, 0.15), "beta": (0.7, 0.15), "4": (0.62, 0.85),
        "3": (0.32, 0.85), "6": (1.0, 0.15), "7": (0.45, 0.55), "8": (0.16, 0.55),
    },
    "burglar_call": {"burglar": (0.1, 0.1), "earthquake": (0.9, 0.1), "alarm": (0.5, 0.5), "call": (0.5, 1.0)},
    "covid": {"covid": (0.5, 0.1), "cough": (0.15, 0.85), "temperature": (0.85, 0.85)},
    "wet": {"cloudy": (0.1, 0.5), "rainy": (0.5, 0.5), "wet": (0.9, 0.5)},
}  # fmt: skip
ENDS = {"d_separation": "ab", "d_separation_large": "14", "covid": ("cough", "temperature")}
OWN = graph_value(PLACES["d_separation"], [("a", "e"), ("f", "e"), ("f", "b"), ("e", "c")])


class Separation(Scene):
    name = "d-separation"
    family = "graphical"
    rows = (
        "000-b/8/d-separation",
        "000-b/8/ex-dsep-large",
        "000-b/8/plot-dsep",
        "000-b/8/i-equivalence",
        "000-b/8/plot-equivalence-classes",
        "002/P2.2/markov-blanket",
    )
    example = Choice((*PLACES, "own"), "d_separation_large")
    click = Choice(("observe", "from", "to", "arcs"), "observe")
    a = Text(20, "1")
    b = Text(20, "4")
    observed = Text(200, "beta")
    drawn = Graph(OWN, most=10)
    views = (
        graph(
            nodes="nodes", edges="edges", edit="drawn", own="example", grow=True, press="click",
            pick={"observe": "observed", "from": "a", "to": "b"}, one=["a", "b"],
        ),
        number("open"),
        number("paths"),
        number("independences"),
        number("members"),
        table(columns="columns", rows="path_rows", marked="path_row"),
        graph(id="essential", nodes="essential_nodes", edges="essential_edges"),
        graph(id="blanket", nodes="blanket_nodes", edges="plain_edges"),
    )  # fmt: skip

    def drawing(self, s: State) -> tuple[Any, Places]:
        """Return the graph and the places of its nodes."""
        from novum.datasets import load_network
        from novum.graphical import DAG

        if s.example != "own":
            return load_network(s.example).dag, PLACES[s.example]
        own = s.drawn
        return DAG(map(tuple, own["arcs"]), own["nodes"]), dict(zip(own["nodes"], map(tuple, own["at"])))

    def question(self, s: State) -> tuple[str, str, list[str]]:
        """Return the two nodes and what is observed; names that the graph lacks are not asked for."""
        _, places = self.drawing(s)
        nodes = list(places)
        first = ENDS.get(s.example, (nodes[0], nodes[-1]))
        a, b = (name if name in nodes else end for name, end in zip((s.a, s.b), first))
        if s.a not in nodes or s.b not in nodes:
            a, b = first
        return a, b, [name for name in nodes if name in s.observed.replace(",", " ").split()]

    def check(self, s: State) -> None:
        a, b, given = self.question(s)
        if a == b:
            raise Refusal(f"b={b!r}: the two nodes must differ; click another one.", "b")
        if a in given or b in given:
            raise Refusal(
                f"observed={s.observed!r}: {a if a in given else b} is asked about; observe other nodes.", "observed"
            )

        if len(list(islice(self.drawing(s)[0].paths(a, b), MOST_PATHS + 1))) > MOST_PATHS:
            raise Refusal(f"drawn: more than {MOST_PATHS} paths join {a} and {b}; take some arcs away.", "drawn")

    def frames(self, s: State) -> Iterator[Frame]:
        dag, places = self.drawing(s)
        a, b, given = self.question(s)
        essential, blanket = dag.essential_graph(), dag.markov_blanket(a)
        ends = {a: "query", b: "query"}
        paths = list(dag.paths(a, b, given))
        fixed = {
            "columns": ["label.path", "label.state"],
            "essential_nodes": drawn_nodes(places, {}),
            "essential_edges": [*drawn_edges(essential.arcs, {}), *drawn_edges(essential.edges, {}, directed=False)],
            "blanket_nodes": drawn_nodes(places, {**dict.fromkeys(blanket, "active"), a: "query"}),
            "plain_edges": drawn_edges(dag.arcs, {}),
        }
        counted = {"independences": len(dag.independences()), "members": essential.n_members}

        def shown(n: int, roles: dict[str, str], path: Any, say: tuple[str, dict[str, Any]]) -> Frame:
            seen = paths[: min(n, len(paths))]
            along = {} if path is None else dict.fromkeys(pairwise(path.nodes), "open" if path.open else "blocked")
            values = {"open": sum(p.open for p in seen), "paths": len(seen), **counted}
            drawn = {
                "nodes": drawn_nodes(places, {**ends, **roles}, given),
                "edges": drawn_edges(dag.arcs, along),
                "path_rows": [[in_arrows(p), "label.open" if p.open else "label.blocked"] for p in seen],
                "path_row": [len(seen) - 1] if path is not None and n <= len(paths) else [],
            }
            return Frame(n, values, {**fixed, **drawn}, say)

        names = {"a": a, "b": b, "given": ", ".join(given), "paths": len(paths)}
        yield shown(0, {}, None, ("asked_given" if given else "asked", names))
        for n, path in enumerate(paths, 1):
            passed = {c.node: "open" if c.open else "blocked" for c in path.connections}
            yield shown(n, passed, path, sentence(dag, path, given))
        found = dag.d_separated(a, b, given)
        yield shown(len(paths) + 1, {}, found.path, ("separated" if found else "connected", names))

    def script(self, s: State, n: int, part: str) -> str:
        a, b, given = self.question(s)
        made = (
            f"from novum.graphical import DAG\ndag = {graph_code(s.drawn)}"
            if s.example == "own"
            else f"from novum.datasets import load_network\ndag = load_network({s.example!r}).dag"
        )
        return python_script(
            [
                made,
                "from itertools import islice",
                f"paths = islice(dag.paths({a!r}, {b!r}, {given!r}), {n})",
                "print(sum(path.open for path in paths))",
            ]
        )


def in_arrows(path: Any) -> str:
    """Return a path as it is read: `a → e ← f`."""
    return path.arrows.replace("->", "→").replace("<-", "←")


def sentence(dag: Any, path: Any, given: list[str]) -> tuple[str, dict[str, Any]]:
    """Return why a path is open, or what blocks it first."""
    said = {"path": in_arrows(path)}
    if not path.connections:
        return "arc", said
    if not path.open:
        first = next(c for c in path.connections if not c.open)
        return f"blocked_{first.kind}", {**said, "node": first.node}
    colliders = [c.node for c in path.connections if c.kind == "collider"]
    if not colliders:
        return "open_plain", said
    by = next(name for name in given if name == colliders[0] or name in dag.descendants(colliders[0]))
    return "open_observed" if by == colliders[0] else "open_descendant", {**said, "node": colliders[0], "by": by}
