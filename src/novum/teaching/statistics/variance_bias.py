r"""The variance that maximises the likelihood is too small, because the mean was fitted to the same rows.

    E[1/n sum_i (x_i - mean)^2] = (n - 1) / n sigma^2,      E[1/(n - 1) sum_i (x_i - mean)^2] = sigma^2             (1)

for any distribution with a variance: sum_i (x_i - mean)^2 = sum_i (x_i - mu)^2 - n (mean - mu)^2, the last term with mean sigma^2.
"""

from dataclasses import dataclass

import numpy as np

from novum.report.result import Result
from novum.runtime.checks import check_count, check_number
from novum.runtime.random import seed_of
from novum.runtime.typing import Seed

__all__ = ["VarianceBias", "bias_of_variance"]


@dataclass(frozen=True)
class VarianceBias(Result):
    """Means of both estimates over many samples, with (1).

    Attributes
    ----------
    n : int
        Rows of a sample.
    likely, unbiased : float
        Mean of the estimates that divide by n and by n - 1.
    expected : float
        (n - 1) / n sigma^2.
    standard_error : float
        Of `likely`.
    """

    n: int
    likely: float
    unbiased: float
    expected: float
    standard_error: float


def bias_of_variance(n: int, *, variance: float = 1.0, n_samples: int = 20_000, random_state: Seed = 0) -> VarianceBias:
    """Draw many normal samples and compare the mean of their variances with (1).

        E[1/n sum_i (x_i - mean)^2] = (n - 1) / n sigma^2    (1)

    Parameters
    ----------
    n : int
        Rows of a sample, at least 2.
    variance : float, default=1.0
        The true one.
    n_samples : int, default=20000
    random_state : int, Generator or None, default=0

    Examples
    --------
    >>> from novum.teaching import bias_of_variance
    >>> found = bias_of_variance(5)
    >>> found.expected, round(found.likely, 2), round(found.unbiased, 2)
    (0.8, 0.8, 1.0)
    """
    owner = "bias_of_variance"
    n, count = check_count(owner, "n", n, low=2), check_count(owner, "n_samples", n_samples, low=2)
    truth = check_number(owner, "variance", variance, 0, open_low=True)
    rng = np.random.default_rng(seed_of(random_state))
    found = np.array([rng.normal(scale=np.sqrt(truth), size=n).var() for _ in range(count)])
    return VarianceBias(
        n,
        float(found.mean()),
        float(found.mean() * n / (n - 1)),
        (n - 1) / n * truth,
        float(found.std() / np.sqrt(count)),
    )
