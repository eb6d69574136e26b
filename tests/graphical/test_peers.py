"""Exact marginals against pyAgrum on the public networks that pgmpy ships, with our tables copied into it."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from novum.graphical import BayesianNetwork

pytestmark = pytest.mark.peer
NAMES = (
    "asia",
    "cancer",
    "earthquake",
    "survey",
    "sachs",
    "child",
    "alarm",
    "insurance",
    "hailfinder",
    "hepar2",
    "win95pts",
    "andes",
    "pathfinder",
    "pigs",
    "water",
    "mildew",
    "barley",
    "diabetes",
)


@pytest.mark.parametrize("name", NAMES)
def test_marginals_equal_lazy_propagation(name):
    gum = pytest.importorskip("pyagrum")
    pytest.importorskip("pgmpy")
    ours = BayesianNetwork.read(Path(find_spec("pgmpy").origin).parent / "utils" / "example_models" / f"{name}.bif.gz")
    theirs = gum.BayesNet()
    for v in ours.nodes:
        theirs.add(gum.LabelizedVariable(v, v, [f"s{i}" for i in range(len(ours.states[v]))]))
    for parent, child in ours.arcs:
        theirs.addArc(parent, child)
    for v in ours.nodes:
        axes, table = [*ours.parents[v], v], theirs.cpt(v)
        order = [axes.index(other) for other in reversed(list(table.names))]
        table[:] = np.ascontiguousarray(np.transpose(ours.tables[v], order))
    row = ours.sample(1, random_state=0).iloc[0]
    for share in (0.0, 0.1, 0.4):
        chosen = np.random.default_rng(0).permutation(len(ours.nodes))[: int(share * len(ours.nodes))]
        evidence = {ours.nodes[i]: row[ours.nodes[i]] for i in chosen}
        engine = gum.LazyPropagation(theirs)
        engine.setEvidence({v: ours.states[v].index(s) for v, s in evidence.items()})
        engine.makeInference()
        found = ours.marginals(evidence)
        for v in found:
            np.testing.assert_allclose(found[v].p, engine.posterior(v).toarray(), atol=1e-9)
        assert found.log_evidence == pytest.approx(np.log(engine.evidenceProbability()), abs=1e-9)
