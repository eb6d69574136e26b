"""Five passes of Baum-Welch over a thousand sequences on a device, from a given start, and the answers of the model."""

import warnings

import numpy as np
import torch

from benchmarks.devices.harness import Case, device, difference, normal
from novum.sequence import CategoricalHMM, GaussianHMM

SEQUENCES, STEPS, STATES, COLUMNS, SYMBOLS, PASSES = 1000, 1000, 8, 4, 10, 5


def lengths(ragged=False, count=SEQUENCES):
    return np.random.default_rng(0).integers(100, 1901, count) if ragged else np.full(count, STEPS)


def rows(form, of):
    n = int(of.sum())
    if form != "categorical":
        return normal(n, COLUMNS, dtype=torch.float64)
    return torch.randint(SYMBOLS, (n, 1), generator=torch.Generator(device()).manual_seed(0), device=device())


def model(form):
    rng = np.random.default_rng(1)
    kind = {} if form == "categorical" else {"covariance_type": form}
    made = (CategoricalHMM if form == "categorical" else GaussianHMM)(
        STATES, **kind, init_params="", max_iter=PASSES, tol=-1
    )
    made.startprob_ = rng.dirichlet(np.ones(STATES))
    made.transmat_ = (rng.dirichlet(np.ones(STATES), STATES) + np.eye(STATES)) / 2
    if form == "categorical":
        made.emissionprob_ = rng.dirichlet(np.ones(SYMBOLS), STATES)
        return made
    made.means_ = rng.normal(size=(STATES, COLUMNS))
    made.covars_ = np.ones((STATES, COLUMNS)) if form == "diag" else np.tile(np.eye(COLUMNS), (STATES, 1, 1))
    return made


def fitted(form, ragged=False):
    def make():
        of = lengths(ragged)
        X = rows(form, of)
        return lambda: model(form).fit(X, of)

    return make


def asked(method):
    def make():
        of = lengths()
        X = rows("diag", of)
        known = model("diag").fit(X, of)
        return lambda: getattr(known, method)(X, of)

    return make


def plain():
    """Return forward and backward over all sequences, step by step, with the sums of a diagonal Gaussian."""
    X = normal(SEQUENCES, STEPS, COLUMNS, dtype=torch.float64)
    start = torch.as_tensor(model("diag").startprob_, device=X.device)
    trans = torch.as_tensor(model("diag").transmat_, device=X.device)
    means = torch.as_tensor(model("diag").means_, device=X.device)

    def call():
        for _ in range(PASSES):
            log = -0.5 * ((X[:, :, None] - means) ** 2).sum(3)
            likely = (log - log.amax(2, keepdim=True)).exp()
            ahead, scale = torch.empty_like(likely), torch.empty_like(likely[:, :, :1])
            share = start * likely[:, 0]
            for t in range(STEPS):
                share = share if t == 0 else (ahead[:, t - 1] @ trans) * likely[:, t]
                scale[:, t] = share.sum(1, keepdim=True)
                ahead[:, t] = share / scale[:, t]
            beta, pairs = torch.ones_like(share), torch.zeros_like(trans)
            gamma = torch.empty_like(likely)
            for t in range(STEPS - 1, -1, -1):
                gamma[:, t] = ahead[:, t] * beta
                carried = likely[:, t] * beta / scale[:, t]
                if t:
                    pairs += ahead[:, t - 1].T @ carried
                beta = carried @ trans.T
            flat = gamma.reshape(-1, STATES)
            flat.sum(0), flat.T @ X.reshape(-1, COLUMNS), flat.T @ X.reshape(-1, COLUMNS) ** 2

    return call


def error(form):
    def measure():
        of = lengths(True, 50)
        X = rows(form, of)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # so few passes do not converge
            there, here = model(form).fit(X, of), model(form).fit(X.cpu().numpy(), of)
        names = ("startprob_", "transmat_", *here._letters.values())
        return max(difference(getattr(there, name), getattr(here, name)) for name in names)

    return measure


SIZE = "1,000 sequences of 1,000"
CASES = [
    Case(f"5 passes, {SIZE}, diagonal, 8 states", 60.0, fitted("diag"), plain, error("diag")),
    Case(f"5 passes, {SIZE}, full, 8 states", 60.0, fitted("full"), None, error("full")),
    Case(f"5 passes, {SIZE}, categorical, 8 states", 60.0, fitted("categorical"), None, error("categorical")),
    Case("5 passes, 1,000 sequences of 100 to 1,900, diagonal", 60.0, fitted("diag", True), None, error("diag")),
    Case(f"Viterbi, {SIZE}, diagonal, 8 states", None, asked("predict"), None, error("diag")),
    Case(f"posteriors, {SIZE}, diagonal, 8 states", None, asked("predict_proba"), None, error("diag")),
]
