"""Kernel machines on a device, in float64: processes, kernel ridge regression, support vectors, densities.

Plain PyTorch holds the kernels of a portion of queries with all rows at a time, as ours does.
"""

import math
from itertools import combinations

import numpy as np
import torch

from benchmarks.devices.harness import Case, difference, normal
from novum.gaussian_process import GaussianProcessRegressor
from novum.kernel_ridge import KernelRidge
from novum.kernels import RBF, White
from novum.neighbors import KernelDensity
from novum.svm import SVC

ROWS, QUERIES, COLUMNS = 8_000, 100_000, 8
PORTION = 8_000  # queries whose kernels plain PyTorch holds at a time
CHECKED = 500  # rows and queries that are compared with the processor
SCALE, NOISE, GAMMA, WIDTH = 2.0, 0.1, 0.1, 0.5
CLASSES = 4


def data(n=None, queries=None):
    X = normal(n or ROWS, COLUMNS, dtype=torch.float64)
    y = X[:, 0].sin() + X[:, 1] * X[:, 2] + 0.3 * normal(n or ROWS, seed=2, dtype=torch.float64)
    return X, y, normal(queries or QUERIES, COLUMNS, seed=1, dtype=torch.float64)


def gaussian(X, Z, gamma):
    """Return exp(-gamma |x - z|^2) as one writes it."""
    return torch.exp(-gamma * torch.cdist(X, Z).square())


def in_portions(function, queries):
    return torch.cat([function(part) for part in queries.split(PORTION)])


def process():
    return GaussianProcessRegressor(1.0 * RBF(SCALE) + White(NOISE), optimizer=None)


def evidence():
    X, y, _ = data()
    model = process().fit(X, y)
    theta = model.kernel_.theta
    return lambda: model.log_marginal_likelihood(theta, eval_gradient=True)


def plain_evidence():
    X, y, _ = data()
    start = torch.tensor([0.0, math.log(SCALE), math.log(NOISE)], dtype=torch.float64, device=X.device)

    def call():
        theta = start.clone().requires_grad_()
        amplitude, length, noise = theta.exp()
        K = amplitude * gaussian(X / length, X / length, 0.5) + noise * torch.eye(
            len(X), dtype=X.dtype, device=X.device
        )
        L = torch.linalg.cholesky(K)
        a = torch.cholesky_solve(y[:, None], L)[:, 0]
        value = -0.5 * y @ a - L.diagonal().log().sum() - 0.5 * len(y) * math.log(2 * math.pi)
        value.backward()
        return value.item(), theta.grad.cpu()

    return call


def evidence_error():
    X, y, _ = data(CHECKED)
    there = process().fit(X, y)
    here = process().fit(X.cpu().numpy(), y.cpu().numpy())
    theta = here.kernel_.theta
    _, found = there.log_marginal_likelihood(theta, eval_gradient=True)
    return difference(found, here.log_marginal_likelihood(theta, eval_gradient=True)[1])


def predicted(with_std):
    def make():
        X, y, queries = data()
        model = process().fit(X, y)
        return lambda: model.predict(queries, return_std=with_std)

    return make


def plain_predicted(with_std):
    def make():
        X, y, queries = data()
        eye = torch.eye(len(X), dtype=X.dtype, device=X.device)
        L = torch.linalg.cholesky(gaussian(X, X, 0.5 / SCALE**2) + (NOISE + 1e-10) * eye)
        a = torch.cholesky_solve(y[:, None], L)

        def part(some):
            K = gaussian(some, X, 0.5 / SCALE**2)
            if not with_std:
                return K @ a
            V = torch.linalg.solve_triangular(L, K.T, upper=False)
            return torch.cat([K @ a, (1 + NOISE - V.square().sum(0)).sqrt()[:, None]], dim=1)

        return lambda: in_portions(part, queries)

    return make


def predicted_error():
    X, y, queries = data(CHECKED, CHECKED)
    here = process().fit(X.cpu().numpy(), y.cpu().numpy())
    found = process().fit(X, y).predict(queries, return_std=True)
    expected = here.predict(queries.cpu().numpy(), return_std=True)
    return max(difference(a, b) for a, b in zip(found, expected, strict=True))


def ridge():
    X, y, queries = data()
    return lambda: KernelRidge(alpha=NOISE, kernel="rbf", gamma=GAMMA).fit(X, y).predict(queries)


def plain_ridge():
    X, y, queries = data()

    def call():
        eye = torch.eye(len(X), dtype=X.dtype, device=X.device)
        c = torch.cholesky_solve(y[:, None], torch.linalg.cholesky(gaussian(X, X, GAMMA) + NOISE * eye))
        return in_portions(lambda some: gaussian(some, X, GAMMA) @ c, queries)

    return call


def ridge_error():
    X, y, queries = data(CHECKED, CHECKED)
    make = lambda: KernelRidge(alpha=NOISE, kernel="rbf", gamma=GAMMA)  # noqa: E731
    here = make().fit(X.cpu().numpy(), y.cpu().numpy()).predict(queries.cpu().numpy())
    return difference(make().fit(X, y).predict(queries), here)


def machine(n=None):
    X, y, _ = (values.cpu().numpy() for values in data(n, 1))
    edges = np.quantile(y, np.linspace(0, 1, CLASSES + 1)[1:-1])
    return SVC(gamma=GAMMA).fit(X, np.digitize(y, edges))


def labels():
    model, (_, _, queries) = machine(), data()
    return lambda: model.predict(queries)


def plain_labels():
    model, (_, _, queries) = machine(), data()
    vectors, table, level = (
        torch.as_tensor(values, device=queries.device)
        for values in (model.support_vectors_, model.dual_coef_, model.intercept_)
    )
    ends = np.cumsum(model.n_support_).tolist()
    parts = [slice(a, b) for a, b in zip([0, *ends], ends)]

    def part(some):
        K = gaussian(some, vectors, GAMMA)
        sums = [K[:, at] @ table[:, at].T for at in parts]
        won = torch.zeros(len(some), CLASSES, device=some.device)
        for k, (i, j) in enumerate(combinations(range(CLASSES), 2)):
            first = sums[i][:, j - 1] + sums[j][:, i] + level[k] > 0
            won[:, i] += first
            won[:, j] += ~first
        return won.argmax(1)

    return lambda: in_portions(part, queries)


def labels_error():
    model, (_, _, queries) = machine(CHECKED), data(CHECKED, CHECKED)
    return difference(model.decision_function(queries), model.decision_function(queries.cpu().numpy()))


def density():
    X, _, queries = data()
    model = KernelDensity(bandwidth=WIDTH).fit(X.cpu().numpy())
    return lambda: model.score_samples(queries)


def plain_density():
    X, _, queries = data()
    norm = 0.5 * COLUMNS * math.log(2 * math.pi * WIDTH**2) + math.log(len(X))

    def part(some):
        return torch.logsumexp(torch.cdist(some, X).square() * (-0.5 / WIDTH**2), dim=1) - norm

    return lambda: in_portions(part, queries)


def density_error():
    X, _, queries = data(CHECKED, CHECKED)
    model = KernelDensity(bandwidth=WIDTH).fit(X.cpu().numpy())
    return difference(model.score_samples(queries), model.score_samples(queries.cpu().numpy()))


CASES = [
    Case("process, evidence and gradient, 8,000 x 8", None, evidence, plain_evidence, evidence_error),
    Case("process, means, 100,000 by 8,000 x 8", None, predicted(False), plain_predicted(False), predicted_error),
    Case("process, deviations, 100,000 by 8,000 x 8", None, predicted(True), plain_predicted(True), predicted_error),
    Case("kernel ridge, fit 8,000 x 8, predict 100,000", None, ridge, plain_ridge, ridge_error),
    Case("SVC, four classes, 100,000 rows", None, labels, plain_labels, labels_error),
    Case("kernel density, 100,000 by 8,000 x 8", None, density, plain_density, density_error),
]
