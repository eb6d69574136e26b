r"""What every row adds to a score that is no mean of row values, and the variance that follows.

A score is T(F), F the distribution of rows. Its influence values u_i are the derivatives of T towards the rows, with mean zero, and
the score of n rows has about the variance mean(u_i^2) / n. With pi_k the share of class k, n_k its rows:

    balanced accuracy   u_i = (1[right] - a_k) / (K pi_k),  k the row's class, a_k its share of right rows             (1)
    F1                  u_i = (2 1[y = c = k] - F (1[y = k] + 1[c = k])) / (share of y = k + share of c = k)           (2)
    AUC                 u_i = (share of the other side that it is in the right order with - A) / (share of its side)   (3)
    average precision   u_i = (1[pos] (P(x_i) - A) + mean over positive z <= x_i of (1[pos] - P(z)) / N(z)) / pi       (4)

where P(z) is the precision at the score z and N(z) the share of rows at or above it; for more than two classes their mean. Where
a part is drawn so that it has the classes in the shares of all rows, the variance between the classes is only that of all rows.
With W the mean variance within the classes and B that between them, and h the part's share of all rows,

    Var T = (W + h B) / n                                                                                            (5)
"""

import numpy as np

__all__ = [
    "area_influence",
    "balanced_influence",
    "f1_influence",
    "precision_influence",
    "precision_left_out",
    "stratified_variance",
]


def balanced_influence(y: np.ndarray, said: np.ndarray) -> np.ndarray:
    """Return (1)."""
    classes, code, counts = np.unique(y, return_inverse=True, return_counts=True)
    right = (y == said).astype(np.float64)
    share = np.bincount(code, right) / counts
    return (right - share[code]) * len(y) / (len(classes) * counts[code])


def f1_influence(y: np.ndarray, said: np.ndarray, positive: int | None = None) -> np.ndarray:
    """Return (2), of one class or the mean over those that occur."""
    classes = np.unique(y) if positive is None else [positive]
    total = np.zeros(len(y))
    for k in classes:
        true, named = y == k, said == k
        either = true.astype(np.float64) + named
        if either.any():
            both = 2.0 * (true & named)
            total += (both - both.sum() / either.sum() * either) / either.mean()
    return total / len(classes)


def sides(y: np.ndarray, n_classes: int, positive: int | None) -> list[int]:
    """Return the classes that are held against the rest: the positive one, or all that occur and are not alone."""
    return [k for k in (range(n_classes) if positive is None else [positive]) if 0 < (y == k).sum() < len(y)]


def area_influence(y: np.ndarray, proba: np.ndarray, positive: int | None = None) -> np.ndarray:
    """Return (3)."""
    classes = sides(y, proba.shape[1], positive)
    total = np.zeros(len(y))
    for k in classes:
        true, score = y == k, proba[:, k]
        up, down = np.sort(score[true]), np.sort(score[~true])
        won = (np.searchsorted(down, score[true], "left") + np.searchsorted(down, score[true], "right")) / 2 / len(down)
        lost = (np.searchsorted(up, score[~true], "left") + np.searchsorted(up, score[~true], "right")) / 2 / len(up)
        total[true] += (won - won.mean()) * len(y) / len(up)
        total[~true] += (lost.mean() - lost) * len(y) / len(down)
    return total / max(len(classes), 1)


def precision_influence(y: np.ndarray, proba: np.ndarray, positive: int | None = None) -> np.ndarray:
    """Return (4); rows of one score come together."""
    classes = sides(y, proba.shape[1], positive)
    total, n = np.zeros(len(y)), len(y)
    for k in classes:
        true = (y == k).astype(np.float64)
        values, place = np.unique(-proba[:, k], return_inverse=True)  # the highest score first
        up = np.bincount(place, true, minlength=len(values))
        above = np.cumsum(np.bincount(place, minlength=len(values))) / n
        precision = np.cumsum(up) / n / above
        share = true.mean()
        average = (up * precision).sum() / up.sum()
        below = np.cumsum((up / n / above)[::-1])[::-1]  # sums over positive rows at or below a score
        below_precision = np.cumsum((up / n / above * precision)[::-1])[::-1]
        value = (true * (precision[place] - average) + true * below[place] - below_precision[place]) / share
        total += value - value.mean()
    return total / max(len(classes), 1)


def precision_left_out(y: np.ndarray, proba: np.ndarray, positive: int | None = None) -> np.ndarray:
    """Return n - 1 times what the average precision loses without each row: (4) and the terms beyond it, which few rows need.

    Rows of one score come together; a row without which a side is empty changes nothing.
    """
    n = len(y)
    kept = 1.0 - np.eye(n)
    classes = sides(y, proba.shape[1], positive)
    total = np.zeros(n)
    for k in classes:
        values, place = np.unique(-proba[:, k], return_inverse=True)
        tie = np.eye(len(values))[place]  # (n, scores)
        up, seen = kept @ (tie * (y == k)[:, None]), np.cumsum(kept @ tie, axis=1)
        count = up.sum(axis=1)
        score = (up * np.cumsum(up, axis=1) / np.maximum(seen, 1.0)).sum(axis=1) / np.maximum(count, 1.0)
        score[count == 0] = score[count > 0].mean() if (count > 0).any() else 0.0
        total += (n - 1) * (score.mean() - score)
    return total / max(len(classes), 1)


def stratified_variance(u: np.ndarray, y: np.ndarray, share: float | None) -> float:
    """Return (5) of rows with influence values u; `share` None is a part that was drawn without looking at the classes."""
    n = len(u)
    total = float(u.var(ddof=1)) if n > 1 else 0.0
    if share is None or total == 0:
        return total / max(n, 1)
    _, code, counts = np.unique(y, return_inverse=True, return_counts=True)
    mean = np.bincount(code, u) / counts
    variances = np.bincount(code, (u - mean[code]) ** 2) / np.maximum(counts - 1, 1)
    variances = np.where(counts > 1, variances, total)
    within = min(float((variances * counts).sum() / n), total)
    return (within + share * (total - within)) / n
