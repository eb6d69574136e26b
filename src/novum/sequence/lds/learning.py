"""Learn the matrices of a system from series, by EM or by climbing the likelihood."""

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, DataWarning, NotConverged, ParameterError
from novum.runtime.pool import map_ordered
from novum.runtime.threads import thread_count
from novum.runtime.warn import warn
from novum.sequence.lds.expectations import Expected, expectations, joined
from novum.sequence.lds.functions import start_distribution
from novum.sequence.lds.likelihood import climbed
from novum.sequence.lds.maximization import maximized
from novum.sequence.lds.passes import timed_system
from novum.sequence.lds.series import Observed
from novum.sequence.lds.start import free_matrices, starting_matrices
from novum.sequence.lds.system import System, sizes_of, stationary_distribution, system_of

__all__ = ["LearnedSystem", "learn_system"]

Array = NDArray[Any]


class LearnedSystem(NamedTuple):
    """What a fit found."""

    system: System
    history: list[float]
    converged: bool
    n_parameters: int


def expect(owner: str, system: System, series: list[Observed], controls: list[Array | None]) -> Expected:
    """Return the expectations of all series under a system."""

    def one(pair: tuple[Observed, Array | None]) -> Expected:
        item, given = pair
        timed = timed_system(owner, system, item.values, given)
        return expectations(timed, system, start_distribution(system), item.values, given)

    pairs = list(zip(series, controls, strict=True))
    return joined(list(map_ordered(one, pairs, thread_count() if len(pairs) > 1 else 1)))


def count_free(free: Mapping[str, Array], kinds: Mapping[str, str]) -> int:
    """Return the number of free numbers."""
    total = 0
    for name, cells in free.items():
        kind = kinds.get(name, "full")
        if name.endswith("covariance") and kind in ("spherical", "scaled"):
            total += 1
        elif name.endswith("covariance"):
            s = len(cells)
            total += s * (s + 1) // 2 if kind == "full" and cells.all() else int(np.diagonal(cells).sum())
        else:
            total += int(cells.sum())
    return total


def warn_of_constants(series: list[Observed], free: Mapping[str, Array]) -> None:
    """Warn of columns that never change: their noise tends to zero and the likelihood to infinity."""
    rows = np.concatenate([item.values for item in series])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # columns without any observed cell
        constant = np.flatnonzero((np.nanmax(rows, axis=0) == np.nanmin(rows, axis=0)) & (len(rows) > 1))
    if len(constant) and "observation_covariance" in free:
        warn(
            f"LinearDynamicalSystem: column {int(constant[0])} of X is constant: the likelihood has no maximum, as its noise "
            "tends to zero. Leave the column out, or give observation_covariance.",
            DataWarning,
        )


def learn_system(
    owner: str,
    given: Mapping[str, Any],
    series: list[Observed],
    controls: list[Array | None],
    *,
    learn: Any,
    kinds: Mapping[str, str],
    algorithm: str,
    max_iter: int,
    tol: float,
    sizes: dict[str, int],
    report: Any,
) -> LearnedSystem:
    """Return the system that the series teach."""
    sizes = sizes_of(owner, given, sizes)
    stationary = isinstance(given.get("initial_covariance"), str) and given["initial_covariance"] == "stationary"
    given = dict(given)
    if algorithm == "lbfgs" and given.get("initial_covariance") is None and learn is None:
        given["initial_covariance"] = "diffuse"
    free = free_matrices(owner, given, learn, sizes)
    if algorithm == "lbfgs" and any(name.startswith("initial") for name in free):
        raise ParameterError(
            f'{owner}: algorithm="lbfgs" learns no initial distribution; give it, or use algorithm="em".'
        )
    if algorithm == "em" and stationary and any(name.startswith("transition") or name == "control" for name in free):
        raise ParameterError(
            f'{owner}: with initial_covariance="stationary" the transition is learned by algorithm="lbfgs".'
        )
    for name in ("transition", "transition_covariance", "observation", "observation_covariance"):
        if name not in free and given.get(name) is None:
            raise ParameterError(f"{owner}: {name} is neither given nor named in learn={learn!r}; do one of both.")
    if not any((~np.isnan(item.values)).any() for item in series):
        raise DataError(f"{owner}: no cell of X was observed; there is nothing to learn from.")
    warn_of_constants(series, free)
    start = starting_matrices(owner, given, free, [item.values for item in series], sizes)
    for name in ("transition", "transition_covariance", "observation", "observation_covariance"):
        kind = kinds.get(name, "full")
        if name in free and given.get(name) is None and kind in ("diag", "spherical", "scaled"):
            start[name] = np.diag(np.diagonal(start[name]))
            if kind != "diag":
                start[name] = np.eye(len(start[name])) * float(np.diagonal(start[name]).mean())
    system = system_of(owner, start, sizes)
    n_parameters = count_free(free, kinds)

    def with_stationary_start(candidate: System) -> System:
        A, Q, b = candidate.transition, candidate.transition_covariance, candidate.transition_offset
        mean, covariance = stationary_distribution(owner, A, Q, b)
        return candidate._replace(initial_mean=mean, initial_covariance=covariance)

    if not free:
        value = expect(owner, system, series, controls).log_likelihood
        return LearnedSystem(system, [value], True, 0)
    if algorithm == "lbfgs":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotConverged)
            found, history, converged = climbed(
                system,
                lambda candidate: expect(owner, candidate, series, controls),
                with_stationary_start if stationary else None,
                free,
                kinds,
                max_iter,
                tol,
            )
        return LearnedSystem(found, history, converged, n_parameters)
    expected = expect(owner, system, series, controls)
    history, converged = [expected.log_likelihood], False
    report.begin(system)
    for n_iter in range(1, max_iter + 1):
        following = maximized(system, expected, free, kinds)
        if not all(np.isfinite(m).all() for m in following):
            break
        system = following
        expected = expect(owner, system, series, controls)
        history.append(expected.log_likelihood)
        converged = history[-1] - history[-2] <= tol * max(1.0, abs(history[-1]))
        if report(n_iter, history[-1], system) or converged:
            break
    return LearnedSystem(system, history, converged, n_parameters)
