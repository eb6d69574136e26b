"""Source signals and their mixtures: x(t) = A s(t)."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from novum.datasets.bunch import bunch_of_arrays
from novum.exceptions import ParameterError
from novum.runtime.checks import check_choice, check_count, check_number
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Seed

__all__ = ["make_mixed_signals"]


def laplace(stream: Stream, t: NDArray, row: int) -> NDArray:
    """Return independent Laplace noise, the one source with a peaked density."""
    u = stream.uniform("laplace", row, t.size) - 0.5
    return -np.sign(u) * np.log1p(-2 * np.abs(u))


SOURCES: dict[str, Callable[[Stream, NDArray, int], NDArray]] = {
    "sine": lambda stream, t, row: np.sin(2 * np.pi * 2 * t),
    "square": lambda stream, t, row: np.sign(np.sin(2 * np.pi * 3 * t)),
    "sawtooth": lambda stream, t, row: 2 * (5 * t % 1) - 1,
    "laplace": laplace,
}


def make_mixed_signals(
    n_samples: int = 1000,
    *,
    sources: Sequence[str] = ("sine", "square", "sawtooth"),
    mixing: ArrayLike | None = None,
    noise: float = 0.0,
    random_state: Seed = None,
    as_frame: bool = False,
) -> Any:
    """Return mixtures of independent signals, what independent component analysis has to take apart.

    Parameters
    ----------
    n_samples : int, default=1000
        Moments of time, one row each, over [0, 1).
    sources : sequence of {"sine", "square", "sawtooth", "laplace"}
        Each is centred and scaled to variance one.
    mixing : array of shape (n_mixtures, n_sources), default=None
        The matrix A; None: drawn, well conditioned.
    noise : float, default=0.0
        Standard deviation of what is added to the mixtures.
    random_state : int, Generator, RandomState, SeedSequence or None
    as_frame : bool, default=False

    Returns
    -------
    Bunch
        `data` holds the mixtures, `sources` the signals and `mixing` the matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.datasets import make_mixed_signals
    >>> mixed = make_mixed_signals(100, mixing=[[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    >>> bool(np.allclose(mixed.data, mixed.sources @ mixed.mixing.T))
    True
    """
    owner = "make_mixed_signals"
    check_count(owner, "n_samples", n_samples, 2)
    check_number(owner, "noise", noise, 0)
    kinds = [check_choice(owner, "sources", kind, tuple(SOURCES)) for kind in sources]
    stream = Stream(seed_of(random_state))
    t = np.arange(n_samples) / n_samples
    S = np.column_stack([SOURCES[kind](stream, t, row) for row, kind in enumerate(kinds)])
    S = (S - S.mean(axis=0)) / S.std(axis=0)
    k = len(kinds)
    if mixing is None:
        A = np.linalg.qr(stream.normal("mixing", 0, k, k))[0] * (1 + np.arange(k) / k)
    else:
        A = np.asarray(mixing, dtype=np.float64)
    if A.ndim != 2 or A.shape[1] != k:
        raise ParameterError(f"{owner}: mixing has shape {A.shape}; {k} sources need {k} columns.")
    X = S @ A.T
    if noise:
        X = X + noise * stream.normal("noise", 0, n_samples, A.shape[0])
    names = [f"x{j + 1}" for j in range(A.shape[0])]
    return bunch_of_arrays(
        X, None, names, "Mixed signals.", return_X_y=False, as_frame=as_frame, sources=S, mixing=A, source_names=kinds
    )
