"""
Multilayer perceptrons: what they are, how they learn, what they can express
============================================================================

A network of two hidden layers learns two moons. The diagram shows its units and weights with the formula of every layer; the
curve shows the loss on the training rows, the score on rows held back, and the epoch whose weights were kept.
"""

from matplotlib import pyplot as plt
from sklearn.datasets import make_moons
from sklearn.inspection import DecisionBoundaryDisplay

from novum.neural_network import MLPClassifier
from novum.teaching import logic_to_network, plot_universal_approximation

X, y = make_moons(400, noise=0.2, random_state=0)
model = MLPClassifier((6, 4), activation="tanh", early_stopping=True, learning_rate_init=0.02, random_state=1).fit(X, y)
model.plot_network()

# %%
# The early-stopping point: the best epoch, and the one at which patience ended.
model.plot_training()

# %%
# What it has learned.
display = DecisionBoundaryDisplay.from_estimator(model, X, response_method="predict_proba", cmap="RdBu", alpha=0.7)
display.ax_.scatter(*X.T, c=y, cmap="RdBu", edgecolor="k", s=12)

# %%
# A line separates the points of OR; XOR needs two lines, and a unit above that joins them.
figure, axes = plt.subplots(1, 2, figsize=(7, 3.2), layout="constrained")
for ax, formula in zip(axes, ("a or b", "a xor b")):
    logic_to_network(formula, form="cnf" if formula == "a or b" else "dnf").plot_regions(ax)
    ax.set_title(formula)

# %%
# Three hidden units, dashed, are enough to come near simple functions: each adds one bend.
plot_universal_approximation(n_hidden=3)
plt.show()
