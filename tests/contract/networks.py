"""A small network of every class on PyTorch, with chance wherever it has any, and data it can learn."""

import numpy as np

from novum.neural_network import (
    GAN,
    Autoencoder,
    ConvNetClassifier,
    GraphNetwork,
    MultiTaskNetwork,
    RecurrentClassifier,
    RecurrentRegressor,
    RecursiveNetwork,
    Seq2Seq,
    TorchClassifier,
    TorchRegressor,
    TransformerClassifier,
    TransformerSeq2Seq,
    VariationalAutoencoder,
)
from novum.reinforcement import DQN, REINFORCE, ActorCritic

SHORT = {"max_epochs": 2, "batch_size": 16, "device": "cpu"}


def with_noise(n_features, n_outputs):
    """Return a network of a user's own, with every kind of chance that PyTorch's layers have."""
    from torch import nn

    return nn.Sequential(
        nn.Linear(n_features, 8), nn.Dropout(0.4), nn.RReLU(), nn.AlphaDropout(0.2), nn.Linear(8, n_outputs)
    )


def rows(seed=0, n=60):
    """Return rows, classes and numbers."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, (X[:, 0] > 0).astype(int), X @ [1.0, -1, 2, 0.5]


def texts(n=40, seed=0):
    """Return lists of symbols of unequal length."""
    rng = np.random.default_rng(seed)
    return [["abc"[k] for k in rng.integers(3, size=rng.integers(2, 6))] for _ in range(n)]


def networks():
    """Return (name, network, arguments of fit) of every class, some in several kinds."""
    X, code, number = rows()
    said = texts()
    images = np.random.default_rng(1).normal(size=(60, 6, 6))
    edges = [(a, b) for a in range(12) for b in range(a) if (a * b + a) % 3 == 0]
    labels = {k: "odd" if k % 2 else "even" for k in range(12)}
    trees = [("a", ("b", "c")), (("a", "b"), "c"), ("c", ("a", "a")), (("b", "b"), ("a", "c"))] * 5
    sequence = {**SHORT, "dropout": 0.3}
    brief = {"total_steps": 96, "hidden": 4, "device": "cpu"}
    taught = {"learning_starts": 0, "train_every": 32, "gradient_steps": 2}
    return [
        ("DQN", DQN(**brief, **taught), ("CartPole-v1",)),
        ("REINFORCE", REINFORCE(n_envs=2, **brief), ("CartPole-v1",)),
        ("ActorCritic", ActorCritic(n_envs=2, n_epochs=2, **brief), ("CartPole-v1",)),
        ("Autoencoder", Autoencoder(2, noise=0.2, **SHORT), (X,)),
        (
            "ConvNetClassifier",
            ConvNetClassifier((4, 4), hidden=(8,), shift=1, pretrain_epochs=1, **SHORT),
            (images, code),
        ),
        ("GAN", GAN(2, **SHORT), (X,)),
        ("GraphNetwork node", GraphNetwork(dropout=0.3, n_neighbors=2, **SHORT), (edges, labels)),
        ("GraphNetwork link", GraphNetwork("link", dropout=0.3, **SHORT), (edges,)),
        ("MultiTaskNetwork", MultiTaskNetwork((8,), dropout=0.3, **SHORT), (X, {"code": code, "number": number})),
        ("RecurrentClassifier", RecurrentClassifier(6, cell="lstm", n_layers=2, **sequence), (said, code[:40])),
        ("RecurrentRegressor", RecurrentRegressor(6, cell="gru", n_layers=2, **sequence), (said, number[:40])),
        ("RecursiveNetwork", RecursiveNetwork(6, **sequence), (trees, [0, 1] * 10)),
        ("Seq2Seq", Seq2Seq(6, n_embedding=4, n_layers=2, max_length=4, **sequence), (said, said)),
        ("TorchClassifier", TorchClassifier(with_noise, **SHORT), (X, code)),
        ("TorchRegressor", TorchRegressor(with_noise, **SHORT), (X, number)),
        ("TransformerClassifier", TransformerClassifier(8, n_layers=1, **sequence), (said, code[:40])),
        ("TransformerSeq2Seq", TransformerSeq2Seq(8, n_layers=1, max_length=4, **sequence), (said, said)),
        ("VariationalAutoencoder", VariationalAutoencoder(2, **SHORT), (X,)),
    ]
