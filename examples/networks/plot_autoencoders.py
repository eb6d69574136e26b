"""
Autoencoders: codes of digits
=============================

An autoencoder narrows images of 64 pixels to a few numbers and makes the images again. Its variational sibling has codes that are
standard normal, so that every code stands for an image: a map of digits.
"""

import torch
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits

from novum.neural_network import Autoencoder, VariationalAutoencoder

torch.set_num_threads(1)
X, y = load_digits(return_X_y=True)
X = X / 16
narrow = Autoencoder(8, hidden=(128, 64), max_epochs=30, random_state=0).fit(X)
print(
    f"{1 - narrow.reconstruction_error(X).mean() / X.var(axis=0).sum():.0%} of the variance is told again by eight numbers"
)

# %%
# Digits above, what the network makes of them below.
narrow.plot_reconstructions(X[:10])

# %%
# Two numbers for each digit, with a density: where the digits lie, and what every place of the plane stands for.
model = VariationalAutoencoder(2, hidden=(128, 64), likelihood="bernoulli", max_epochs=40, random_state=0).fit(X)
figure, axes = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
model.plot_latent(X, y, ax=axes[0]).set_title("mean codes of digits")
model.plot_latent_map(14, ax=axes[1]).set_title("images of codes")

# %%
# The bound on the log-likelihood and its parts, epoch by epoch; and the way from one digit to another.
figure, axes = plt.subplots(1, 2, figsize=(10, 3), layout="constrained")
axes[0].plot(model.history_["reconstruction"], label="reconstruction")
axes[0].plot([-value for value in model.history_["divergence"]], label="minus divergence")
axes[0].set(xlabel="epoch", ylabel="nats for each image")
axes[0].legend()
path = model.interpolate(X[0], X[1], 10).reshape(10, 8, 8)
axes[1].imshow(path.transpose(1, 0, 2).reshape(8, 80), cmap="gray_r")
axes[1].set(xticks=[], yticks=[], title="from a zero to a one")
plt.show()
