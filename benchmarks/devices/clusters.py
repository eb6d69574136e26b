"""k-means on a device: an iteration of Lloyd from given centers, and the start."""

import torch

from benchmarks.devices.harness import Case, PerPass, difference, normal
from novum.cluster import KMeans

ROWS, COLUMNS, CENTERS = 4_000_000, 32, 256
PORTION = 2**18  # rows whose scores plain PyTorch holds at a time


def fit(X, passes):
    start = X[:CENTERS].cpu().numpy()
    return lambda: KMeans(CENTERS, init=start, n_init=1, max_iter=passes, tol=0).fit(X)


def ours(dtype):
    def make():
        X = normal(ROWS, COLUMNS, dtype=dtype)
        return PerPass(fit(X, 2), fit(X, 12), 10)

    return make


def plain(dtype):
    def make():
        X = normal(ROWS, COLUMNS, dtype=dtype)
        start = X[:CENTERS].clone()

        def passes(count):
            def call():
                c = start
                for _ in range(count):
                    half = (c * c).sum(1) / 2
                    label = torch.cat([(half - part @ c.T).argmin(1) for part in X.split(PORTION)])
                    total = torch.zeros_like(c).index_add_(0, label, X)
                    c = total / torch.bincount(label, minlength=len(c)).clamp(min=1)[:, None]
                return c

            return call

        return PerPass(passes(2), passes(12), 10)

    return make


def error(dtype):
    def measure():
        X = normal(200_000, COLUMNS, dtype=dtype)
        there, here = fit(X, 5)(), KMeans(CENTERS, init=X[:CENTERS].cpu().numpy(), n_init=1, max_iter=5, tol=0)
        here.fit(X.cpu().double().numpy())
        return difference(there.cluster_centers_, here.cluster_centers_)

    return measure


def seeds():
    X = normal(ROWS, COLUMNS)
    return lambda: KMeans(CENTERS, n_init=1, max_iter=1, tol=0, random_state=0).fit(X)


CASES = [
    Case(
        "k-means, 4e6 x 32, k = 256, float32, an iteration",
        3.0,
        ours(torch.float32),
        plain(torch.float32),
        error(torch.float32),
    ),
    Case(
        "k-means, 4e6 x 32, k = 256, float64, an iteration",
        None,
        ours(torch.float64),
        plain(torch.float64),
        error(torch.float64),
    ),
    Case("k-means++ and one iteration, 4e6 x 32, k = 256", None, seeds, None, error(torch.float32)),
]
