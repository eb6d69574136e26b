"""
Learning a Bayesian network: EM with missing cells, and the structure itself
============================================================================

Left: a fifth of the cells of five hundred rows is missing. EM climbs from five starts; the likelihood never falls, and here all
starts reach the same top (:doc:`/theory/network_learning`). Right: how close the structure found by hill climbing comes to the
true one as rows are added; directions aside (:doc:`/theory/structure_learning`).
"""

import matplotlib.pyplot as plt
import numpy as np

from novum.graphical import BayesianNetwork, HillClimb

truth = BayesianNetwork(
    {"smoke": [], "cold": [], "lung": ["smoke"], "cough": ["lung", "cold"], "fever": ["cold"]},
    {
        "smoke": [0.7, 0.3],
        "cold": [0.8, 0.2],
        "lung": [[0.98, 0.02], [0.7, 0.3]],
        "cough": [[[0.9, 0.1], [0.4, 0.6]], [[0.3, 0.7], [0.1, 0.9]]],
        "fever": [[0.95, 0.05], [0.4, 0.6]],
    },
)
rows = truth.sample(500, random_state=0)
gaps = rows.mask(np.random.default_rng(0).random(rows.shape) < 0.2)

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for seed in range(5):
    found = BayesianNetwork(truth.dag, states=truth.states).fit(gaps, init="random", random_state=seed)
    left.plot(np.array(found.report_.history), label=f"start {seed}: {found.report_.n_iter} passes")
left.set(xlabel="pass of EM", ylabel="log-likelihood", title="five random starts", xscale="symlog", ylim=(-1150, None))
left.legend(fontsize=8)

sizes = [50, 100, 200, 500, 1000, 2000, 5000, 10_000]
lost, extra = [], []
for n in sizes:
    pairs = [HillClimb("bdeu").fit(truth.sample(n, random_state=seed)).dag_.skeleton for seed in range(5)]
    lost.append(np.mean([len(truth.dag.skeleton - found) for found in pairs]))
    extra.append(np.mean([len(found - truth.dag.skeleton) for found in pairs]))
right.plot(sizes, lost, "o-", label="edges missed")
right.plot(sizes, extra, "s--", label="edges too many")
right.set(
    xlabel="rows",
    ylabel="edges, mean of five samples",
    xscale="log",
    title="structure found, against the true 4 edges",
)
right.legend()
plt.show()
