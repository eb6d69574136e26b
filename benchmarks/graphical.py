"""Exact inference against pyAgrum and pgmpy on the public networks that pgmpy ships; quality: log P(evidence).

The tables of ours are copied into the peers, so that all compute with the same numbers. A size is a percentage of
observed variables.
"""

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from benchmarks.harness import Case
from novum.graphical import BayesianNetwork

SMALL = ("asia", "child", "alarm", "insurance", "hailfinder", "hepar2", "win95pts", "andes", "pathfinder", "pigs")
LARGE = ("water", "mildew", "barley", "diabetes", "munin1")
SLOW_PEERS = ("asia", "child", "alarm")  # where pgmpy answers within seconds


def folder():
    return Path(find_spec("pgmpy").origin).parent / "utils" / "example_models"


@lru_cache
def network(name):
    return BayesianNetwork.read(folder() / f"{name}.bif.gz")


def into_pyagrum(ours):
    import pyagrum as gum

    theirs = gum.BayesNet()
    for v in ours.nodes:
        theirs.add(gum.LabelizedVariable(v, v, [f"s{i}" for i in range(len(ours.states[v]))]))
    for parent, child in ours.arcs:
        theirs.addArc(parent, child)
    for v in ours.nodes:
        axes, table = [*ours.parents[v], v], theirs.cpt(v)
        table[:] = np.ascontiguousarray(
            np.transpose(ours.tables[v], [axes.index(name) for name in reversed(list(table.names))])
        )
    return theirs


def into_pgmpy(ours):
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork

    theirs = DiscreteBayesianNetwork()
    theirs.add_nodes_from(ours.nodes)
    theirs.add_edges_from(ours.arcs)
    for v in ours.nodes:
        parents, k = ours.parents[v], len(ours.states[v])
        table = np.moveaxis(ours.tables[v], -1, 0).reshape(k, -1)
        theirs.add_cpds(TabularCPD(v, k, table, list(parents) or None, [len(ours.states[p]) for p in parents] or None))
    return theirs


def observed(ours, percent):
    """Return evidence that can happen: states of a drawn row."""
    row = ours.sample(1, random_state=percent).iloc[0]
    count = len(ours.nodes) * percent // 100
    return {v: row[v] for v in np.random.default_rng(percent).permutation(ours.nodes)[:count].tolist()}


def ours_answer(data):
    ours, evidence = data[:2]
    ours.__dict__.pop("_compiled", None)  # no plan is kept from the run before
    return ours.marginals(evidence).log_evidence


def pyagrum_answer(data):
    import pyagrum as gum

    ours, evidence, theirs = data[:3]
    engine = gum.LazyPropagation(theirs)
    engine.setEvidence({v: ours.states[v].index(s) for v, s in evidence.items()})
    engine.makeInference()
    for v in ours.nodes:
        if v not in evidence:
            engine.posterior(v)
    return float(np.log(engine.evidenceProbability()))


def pgmpy_answer(data):
    from pgmpy.inference import VariableElimination

    ours, evidence, _, theirs = data
    engine = VariableElimination(theirs)
    codes = {v: ours.states[v].index(s) for v, s in evidence.items()}
    for v in ours.nodes:
        if v not in evidence:
            engine.query([v], codes, show_progress=False)
    return ours.log_evidence(evidence)


def case(name):
    def make(percent):
        ours = network(name)
        theirs = into_pgmpy(ours) if name in SLOW_PEERS else None
        return ours, observed(ours, percent), into_pyagrum(ours), theirs

    contestants = {"novum": ours_answer, "pyAgrum": pyagrum_answer}
    bars = {"pyAgrum": 1.0}
    if name in SLOW_PEERS:
        contestants["pgmpy"] = pgmpy_answer
        bars["pgmpy"] = 20.0
    return Case(
        f"all marginals of {name}, % observed",
        make,
        contestants,
        lambda result, data: round(result, 6),
        (1, 10, 30),
        bars,
    )


def rows_case(name, target):
    def make(n):
        ours = network(name)
        return ours, ours.sample(n, random_state=0).drop(columns=[target]), into_pyagrum(ours)

    def loop(data):
        import pyagrum as gum

        ours, rows, theirs = data
        engine = gum.LazyPropagation(theirs)
        engine.addTarget(target)
        place = {v: {s: i for i, s in enumerate(states)} for v, states in ours.states.items()}
        out = []
        for row in rows.astype(object).to_dict("records"):
            engine.setEvidence({v: place[v][s] for v, s in row.items()})
            engine.makeInference()
            out.append(engine.posterior(target).toarray())
        return np.array(out)

    return Case(
        f"rows of evidence on {name}",
        make,
        {"novum": lambda data: data[0].query_rows(target, data[1]), "pyAgrum": loop},
        lambda result, data: round(float(result[:, 0].sum()), 6),
        (2_500, 10_000),
        {"pyAgrum": 10.0},
    )


CASES = [*map(case, (*SMALL, *LARGE)), rows_case("alarm", "LVFAILURE"), rows_case("insurance", "Accident")]
