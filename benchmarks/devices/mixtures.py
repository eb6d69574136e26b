"""A Gaussian mixture on a device: an iteration of EM from given means, and the start by k-means."""

import math

import torch

from benchmarks.devices.harness import Case, PerPass, device, difference, normal
from novum.mixture import GaussianMixture

ROWS, COLUMNS, COMPONENTS = 1_000_000, 32, 32


def rows(n=ROWS, dtype=torch.float32):
    centers = 4 * normal(COMPONENTS, COLUMNS, seed=1, dtype=dtype)
    return normal(n, COLUMNS, dtype=dtype) + centers[torch.arange(n, device=device()) % COMPONENTS], centers


def model(centers, passes, form="full"):
    means = centers.cpu().numpy()
    return GaussianMixture(
        COMPONENTS,
        covariance_type=form,
        means_init=means,
        init_params="random_from_data",
        max_iter=passes,
        tol=0,
        random_state=0,
    )


def ours(form, dtype=torch.float32):
    def make():
        X, centers = rows(dtype=dtype)
        return PerPass(lambda: model(centers, 2, form).fit(X), lambda: model(centers, 7, form).fit(X), 5)

    return make


def plain():
    X, centers = rows()
    eye = torch.eye(COLUMNS, device=X.device)

    def passes(count):
        def call():
            mean, covariance = centers, eye.expand(COMPONENTS, -1, -1)
            log_share = torch.full((COMPONENTS,), -math.log(COMPONENTS), device=X.device)
            for _ in range(count):
                factor = torch.linalg.cholesky(covariance)
                inverse = torch.linalg.inv(factor)
                joint = torch.stack(
                    [
                        log_share[k]
                        - 0.5 * (((X - mean[k]) @ inverse[k].T) ** 2).sum(1)
                        - factor[k].diagonal().log().sum()
                        for k in range(COMPONENTS)
                    ],
                    dim=1,
                )
                r = torch.softmax(joint, dim=1)
                mass = r.sum(0)
                mean = (r.T @ X) / mass[:, None]
                covariance = torch.stack(
                    [((X - mean[k]) * r[:, k, None]).T @ (X - mean[k]) / mass[k] for k in range(COMPONENTS)]
                )
                covariance = covariance + 1e-6 * eye
                log_share = (mass / len(X)).log()
            return mean

        return call

    return PerPass(passes(2), passes(7), 5)


def error(form, dtype=torch.float32):
    def measure():
        X, centers = rows(50_000, dtype)
        there, here = model(centers, 3, form).fit(X), model(centers.double(), 3, form).fit(X.cpu().double().numpy())
        return max(difference(there.means_, here.means_), difference(there.covariances_, here.covariances_))

    return measure


def start():
    X, _ = rows()
    return lambda: GaussianMixture(COMPONENTS, max_iter=1, random_state=0).fit(X)


CASES = [
    Case("mixture, 1e6 x 32, 32 full components, float32, an iteration", 8.0, ours("full"), plain, error("full")),
    Case("the same, float64", None, ours("full", torch.float64), None, error("full", torch.float64)),
    Case("the same, tied, float32", None, ours("tied"), None, error("tied")),
    Case("the same, diagonal, float32", None, ours("diag"), None, error("diag")),
    Case("the same, full, start by k-means and one iteration", None, start, None, error("full")),
]
