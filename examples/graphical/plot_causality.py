"""
Causality: seeing, doing and selecting
======================================

A hidden preference decides who takes a drug and who recovers. The people who took it recover far more often than the drug
deserves; adjusting for the confounder, or a coin flip, finds the effect. On the right two independent quantities become
dependent because only rows with a large sum were kept.
"""

import matplotlib.pyplot as plt
import numpy as np

from novum.causal import adjust
from novum.graphical import BayesianNetwork
from novum.teaching import simulate_selection, simulate_trial

network = BayesianNetwork(
    {"young": [], "drug": ["young"], "cured": ["young", "drug"]},
    {
        "young": [0.5, 0.5],
        "drug": [[0.8, 0.2], [0.3, 0.7]],
        "cured": [[[0.9, 0.1], [0.6, 0.4]], [[0.5, 0.5], [0.2, 0.8]]],
    },
)
trial = simulate_trial(network, "drug", "cured", 2000, random_state=0)
print(trial)

# %%
# From data: adjustment for the confounder, against the raw difference of the two groups.
rows = network.sample(2000, random_state=1)
estimates = {
    "looking on": adjust(rows, "drug", "cured", ()),
    "adjusted": adjust(rows, "drug", "cured", "young", graph=network),
    "weighted": adjust(rows, "drug", "cured", "young", method="ipw"),
}

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2))
names = [*estimates, "randomised trial"]
values = [e.difference()[0] for e in estimates.values()] + [trial.randomised]
errors = [np.ptp(e.difference()[1]) / 2 for e in estimates.values()] + [1.96 * trial.randomised_error]
left.errorbar(values, range(4), xerr=errors, fmt="o", capsize=4)
left.axvline(trial.truth, color="0.5", linestyle="--", label="truth, by intervention")
left.set_yticks(range(4), names)
left.set(xlabel="effect of the drug on the probability of a cure", title="Doing is not seeing")
left.legend()
simulate_selection(1500, random_state=0).plot(right)
figure.tight_layout()
