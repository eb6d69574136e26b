"""Learning a Bayesian network from a table: EM pass by pass where cells are missing, or hill climbing over graphs move by move."""

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np

from novum.lab.calls import python_script
from novum.lab.controls import Choice, Refusal, Slider, Table
from novum.lab.drawn_graphs import Places, drawn_edges, drawn_nodes
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.views import curve, graph, number, table

COLUMNS = ("X1", "X2", "X3")
ARCS = [("X1", "X2"), ("X1", "X3")]
UNKNOWN = "?"
ROWS = (
    ("T", "R", "F"), ("?", "R", "F"), ("T", "G", "T"), ("F", "?", "F"), ("T", "B", "T"), ("T", "?", "T"), ("T", "B", "T"),
)  # fmt: skip
PLACES: Places = {"X1": (0.5, 0.05), "X2": (0.1, 0.95), "X3": (0.9, 0.95)}
COPIES = 3  # of the network that are drawn with its parameters
MOST_PASSES = 60
TOLERANCE = 1e-6


class Learning(Scene):
    name = "learn-network"
    family = "graphical"
    rows = (
        "000-b/10/bn-mle",
        "000-b/10/bn-map",
        "000-b/10/bn-em",
        "000-b/10/structure-score",
        "000-b/10/plot-em-trace",
        "000-b/10/plot-unrolled-network",
    )
    do = Choice(("em", "climb"), "em")
    data = Table(COLUMNS, ROWS, most=30, max_length=6)
    prior = Slider(0.0, 5.0, 0.0, hidden_when={"do": "climb"})
    init = Choice(("uniform", "available"), "uniform", hidden_when={"do": "climb"})
    scoring = Choice(("bic", "aic", "k2", "bdeu"), "bic", hidden_when={"do": "em"})
    copies = Slider(1, 50, 5, integer=True, hidden_when={"do": "em"})
    rising = "up"
    views = (
        graph(nodes="nodes", edges="edges"),
        number("objective", r"\sum_{\text{rows}} \ln p(x_{\text{known}}) + \ln p(\theta)"),
        number("parameters"),
        table(columns="columns", rows="cells", edit="data"),
        table(id="counts", columns="count_columns", rows="counts", marked="chosen"),
        curve(series=[{"value": "objective", "label": "value.objective"}]),
        graph(id="unrolled", nodes="copy_nodes", edges="copy_edges"),
    )

    def check(self, s: State) -> None:
        for j, column in enumerate(COLUMNS):
            if len({row[j] for row in s.data} - {UNKNOWN}) < 2:
                raise Refusal(f"data: the column {column} needs two different known cells.", "data")
        if s.do == "climb" and len(self.complete(s)) < 2:
            raise Refusal("data: hill climbing counts rows without a '?'; fill some cells.", "data")

    def complete(self, s: State) -> list[list[str]]:
        """Return the rows without a missing cell."""
        return [row for row in s.data if UNKNOWN not in row]

    def columns_of(self, s: State) -> dict[str, list[str | None]]:
        """Return the columns that are learned from."""
        rows: list[list[str]] = s.data if s.do == "em" else self.complete(s) * s.copies
        return {name: [None if row[j] == UNKNOWN else row[j] for row in rows] for j, name in enumerate(COLUMNS)}

    def options(self, s: State, most: int) -> dict[str, Any]:
        return {"prior": s.prior or None, "init": s.init, "max_iter": most, "tol": TOLERANCE}

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.graphical import DAG

        dag = DAG(ARCS)
        whole = dag.unroll(COPIES)
        places: dict[str, tuple[float, float]] = {}
        for i, name in enumerate(COLUMNS):
            across = (0.5, 0.12, 0.88)[i]
            places[f"theta_{name}"] = (across, 0.0)
            places |= {f"{name}({k})": (across + 0.12 * (k - 2), 0.1 + 0.3 * k) for k in range(1, COPIES + 1)}
        nodes = drawn_nodes(places, {})
        for node in nodes:
            node["label"] = node["id"].replace("theta_", "θ ")
        fixed = {
            "columns": list(COLUMNS),
            "cells": s.data,
            "copy_nodes": nodes,
            "copy_edges": drawn_edges(whole.arcs, {}),
        }
        yield from (self.passes(s, dag, fixed) if s.do == "em" else self.moves(s, fixed))

    def passes(self, s: State, dag: Any, fixed: Any) -> Iterator[Frame]:
        from novum.graphical import BayesianNetwork

        columns = self.columns_of(s)
        missing = sum(cell is None for column in columns.values() for cell in column)
        for n in range(1, MOST_PASSES + 1):
            network = BayesianNetwork(dag).fit(columns, **self.options(s, n))
            history = list(network.report_.history)
            if 1 < n >= len(history):  # it came to rest a pass before
                return
            nodes = drawn_nodes(PLACES, {})
            for node in nodes:
                p = network.query(node["id"])
                node["bars"] = [[state, float(p[state])] for state in network.states[node["id"]]]
            drawn = {
                "nodes": nodes,
                "edges": drawn_edges(ARCS, {}),
                "count_columns": ["label.cell", "label.count", "label.probability"],
                "counts": expected_counts(network, columns),
                "chosen": [],
            }
            said = {"n": n, "by": history[-1] - history[-2] if missing else None, "missing": missing}
            values = {"objective": float(history[-1]), "parameters": network.n_parameters}
            yield Frame(
                n, values, {**fixed, **drawn}, ("pass" if missing else "counted", {**said, "rows": len(s.data)})
            )

    def climber(self, s: State, **options: Any) -> Any:
        from novum.graphical import HillClimb

        return HillClimb(s.scoring, tabu=0, n_init=1, **options)

    def score_of(self, s: State, arcs: list[tuple[str, str]]) -> float:
        """Return the score of one graph: that of a climb that may take no other arc."""
        other = [pair for pair in permutations(COLUMNS, 2) if pair not in arcs]
        return float(self.climber(s, required=arcs, forbidden=other).fit(self.columns_of(s)).score_)

    def moves(self, s: State, fixed: Any) -> Iterator[Frame]:
        from novum.graphical import DAG

        columns, dag, score = self.columns_of(s), DAG([], COLUMNS), self.score_of(s, [])
        taken: tuple[str, str] | None = None
        by = 0.0
        for n in range(MOST_PASSES):
            gains = sorted(self.gains(s, dag, score), key=lambda move: -move[2])
            drawn = {
                "nodes": drawn_nodes(PLACES, {}),
                "edges": drawn_edges(dag.arcs, {taken: "added"} if taken else {}),
                "count_columns": ["label.move", "label.arc", "label.gain"],
                "counts": [[f"label.{move}", f"{a} → {b}", gain] for move, (a, b), gain in gains],
                "chosen": [0] if gains[0][2] > 1e-9 else [],
            }
            model = self.climber(s, max_iter=n + 1).fit(columns)
            said = {"by": by, "arc": "" if taken is None else " → ".join(taken), "best": gains[0][2], "score": score}
            top = model.n_iter_ <= n
            yield Frame(
                n,
                {"objective": score, "parameters": len(dag.arcs)},
                {**fixed, **drawn},
                ("top" if top else "empty" if not n else "moved", said),
            )
            if top:
                return
            last, dag, score = dag, model.dag_, float(model.score_)
            by = score - self.score_of(s, list(last.arcs))
            taken = next((arc for arc in dag.arcs if arc not in last.arcs), None)

    def gains(self, s: State, dag: Any, score: float) -> list[tuple[str, tuple[str, str], float]]:
        """Return what every legal move would gain: adding, deleting or turning an arc."""
        from novum.exceptions import ParameterError

        found = []
        for a, b in permutations(COLUMNS, 2):
            tries = ["remove", "turn"] if (a, b) in dag.arcs else [] if (b, a) in dag.arcs else ["add"]
            for move in tries:
                make = {"add": dag.with_arc, "remove": dag.without_arc, "turn": dag.with_reversed}[move]
                try:
                    arcs = list(make(a, b).arcs)
                except ParameterError:  # it would close a cycle
                    continue
                found.append((move, (a, b), self.score_of(s, arcs) - score))
        return found

    def script(self, s: State, n: int, part: str) -> str:
        rows = f"rows = {self.columns_of(s)!r}"
        if s.do == "em":
            options = ", ".join(f"{name}={value!r}" for name, value in self.options(s, n).items())
            return python_script(
                [
                    f"from novum.graphical import BayesianNetwork\n{rows}",
                    f"network = BayesianNetwork({ARCS!r}).fit(rows, {options})",
                    "print(float(network.report_.history[-1]))",
                ]
            )
        other = f", forbidden={list(permutations(COLUMNS, 2))!r}" if not n else f", max_iter={n}"
        return python_script(
            [
                f"from novum.graphical import HillClimb\n{rows}",
                f"climb = HillClimb({s.scoring!r}, tabu=0, n_init=1{other}).fit(rows)",
                "print(float(climb.score_))",
            ]
        )


def expected_counts(network: Any, columns: dict[str, list[Any]]) -> list[list[Any]]:
    """Return, for every cell of the tables, its expected count under the network and its probability.

    A missing cell counts in parts: by the posterior of its family given what is known of the row.
    """
    rows = [dict(zip(columns, cells)) for cells in zip(*columns.values())]
    made: list[list[Any]] = []
    for child in network.nodes:
        family = (*network.parents[child], child)
        shape = tuple(len(network.states[v]) for v in family)
        total = np.zeros(shape)
        for row in rows:
            known = {v: state for v, state in row.items() if state is not None}
            hidden = [v for v in family if v not in known]
            at = tuple(slice(None) if v in hidden else network.states[v].index(known[v]) for v in family)
            total[at] += network.query(hidden, known).p if hidden else 1.0
        for cell in np.ndindex(shape):
            *given, one = (f"{v}={network.states[v][i]}" for v, i in zip(family, cell))
            made.append([" | ".join([one, *given]), float(total[cell]), float(network.tables[child][cell])])
    return made
