"""
Generative adversarial network: a ring of eight Gaussians
=========================================================

The classic trial of an adversarial network: eight clouds on a ring. A generator that loses some of them has learned to fool its
discriminator, not to know the data; the look for lost modes after the fit tells.
"""

import numpy as np
import torch
from matplotlib import pyplot as plt

from novum.neural_network import GAN

torch.set_num_threads(1)
rng = np.random.default_rng(0)
angle = np.pi / 4 * rng.integers(8, size=1500)
X = 2 * np.column_stack([np.cos(angle), np.sin(angle)]) + 0.1 * rng.normal(size=(1500, 2))
model = GAN(4, learning_rate=2e-3, schedule="linear", max_epochs=170, batch_size=128, random_state=0).fit(X)
print(model.diversity_)

# %%
# Rows, samples, and the losses of the two, which need not fall: they play against each other.
figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
new, _ = model.sample(1500, random_state=0)
for ax, rows, title in ((axes[0], X, "rows"), (axes[1], new, "samples")):
    ax.scatter(rows[:, 0], rows[:, 1], s=3)
    ax.set(xlim=(-3, 3), ylim=(-3, 3), aspect="equal", title=title)
axes[2].plot(model.history_.objective, label="discriminator")
axes[2].plot(model.history_["generator"], label="generator")
axes[2].set(xlabel="epoch", ylabel="loss")
axes[2].legend()
plt.show()
