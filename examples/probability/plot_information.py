"""
Entropy and mutual information: what two variables share
========================================================

The entropy of a coin is largest where it is fair. Two variables have entropies of their own, and a mutual information: the
part that knowing one of them takes away from the other. In the diagram areas are information: the discs are the two entropies, the
overlap is what they share (:doc:`/theory/information`).
"""

import matplotlib.pyplot as plt
import numpy as np

from novum.datasets import load_play_tennis
from novum.information import mutual_information
from novum.teaching import entropy_curve, information_diagram

table = load_play_tennis()
outlook = table.data[:, table.feature_names.index("Outlook")]
diagram = information_diagram(labels=(outlook, table.target), names=("Outlook", "Play"))
print(diagram)

# %%
figure, axes = plt.subplots(1, 3, figsize=(12.5, 3.8), layout="constrained")
entropy_curve().plot(axes[0])
axes[0].set_title("a coin")
diagram.plot(axes[1])
diagram.plot(axes[2], kind="bars")
axes[2].set_title("the same, as bars")

# %%
# Mutual information sees what correlation does not
# -------------------------------------------------
# Estimated from samples by nearest neighbors. A parabola has correlation zero and shares much.
rng = np.random.default_rng(0)
x = rng.uniform(-1, 1, size=1500)
noise = 0.1 * rng.normal(size=x.size)
pairs = {
    "line": x + noise,
    "parabola": x**2 + noise,
    "circle": np.sqrt(1 - x**2) * rng.choice([-1, 1], x.size) + noise,
    "none": 3 * noise,
}
figure, axes = plt.subplots(1, 4, figsize=(12.5, 3.3), layout="constrained")
for ax, (name, y) in zip(axes, pairs.items()):
    shared = mutual_information(samples=(x, y))
    ax.plot(x, y, ".", ms=2, color="#2e86ab", alpha=0.6)
    ax.set_title(f"{name}: {shared:.2f} bits, r = {np.corrcoef(x, y)[0, 1]:.2f}", fontsize="medium")
plt.show()
