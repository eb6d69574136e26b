"""Nearest rows on a device: exact neighbors of new rows, and the class of most votes among them."""

import numpy as np
import torch

from benchmarks.devices.harness import Case, normal
from novum.neighbors import KNeighborsClassifier, NearestNeighbors

ROWS, QUERIES, K = 200_000, 10_000, 5
PORTION = 2_000  # queries whose distances plain PyTorch holds at a time
CHECKED = 200


def data(columns, dtype=torch.float32):
    return normal(ROWS, columns, dtype=dtype), normal(QUERIES, columns, seed=1, dtype=dtype)


def ours(columns, dtype=torch.float32):
    def make():
        X, queries = data(columns, dtype)
        model = KNeighborsClassifier(K).fit(X, (X[:, 0] > 0).long())
        return lambda: model.predict(queries)

    return make


def plain(columns, dtype=torch.float32):
    def make():
        X, queries = data(columns, dtype)
        labels = (X[:, 0] > 0).long()

        def call():
            near = [torch.cdist(part, X).topk(K, largest=False).indices for part in queries.split(PORTION)]
            return torch.nn.functional.one_hot(labels[torch.cat(near)], 2).sum(1).argmax(1)

        return call

    return make


def error(columns, dtype=torch.float32, **settings):
    def measure():
        X, queries = data(columns, dtype)
        model = NearestNeighbors(n_neighbors=K, **settings)
        found, index = model.fit(X).kneighbors(queries[:CHECKED])
        expected, known = model.fit(X.cpu().double().numpy()).kneighbors(queries[:CHECKED].cpu().double().numpy())
        if (index.cpu().numpy() != known).any():
            return float("nan")
        return float(np.abs(found.cpu().numpy() / expected - 1).max())

    return measure


def searched(k):
    def make():
        X, queries = data(64)
        model = NearestNeighbors(n_neighbors=k).fit(X)
        return lambda: model.kneighbors(queries)

    return make


CASES = [
    Case("5 nearest, 10,000 in 200,000 x 64, float32", 30.0, ours(64), plain(64), error(64)),
    Case(
        "5 nearest, 10,000 in 200,000 x 64, float64",
        30.0,
        ours(64, torch.float64),
        plain(64, torch.float64),
        error(64, torch.float64),
    ),
    Case("5 nearest, 10,000 in 200,000 x 3, float32", 30.0, ours(3), plain(3), error(3)),
    Case("5 nearest, 10,000 in 200,000 x 300, float32", None, ours(300), plain(300), error(300)),
    Case("100 nearest, 10,000 in 200,000 x 64, float32", None, searched(100), None, error(64)),
]
