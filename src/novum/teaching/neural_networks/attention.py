"""Attention as formulas on arrays; the layers compute the same on tensors.

a = softmax(Q K' / sqrt(d_k)),  row by row;   the answer is a V                                                          (1)
a score is -inf where position j must not be seen from position i; causal: j > i                                         (2)
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from novum.exceptions import DataError
from novum.neural_network.transformer.formulas import Array

__all__ = ["causal_mask", "scaled_dot_attention"]


def causal_mask(n: int) -> NDArray[np.bool_]:
    """Return (2): True where position j <= i may be seen from position i, (n, n).

    Examples
    --------
    >>> from novum.teaching import causal_mask
    >>> causal_mask(3).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 1, 1]])
    """
    return np.tril(np.ones((n, n), dtype=bool))


def scaled_dot_attention(
    queries: ArrayLike, keys: ArrayLike, values: ArrayLike, mask: ArrayLike | None = None
) -> tuple[Array, Array]:
    """Return the mean of the values that each query hears, and the weights a of that mean: (1).

    Parameters
    ----------
    queries : array-like of shape (..., n, d)
    keys : array-like of shape (..., m, d)
    values : array-like of shape (..., m, k)
    mask : array-like of bool that broadcasts to (..., n, m), default=None
        True where a key may be seen; a query that may see none hears zeros.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.teaching import scaled_dot_attention
    >>> heard, a = scaled_dot_attention(np.eye(2), [[1, 0], [0, 1], [1, 1]], [[1, 2], [3, 4], [5, 6]])
    >>> a.round(6)
    array([[0.401112, 0.197776, 0.401112],
           [0.197776, 0.401112, 0.401112]])
    """
    Q, K, V = (np.asarray(part, dtype=np.float64) for part in (queries, keys, values))
    if Q.shape[-1] != K.shape[-1] or K.shape[-2] != V.shape[-2]:
        raise DataError(
            f"scaled_dot_attention: queries {Q.shape} and keys {K.shape} must have equal columns, keys and values {V.shape} equal"
            " rows."
        )
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    seen = (
        np.ones(scores.shape, dtype=bool)
        if mask is None
        else np.broadcast_to(np.asarray(mask, dtype=bool), scores.shape)
    )
    top = np.max(scores, axis=-1, keepdims=True, where=seen, initial=-np.inf)
    e = np.exp(np.where(seen, scores - np.where(np.isfinite(top), top, 0.0), -np.inf))
    total = e.sum(axis=-1, keepdims=True)
    weights = np.divide(e, total, out=np.zeros_like(e), where=total > 0)
    return weights @ V, weights
