"""The repr of a learned system: a line on the fit, then the numbers that were learned."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError
from novum.report.numbers import counted, number
from novum.sequence.lds.start import free_matrices
from novum.sequence.lds.system import MATRICES

__all__ = ["describe"]

MOST_CELLS, WIDEST = 12, 6  # that are written out


def learned_cells(model: Any) -> dict[str, NDArray[np.bool_]]:
    """Return which cells of every matrix `fit` learned."""
    given = {name: getattr(model, name) for name in MATRICES}
    if model.algorithm == "lbfgs" and given["initial_covariance"] is None and model.learn is None:
        given["initial_covariance"] = "diffuse"
    cells, states = np.shape(model.observation_)[-2:]
    sizes = {"s": states, "p": cells, "k": np.shape(model.control_)[-1]}
    try:
        return free_matrices(type(model).__name__, given, model.learn, sizes)
    except (DataError, ParameterError):  # parameters were changed after the fit; the next one will say what is wrong
        return {}


def matrix_lines(name: str, values: NDArray, learned: NDArray[np.bool_]) -> list[tuple[str, str]]:
    """Return name and text of every line that a matrix takes: its rows, or its learned cells where others are fixed."""
    if values.size == 1:
        return [(name, number(float(values.ravel()[0])))]
    if not learned.all():
        cells = [
            (f"{name}[{', '.join(map(str, at))}]", number(float(values[tuple(at)]))) for at in np.argwhere(learned)
        ]
        rest = [(name, f"and {len(cells) - MOST_CELLS} cells more")] if len(cells) > MOST_CELLS else []
        return cells[:MOST_CELLS] + rest
    rows = np.atleast_2d(values)
    if max(rows.shape) > WIDEST:
        return [(name, f"{' x '.join(map(str, values.shape))} numbers")]
    texts = [[number(float(value)) for value in row] for row in rows]
    width = max(len(text) for row in texts for text in row)
    return [("" if i else name, "  ".join(f"{text:>{width}}" for text in row)) for i, row in enumerate(texts)]


def describe(model: Any) -> str:
    """Return the repr of a learned system."""
    ended = f"converged in {counted(model.n_iter_, 'iteration')}" if model.converged_ else "not converged"
    head = (
        f"{type(model).__name__}, {counted(np.shape(model.transition_)[-1], 'state')}, {counted(model.n_features_in_, 'column')}, "
        f"log-likelihood {model.log_likelihood_:.3f} with {counted(model.n_parameters_, 'parameter')}, {ended}"
    )
    lines = [
        line
        for name, learned in learned_cells(model).items()
        for line in matrix_lines(name, np.asarray(getattr(model, f"{name}_")), learned)
    ]
    width = max((len(name) for name, _ in lines), default=0)
    return "\n".join([head, *(f"  {name:<{width}}   {text}" for name, text in lines)])
