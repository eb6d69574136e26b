"""Least squares and principal components on a device: whole fits, checks of the rows included."""

import torch

from benchmarks.devices.harness import Case, difference, normal
from novum.decomposition import PCA
from novum.linear_model import LinearRegression, Ridge

ROWS, COLUMNS, AXES = 4_000_000, 100, 64


def data(n=ROWS, dtype=torch.float32, spread=1.0, far=0.0):
    """Return rows and a target: `spread` is the largest over the least scale of a direction, `far` the mean in deviations."""
    X = normal(n, COLUMNS, dtype=dtype)
    if spread > 1:
        turn = torch.linalg.qr(normal(COLUMNS, COLUMNS, seed=2, dtype=torch.float64))[0].to(dtype)
        X = (
            X * torch.logspace(0, -torch.log10(torch.tensor(spread)).item(), COLUMNS, device=X.device, dtype=dtype)
        ) @ turn
    X += far
    return X, X @ normal(COLUMNS, seed=1, dtype=dtype) + normal(n, seed=3, dtype=dtype)


def ours(make_model, dtype=torch.float32, **shape):
    def make():
        X, y = data(dtype=dtype, **shape)
        return lambda: make_model().fit(X, y)

    return make


def plain(dtype):
    def make():
        X, y = data(dtype=dtype)

        def call():
            mean, middle = X.mean(0), y.mean()
            centered = X - mean
            coef = torch.linalg.solve(centered.T @ centered, centered.T @ (y - middle))
            return coef, middle - mean @ coef

        return call

    return make


def error(make_model, dtype=torch.float32, **shape):
    def measure():
        X, y = data(400_000, dtype, **shape)
        there, here = make_model().fit(X, y), make_model().fit(X.cpu().double().numpy(), y.cpu().double().numpy())
        return difference(there.coef_, here.coef_)

    return measure


def axes(dtype):
    def make():
        X = normal(ROWS, AXES, dtype=dtype)
        return lambda: PCA(8).fit(X)

    return make


def plain_axes():
    X = normal(ROWS, AXES)

    def call():
        centered = X - X.mean(0)
        return torch.linalg.eigh(centered.T @ centered / (len(X) - 1))

    return call


def axes_error(dtype):
    def measure():
        X = normal(400_000, AXES, dtype=dtype) * torch.linspace(1, 3, AXES, device=normal(1).device, dtype=dtype)
        there, here = PCA(8).fit(X), PCA(8).fit(X.cpu().double().numpy())
        return max(
            difference(there.components_, here.components_),
            difference(there.explained_variance_, here.explained_variance_),
        )

    return measure


CASES = [
    Case(
        "LinearRegression, 4e6 x 100, float32",
        3.5,
        ours(LinearRegression),
        plain(torch.float32),
        error(LinearRegression),
    ),
    Case("Ridge, 4e6 x 100, float32", 3.5, ours(Ridge), None, error(Ridge)),
    Case(
        "LinearRegression, 4e6 x 100, float64",
        7.0,
        ours(LinearRegression, torch.float64),
        plain(torch.float64),
        error(LinearRegression, torch.float64),
    ),
    Case(
        "LinearRegression, condition 1e3, float32",
        None,
        ours(LinearRegression, spread=1e3),
        None,
        error(LinearRegression, spread=1e3),
    ),
    Case(
        "LinearRegression, condition 1e5, float64",
        None,
        ours(LinearRegression, torch.float64, spread=1e5),
        None,
        error(LinearRegression, torch.float64, spread=1e5),
    ),
    Case(
        "LinearRegression, 1000 deviations from zero, float32",
        None,
        ours(LinearRegression, far=1e3),
        None,
        error(LinearRegression, far=1e3),
    ),
    Case(
        "LinearRegression, 1e6 deviations from zero, float64",
        None,
        ours(LinearRegression, torch.float64, far=1e6),
        None,
        error(LinearRegression, torch.float64, far=1e6),
    ),
    Case("PCA, 4e6 x 64, float32", 3.0, axes(torch.float32), plain_axes, axes_error(torch.float32)),
    Case("PCA, 4e6 x 64, float64", None, axes(torch.float64), None, axes_error(torch.float64)),
]
