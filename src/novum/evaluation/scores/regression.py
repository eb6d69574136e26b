r"""Scores of predicted numbers f against y, with weights w and W their sum; e = y - f.

    mse = sum w e^2 / W,     rmse = sqrt(mse),     mae = sum w |e| / W                                  (1)
    r2 = 1 - sum w e^2 / sum w (y - mean y)^2                                                           (2)
    pearson = cov(y, f) / sqrt(var(y) var(f)),   averages over the data set                            (3)
    rss = sum w |e|^2,     half_sse = rss / 2   (the half that makes the gradient simple)               (4)
    residual_norm = sum w |e|_2 / W,   for several targets                                              (5)

With several targets (1) to (3) are the means over targets, as in scikit-learn. All are functions of a few sums over rows.
"""

import numpy as np
from numpy.typing import NDArray

from novum.evaluation.scores.statistics import RowSums

__all__ = ["LOWER_IS_BETTER", "REGRESSION_SCORES", "regression_sums"]

REGRESSION_SCORES = ("rmse", "mse", "mae", "r2", "pearson", "rss", "half_sse")
LOWER_IS_BETTER = {"rmse", "mse", "mae", "rss", "half_sse", "residual_norm"}
ROUNDING = 1e-14  # relative: a variance below this is that of a constant


def regression_sums(y: NDArray, f: NDArray, weight: NDArray | None) -> RowSums:
    """Return (1) to (5) of targets y and predictions f, each (n, targets), as functions of sums."""
    n, targets = y.shape
    w = np.ones(n) if weight is None else weight
    # about a common center, so that numbers far from zero lose no digits in (2) and (3)
    center = np.average(y, axis=0, weights=w)
    y0, f0, e = y - center, f - center, y - f
    parts = (e**2, np.abs(e), y0, y0**2, f0, f0**2, y0 * f0)
    columns = [w, *(w * part[:, t] for t in range(targets) for part in parts)]
    names: tuple[str, ...] = REGRESSION_SCORES
    if targets > 1:
        columns.append(w * np.sqrt((e**2).sum(axis=1)))
        names = (*names, "residual_norm")

    def function(S: NDArray) -> NDArray:
        total = S[..., 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            each = np.stack([of_target(S[..., 1 + 7 * t : 8 + 7 * t] / total[..., None]) for t in range(targets)], -1)
            means = each.mean(axis=-1)  # (..., mse rmse mae r2 pearson)
            rss = each[..., 0, :].sum(axis=-1) * total
            found = [means[..., 1], means[..., 0], means[..., 2], means[..., 3], means[..., 4], rss, rss / 2]
            if targets > 1:
                found.append(S[..., -1] / total)
        return np.stack(found, axis=-1)

    return RowSums(names, np.stack(columns), function)


def of_target(mean: NDArray) -> NDArray:
    """Return (mse, rmse, mae, r2, pearson) from the means of e^2, |e|, y, y^2, f, f^2, y f of one target."""
    square, absolute, y, yy, f, ff, yf = np.moveaxis(mean, -1, 0)
    variance, other = yy - y**2, ff - f**2
    constant = variance <= ROUNDING * yy
    r2 = np.where(constant, np.where(square == 0, 1.0, 0.0), 1 - square / np.where(constant, 1.0, variance))
    flat = constant | (other <= ROUNDING * ff)
    pearson = np.where(flat, np.nan, (yf - y * f) / np.sqrt(np.where(flat, 1.0, variance * other)))
    return np.stack([square, np.sqrt(square), absolute, r2, np.clip(pearson, -1, 1)], axis=-1)
