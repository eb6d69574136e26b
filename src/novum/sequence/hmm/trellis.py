r"""The trellis of one sequence: what the recursions hold at every row and state, in logarithms.

    alpha_t(j) = p(x_1 .. x_t, z_t = j) = p(x_t | j) sum_i alpha_{t-1}(i) A(i, j),     alpha_1(j) = pi(j) p(x_1 | j)     (1)
    beta_t(i)  = p(x_{t+1} .. x_T | z_t = i) = sum_j A(i, j) p(x_{t+1} | j) beta_{t+1}(j),     beta_T = 1                (2)
    delta_t(j) = p(x_t | j) max_i delta_{t-1}(i) A(i, j),     psi_t(j) = the i of that maximum                          (3)
    gamma_t(j) = alpha_t(j) beta_t(j) / p(x),     p(x) = sum_j alpha_T(j)                                                (4)

Made to be looked at, a row at a time; the compiled kernels answer without keeping it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from novum.report.result import result
from novum.sequence.hmm.recursions import Chain

__all__ = ["Trellis", "trellis_of"]

NOWHERE = -1  # what the first row points back to


@result
class Trellis(NamedTuple):
    """Attributes
    ----------
    log_alpha, log_beta, log_delta : arrays of shape (rows, states)
        (1), (2) and (3); minus infinity where a probability is zero.
    pointers : array of shape (rows, states)
        psi of (3): the best state before; -1 in the first row. Of equally good ones the first.
    """

    log_alpha: NDArray[np.float64]
    log_beta: NDArray[np.float64]
    log_delta: NDArray[np.float64]
    pointers: NDArray[np.int64]

    @property
    def log_likelihood(self) -> float:
        """log p(x)."""
        return float(logsumexp(self.log_alpha[-1]))

    @property
    def path(self) -> NDArray[np.int64]:
        """The most probable path, along the pointers from the best last state."""
        at = int(self.log_delta[-1].argmax())
        found = [at]
        for row in self.pointers[:0:-1]:
            at = int(row[at])
            found.append(at)
        return np.array(found[::-1])

    def __repr__(self) -> str:
        rows, states = self.log_alpha.shape
        return f"Trellis: {rows} rows, {states} states, log p(x) = {self.log_likelihood:.6g}"


def trellis_of(chain: Chain, log: NDArray) -> Trellis:
    """Return (1) to (3) for the log-densities (rows, states) of one sequence."""
    n, k = log.shape
    with np.errstate(divide="ignore"):
        start, trans = np.log(chain.start), np.log(chain.trans)
    alpha, beta, delta = np.empty((n, k)), np.zeros((n, k)), np.empty((n, k))
    pointers = np.full((n, k), NOWHERE)
    alpha[0] = delta[0] = start + log[0]
    for t in range(1, n):
        alpha[t] = logsumexp(alpha[t - 1][:, None] + trans, axis=0) + log[t]
        steps = delta[t - 1][:, None] + trans
        pointers[t] = steps.argmax(axis=0)
        delta[t] = steps.max(axis=0) + log[t]
    for t in range(n - 2, -1, -1):
        beta[t] = logsumexp(trans + log[t + 1] + beta[t + 1], axis=1)
    return Trellis(alpha, beta, delta, pointers)
