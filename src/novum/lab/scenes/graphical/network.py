"""A Bayesian network that is told one thing after another: what every piece of evidence does to what is asked."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from novum.lab.calls import literal, python_script
from novum.lab.controls import Choice, Matrix, Refusal, Slider, Text
from novum.lab.drawn_graphs import Places, drawn_edges, drawn_nodes
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.views import bars, curve, graph, heat, number

PLACES: dict[str, Places] = {
    "fuel": {"battery": (0.12, 0.05), "fuel": (0.88, 0.05), "gauge": (0.5, 1.0)},
    "gene": {"A": (0.12, 0.05), "B": (0.88, 0.05), "C": (0.5, 1.0)},
    "polytree": {"A": (0.08, 0.05), "D": (0.95, 0.05), "C": (0.62, 0.5), "B": (0.2, 1.0)},
}
LOADERS = {"fuel": "load_fuel_gauge()", "gene": "load_gene_network()", "polytree": 'load_network("polytree")'}
ONLY_FUEL = {"example": ["gene", "polytree"]}
GAUGE = ((0.9, 0.8), (0.8, 0.2))


class Evidence(Scene):
    name = "network"
    family = "graphical"
    rows = (
        "000-b/8/explaining-away",
        "000-b/8/ex-fuel-gauge",
        "000-b/9/posterior-query",
        "002/P2.2/hard-evidence",
        "000-b/8/plot-bn",
        "000-b/8/plot-cpt",
        "002/P2.2/plot-graphical-models",
    )
    example = Choice(tuple(PLACES), "fuel")
    click = Choice(("observe", "ask"), "observe")
    observed = Text(120, "gauge=empty battery=flat")
    target = Text(40, "fuel=empty")
    doubt = Slider(0.0, 1.0, 0.0)
    battery = Slider(0.0, 1.0, 0.1, hidden_when=ONLY_FUEL)
    fuel = Slider(0.0, 1.0, 0.1, hidden_when=ONLY_FUEL)
    gauge = Matrix(2, 2, 0.0, 1.0, default=GAUGE, hidden_when=ONLY_FUEL)
    views = (
        graph(
            nodes="nodes", edges="edges", press="click", pick={"observe": "observed", "ask": "target"}, one=["target"]
        ),
        number("p", r"p(x \mid e) = \frac{p(x, e)}{p(e)}"),
        number("log_evidence", r"\ln p(e)"),
        bars(values="now", groups="pairs", group_labels="moments", labels="names", domain="unit"),
        curve(series=[{"value": "p", "label": "value.p"}]),
        heat(values="cpt", rows="cpt_rows", columns="cpt_columns", domain="unit"),
    )

    def network(self, s: State) -> tuple[Any, str]:
        """Return the network, and the lines of a script that make it."""
        from novum import datasets
        from novum.graphical import BayesianNetwork

        edited = (s.battery, s.fuel, s.gauge) != (0.1, 0.1, [list(row) for row in GAUGE])
        if s.example != "fuel" or not edited:
            call = LOADERS[s.example]
            made = getattr(datasets, call.partition("(")[0])(*(["polytree"] if s.example == "polytree" else []))
            return made, f"from novum.datasets import {call.partition('(')[0]}\nnetwork = {call}"
        empty = np.array(s.gauge)
        tables = {
            "battery": [s.battery, 1 - s.battery],
            "fuel": [s.fuel, 1 - s.fuel],
            "gauge": np.stack([empty, 1 - empty], axis=-1).tolist(),
        }
        states = {"battery": ("flat", "charged"), "fuel": ("empty", "full"), "gauge": ("empty", "full")}
        arcs = [("battery", "gauge"), ("fuel", "gauge")]
        code = f"tables = {tables!r}\nstates = {states!r}\nnetwork = BayesianNetwork({arcs!r}, tables, states)"
        return BayesianNetwork(arcs, tables, states), f"from novum.graphical import BayesianNetwork\n{code}"

    def pieces(self, s: State, network: Any, doubt: float) -> list[tuple[str, str, Any]]:
        """Return what is observed, piece by piece: variable, state, evidence; words that the network lacks are left out."""
        found: list[tuple[str, str, Any]] = []
        for word in s.observed.replace(",", " ").split():
            variable, _, state = word.partition("=")
            states = network.states.get(variable, ())
            if state in states and variable not in [known for known, _, _ in found]:
                weights = [1.0 if one == state else doubt for one in states]
                found.append((variable, state, weights if doubt else state))
        return found

    def question(self, s: State, network: Any) -> tuple[str, str]:
        """Return the variable and state asked about; those of the network's first where it has not the ones named."""
        variable, _, state = s.target.partition("=")
        if state in network.states.get(variable, ()):
            return variable, state
        first = next(iter(network.states))
        return first, network.states[first][0]

    def check(self, s: State) -> None:
        network, _ = self.network(s)
        variable, _ = self.question(s, network)
        if not s.doubt and variable in [known for known, _, _ in self.pieces(s, network, 0.0)]:
            raise Refusal(
                f"target={s.target!r}: {variable} is observed; ask about another, or raise the doubt.", "target"
            )

    def frames(self, s: State) -> Iterator[Frame]:
        network, _ = self.network(s)
        variable, state = self.question(s, network)
        pieces, places = self.pieces(s, network, s.doubt), PLACES[s.example]
        table = network.tables[variable]
        parents = network.parents[variable]
        combined: list[tuple[str, ...]] = [()]
        for parent in parents:
            combined = [(*before, one) for before in combined for one in network.states[parent]]
        fixed = {
            "edges": drawn_edges(network.dag.arcs, {}),
            "unit": [0, 1],
            "moments": ["label.before", "label.now"],
            "names": [f"{name}={states[0]}" for name, states in network.states.items()],
            "cpt": table.reshape(-1, table.shape[-1]),
            "cpt_rows": [", ".join(row) or variable for row in combined],
            "cpt_columns": list(network.states[variable]),
        }
        firsts: list[list[float]] = []
        shown: list[float] = []
        for n in range(len(pieces) + 1):
            given = {name: evidence for name, _, evidence in pieces[:n]}
            posterior = network.marginals(given)
            bars_of = {}
            for name, states in network.states.items():
                state_of = next((one for other, one, _ in pieces[:n] if other == name), None)
                hard = state_of is not None and not s.doubt
                p = [float(one == state_of) for one in states] if hard else posterior[name].p.tolist()
                bars_of[name] = [[one, value] for one, value in zip(states, p)]
            nodes = drawn_nodes(places, {variable: "query"}, list(given))
            for node in nodes:
                node |= {"bars": bars_of[node["id"]], "states": list(network.states[node["id"]])}
            firsts.append([one[0][1] for one in bars_of.values()])
            answer = network.query(variable, given)
            shown.append(float(answer[state]))
            log = float(answer.log_evidence)
            pairs = np.array([firsts[max(n - 1, 0)], firsts[n]])
            drawn = {"nodes": nodes, "pairs": pairs, "now": pairs[1]}
            values = {"p": shown[-1], "log_evidence": log}
            question = f"{variable}={state}"
            yield Frame(n, values, {**fixed, **drawn}, sentence(question, [p[:2] for p in pieces[:n]], shown))

    def script(self, s: State, n: int, part: str) -> str:
        network, code = self.network(s)
        variable, state = self.question(s, network)
        given = {name: evidence for name, _, evidence in self.pieces(s, network, s.doubt)[:n]}
        return python_script(
            [code, f"print(float(network.query({variable!r}, {literal_of(given)})[{state!r}]))"],
        )


def literal_of(given: dict[str, Any]) -> str:
    """Return evidence as a script writes it."""
    return "{" + ", ".join(f"{name!r}: {literal(value)}" for name, value in given.items()) + "}"


def sentence(question: str, known: list[tuple[str, str]], shown: list[float]) -> tuple[str, dict[str, Any]]:
    """Return what the last piece of evidence did to the answer."""
    if not known:
        return "prior", {"asked": question, "p": shown[-1]}
    by = [after - before for before, after in pairwise(shown)]
    said = {"asked": question, "told": "=".join(known[-1]), "from": shown[-2], "to": shown[-1]}
    if abs(by[-1]) < 1e-12:
        return "same", said
    if len(by) > 1 and by[-1] * by[-2] < 0:
        return "back", {**said, "other": "=".join(known[-2])}
    return "moved", said
