"""Least stress over several starts, and scikit-learn's function for it. Formulas: stress_majorization.py."""

from typing import Any, Literal

import numpy as np
from sklearn.utils import check_array, check_symmetric

from novum.base import domains
from novum.base.callbacks import SILENT
from novum.base.domains import Bool, Choice, Int, Null, RandomState, Real
from novum.exceptions import DataError, ParameterError
from novum.manifold.stress_majorization import Layout, lay_out
from novum.runtime.random import numpy_state
from novum.runtime.typing import Numbers, Seed
from novum.runtime.warn import warn

__all__ = ["best_layout", "checked_dissimilarities", "given_start", "random_starts", "smacof", "stress_of"]

DOMAINS = {
    "metric": Bool(),
    "n_components": Int(1),
    "n_init": Int(1),
    "n_jobs": Int() | Null(),
    "max_iter": Int(1),
    "verbose": Int(0) | Bool(),
    "eps": Real(0),
    "random_state": RandomState(),
    "return_n_iter": Bool(),
    "normalized_stress": Bool() | Choice("auto"),
}


def checked_dissimilarities(D: Any, owner: str) -> np.ndarray:
    """Return symmetric dissimilarities >= 0 in float64, or raise."""
    D = check_array(D, dtype=np.float64, input_name="dissimilarities")
    if D.shape[0] != D.shape[1]:
        raise DataError(
            f"array must be 2-dimensional and square. shape = {D.shape}; {owner} needs a row and a column per point."
        )
    D = check_symmetric(D, raise_exception=True)
    if (D < 0).any():
        raise DataError(f"{owner}: dissimilarities are numbers >= 0, got {D.min():g}.")
    return np.ascontiguousarray(D)


def best_layout(
    D: np.ndarray,
    starts: list[np.ndarray],
    metric: bool,
    max_iter: int,
    eps: float,
    normalized: bool,
    report: Any,
    n_jobs: int | None,
) -> Layout:
    """Return the layout of least stress over several starts."""
    found = []
    for start in starts:
        if len(starts) == 1:
            found.append(lay_out(D, start, metric, max_iter, eps, report, n_jobs))
        else:
            with report.run() as run:
                found.append(lay_out(D, start, metric, max_iter, eps, run, n_jobs))
    return min(found, key=lambda layout: stress_of(layout, normalized))


def stress_of(layout: Layout, normalized: bool) -> float:
    """Return (1), or (4)."""
    if not normalized:
        return layout.stress
    return float(np.sqrt(layout.stress / layout.square)) if layout.square > 0 else 0.0


def random_starts(n: int, q: int, n_init: int, random_state: Any) -> list[np.ndarray]:
    """Return scikit-learn's starts."""
    state = numpy_state(random_state)
    return [state.uniform(size=n * q).reshape((n, q)) for _ in range(n_init)]


def given_start(init: Any, n: int, owner: str) -> np.ndarray:
    """Return a start that the caller gave, after checks."""
    start = check_array(init, dtype=np.float64, input_name="init")
    if len(start) != n:
        raise ParameterError(
            f"init matrix should be of shape ({n}, {start.shape[1]}); {owner} got {start.shape}, and needs a row per point."
        )
    return start


def smacof(
    dissimilarities: Numbers,
    *,
    metric: bool = True,
    n_components: int = 2,
    init: Numbers | None = None,
    n_init: int = 1,
    n_jobs: int | None = None,
    max_iter: int = 300,
    verbose: int = 0,
    eps: float = 1e-6,
    random_state: Seed = None,
    return_n_iter: bool = False,
    normalized_stress: bool | Literal["auto"] = "auto",
) -> tuple[Any, ...]:
    """Return the points of least stress and the stress, as scikit-learn's function of this name does; see `MDS`.

    Parameters
    ----------
    dissimilarities : array-like of shape (n_samples, n_samples)
    metric : bool, default=True
        `metric_mds` of `MDS`.
    init : array-like of shape (n_samples, n_components), default=None
    return_n_iter : bool, default=False
        Whether to return the number of steps too.
    n_components, n_init, n_jobs, max_iter, verbose, eps, random_state, normalized_stress
        As in `MDS`.

    Returns
    -------
    tuple
        Points, stress, and the number of steps if requested.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.manifold import smacof
    >>> points, stress = smacof(np.array([[0.0, 3, 5], [3, 0, 4], [5, 4, 0]]), eps=1e-12, random_state=0)
    >>> round(stress, 6)
    0.0
    """
    domains.check(DOMAINS, {name: value for name, value in locals().items() if name in DOMAINS}, "smacof")
    D = checked_dissimilarities(dissimilarities, "smacof")
    normalized = not metric if normalized_stress == "auto" else normalized_stress
    if init is None:
        starts = random_starts(len(D), n_components, n_init, random_state)
    else:
        starts = [given_start(init, len(D), "smacof")]
        if n_init != 1:
            warn(
                f"Explicit initial positions passed: performing only one init of the MDS instead of {n_init}",
            )
    found = best_layout(
        D, starts=starts, metric=metric, max_iter=max_iter, eps=eps, normalized=normalized, report=SILENT, n_jobs=n_jobs
    )
    out = found.points, stress_of(found, normalized)
    return (*out, found.n_iter) if return_n_iter else out
