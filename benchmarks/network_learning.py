"""Learning networks against pyAgrum and pgmpy, on rows drawn from public networks; a size is a number of rows.

Tables: a pseudo-count of one (pgmpy: none); quality: mean log-likelihood of the rows. EM: a fifth of the cells missing, twenty
passes from uniform tables; quality: mean log-likelihood after them. Structure: search from no arcs, pyAgrum's with a tabu list;
quality: BIC by our scores. pyAgrum has read its file, and built its learner, before the clock starts.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pandas as pd

from benchmarks.graphical import network
from benchmarks.harness import Case
from novum.graphical import BayesianNetwork, HillClimb
from novum.graphical.structure_learning.scores import LocalScores, read_complete

PASSES = 20


def template(ours):
    """Return the structure with uniform tables, states named s0, s1, ..."""
    import pyagrum as gum

    theirs = gum.BayesNet()
    for v in ours.nodes:
        theirs.add(gum.LabelizedVariable(v, v, [f"s{i}" for i in range(len(ours.states[v]))]))
    for parent, child in ours.arcs:
        theirs.addArc(parent, child)
    for v in ours.nodes:
        theirs.cpt(v).fillWith(1.0 / len(ours.states[v]))
    return theirs


def learner(ours, rows):
    import pyagrum as gum

    path = Path(mkdtemp()) / "rows.csv"
    named = {v: np.array([f"s{i}" for i in range(len(ours.states[v]))] + ["?"])[rows[v].cat.codes] for v in ours.nodes}
    pd.DataFrame(named).to_csv(path, index=False)
    return gum.BNLearner(str(path), template(ours))


def from_pyagrum(theirs, ours):
    """Return the network of theirs with our states and axes."""
    tables = {}
    for v in ours.nodes:
        axes, names = [*ours.parents[v], v], list(reversed(list(theirs.cpt(v).names)))
        tables[v] = np.transpose(theirs.cpt(v).toarray(), [names.index(a) for a in axes])
    return BayesianNetwork(ours.dag, {v: t / t.sum(-1, keepdims=True) for v, t in tables.items()}, ours.states)


def from_pgmpy(theirs, ours):
    tables = {}
    for v in ours.nodes:
        found = theirs.get_cpds(v)
        table = found.values
        for axis, name in enumerate(found.variables):
            table = np.take(table, [found.state_names[name].index(s) for s in ours.states[name]], axis)
        tables[v] = np.transpose(table, [found.variables.index(name) for name in (*ours.parents[v], v)])
    return BayesianNetwork(ours.dag, tables, ours.states)


def drawn(name, missing):
    def make(n):
        ours = network(name)
        rows = ours.sample(n, random_state=0)
        if missing:
            rows = rows.mask(np.random.default_rng(0).random(rows.shape) < missing)
        return ours, rows, learner(ours, rows)

    return make


def likelihood(result, data):
    ours, rows = data[:2]
    if not isinstance(result, BayesianNetwork):
        result = (from_pgmpy if hasattr(result, "get_cpds") else from_pyagrum)(result, ours)
    found = result
    return round(float(found.score_samples(rows[:5000]).mean()), 4)


def ours_tables(data):
    return BayesianNetwork(data[0].dag, states=data[0].states).fit(data[1], prior=1)


def pyagrum_tables(data):
    data[2].useSmoothingPrior(1.0)
    return data[2].learnParameters(template(data[0]))


def pgmpy_tables(data):
    from pgmpy.models import DiscreteBayesianNetwork
    from pgmpy.parameter_estimator import DiscreteMLE

    theirs = DiscreteBayesianNetwork(data[0].arcs)
    theirs.add_nodes_from(data[0].nodes)
    return theirs.fit(data[1], estimator=DiscreteMLE())  # without pseudo-counts


def ours_em(data):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the number of passes is fixed, converged or not
        found = BayesianNetwork(data[0].dag, states=data[0].states)
        return found.fit(data[1], init="uniform", prior=1, max_iter=PASSES, tol=0)


def pyagrum_em(data):
    learner = data[2]
    learner.useSmoothingPrior(1.0)
    learner.useEM(1e-300, 0.0)
    learner.EMsetMaxIter(PASSES)
    return learner.learnParameters(template(data[0]))


def structure_case(name):
    def bic(arcs, data):
        known, codes = read_complete("benchmark", data[1], None)
        scores = LocalScores("benchmark", "bic", [len(s) for s in known.values()], codes, None, 1.0)
        names = list(known)
        return round(scores.total([frozenset(names.index(a) for a, b in arcs if b == v) for v in names]), 1)

    def pyagrum_search(data):
        found = data[2]
        found.useScoreBIC()
        found.useNoPrior()
        found.useLocalSearchWithTabuList()
        return [(found.nameFromId(a), found.nameFromId(b)) for a, b in found.learnDAG().arcs()]

    return Case(
        f"hill climbing on {name}",
        drawn(name, 0),
        {"novum": lambda data: HillClimb().fit(data[1]).dag_.arcs, "pyAgrum": pyagrum_search},
        bic,
        (2_500, 10_000),
        {"pyAgrum": 1.0},
    )


def em_case(name, rows):
    return Case(
        f"EM on {name}, a fifth of the cells missing",
        drawn(name, 0.2),
        {"novum": ours_em, "pyAgrum": pyagrum_em},
        likelihood,
        rows,
        {"pyAgrum": 10.0},
    )


CASES = [
    Case(
        "tables of alarm",
        drawn("alarm", 0),
        {"novum": ours_tables, "pyAgrum": pyagrum_tables, "pgmpy": pgmpy_tables},
        likelihood,
        (100_000, 1_000_000),
        {"pyAgrum": 1.0, "pgmpy": 20.0},
    ),
    em_case("asia", (1_000, 4_000)),
    em_case("alarm", (250, 1_000)),
    *map(structure_case, ("alarm", "insurance")),
]
