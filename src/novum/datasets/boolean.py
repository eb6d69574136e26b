"""Truth tables as data sets: AND, OR, NAND, NOR, NOT, XOR (parity), or any function of bits."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.datasets.bunch import bunch_of_arrays
from novum.exceptions import ParameterError
from novum.runtime.checks import check_choice, check_count

__all__ = ["make_boolean"]

FUNCTIONS: dict[str, Callable[[NDArray], Any]] = {
    "and": lambda X: X.all(axis=1),
    "or": lambda X: X.any(axis=1),
    "nand": lambda X: ~X.all(axis=1),
    "nor": lambda X: ~X.any(axis=1),
    "not": lambda X: ~X[:, 0],
    "xor": lambda X: X.sum(axis=1) % 2 == 1,
}


def make_boolean(
    function: str | Callable[..., Any] = "xor",
    n_inputs: int | None = None,
    *,
    inputs: tuple[float, float] = (0, 1),
    labels: tuple[Any, Any] = (0, 1),
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:
    """Return the whole truth table of a Boolean function, rows in counting order.

    Parameters
    ----------
    function : {"and", "or", "nand", "nor", "not", "xor"} or callable, default="xor"
        "xor" of more than two inputs is their parity. A callable takes the bits as arguments: `lambda a, b: a and not b`.
    n_inputs : int, default=None
        None: 2, and 1 for "not".
    inputs : pair of numbers, default=(0, 1)
        What false and true look like among the inputs, e.g. (-1, 1).
    labels : pair, default=(0, 1)
        What false and true look like in the target.
    return_X_y, as_frame : bool, default=False
        As in scikit-learn.

    Examples
    --------
    >>> from novum.datasets import make_boolean
    >>> X, y = make_boolean("xor", return_X_y=True)
    >>> X.tolist(), y.tolist()
    ([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    """
    owner = "make_boolean"
    if n_inputs is None:
        n_inputs = 1 if function == "not" else 2
    check_count(owner, "n_inputs", n_inputs)
    if function == "not" and n_inputs != 1:
        raise ParameterError(f"{owner}(function='not', n_inputs={n_inputs}): a negation has one input.")
    bits = np.array(list(product([False, True], repeat=n_inputs)))
    if callable(function):
        truth = np.array([bool(function(*map(bool, row))) for row in bits])
    else:
        truth = FUNCTIONS[check_choice(owner, "function", function, tuple(FUNCTIONS))](bits)
    X = np.where(bits, inputs[1], inputs[0])
    y = np.where(truth, labels[1], labels[0])
    names = [f"x{j + 1}" for j in range(n_inputs)]
    called = function if isinstance(function, str) else getattr(function, "__name__", "function")
    return bunch_of_arrays(X, y, names, f"Truth table of {called}.", return_X_y=return_X_y, as_frame=as_frame)
