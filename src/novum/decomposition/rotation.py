r"""Rotations of a loading matrix to simple structure: few large loadings per factor (varimax) or per column (quartimax).

Over orthogonal R, with B = L R, p rows, and g = 1 for varimax, 0 for quartimax,

    maximise  sum_k [sum_j b_jk^4 - g/p (sum_j b_jk^2)^2]                                          (23)

The gradient with respect to R is 4 L'(B^3 - g B diag(mean_j b_jk^2)); replacing R by the nearest orthogonal matrix to it, U V'
of its singular value decomposition, raises (23) until it stands still.
"""

import numpy as np

__all__ = ["orthogonal_rotation"]

MOST_STEPS = 500
STILL = 1e-9  # relative rise of the sum of singular values at which it stands still


def orthogonal_rotation(loadings: np.ndarray, method: str) -> np.ndarray:
    """Return loadings (p, k) rotated by "varimax" or "quartimax"."""
    _, k = loadings.shape
    share = 1.0 if method == "varimax" else 0.0
    R, before = np.eye(k), 0.0
    for _ in range(MOST_STEPS):
        B = loadings @ R
        gradient = loadings.T @ (B**3 - share * B * (B**2).mean(axis=0))
        U, s, Vt = np.linalg.svd(gradient)
        R, now = U @ Vt, float(s.sum())
        if now <= before * (1 + STILL):
            break
        before = now
    return loadings @ R
