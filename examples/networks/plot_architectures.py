"""
Architectures of neural networks, as they are drawn
===================================================

Boxes compute, arrows carry data: the unit of an LSTM, an encoder with a decoder that looks back, the blocks of the Transformer,
autoencoders and how they are stacked, a convolutional network, two networks that play against each other, a layer of a graph
network (:doc:`/theory/recurrent_networks`, :doc:`/theory/attention`).
"""

import matplotlib.pyplot as plt

from novum.teaching import plot_architecture

figure, axes = plt.subplots(1, 2, figsize=(14, 8), layout="constrained", width_ratios=(3, 2))
for ax, kind in zip(axes, ("lstm", "transformer")):
    plot_architecture(kind, ax)

# %%
# Sequences to sequences, and graphs.
figure, axes = plt.subplots(1, 2, figsize=(14, 4), layout="constrained")
for ax, kind in zip(axes, ("seq2seq", "gnn")):
    plot_architecture(kind, ax)

# %%
# Codes, images, and two players.
figure, axes = plt.subplots(2, 2, figsize=(14, 5), layout="constrained")
for ax, kind in zip(axes.flat, ("autoencoder", "stacked", "cnn", "gan")):
    plot_architecture(kind, ax)
plt.show()
