r"""Bagging against boosting: the same base learner, under growing shares of wrong labels and growing numbers of members.

    error(method, base, B, q) = mean over splits of the share of held-out rows, with true labels, that are answered wrongly
    after a share q of the training labels was given another class                                                      (1)

Bagging averages members that were trained apart, so wrong labels average out; boosting turns its attention to the rows it gets
wrong, and wrong labels are those. Bagging helps an unstable base, a deep tree, most; boosting makes more of a stump.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier
from sklearn.utils import check_array, check_consistent_length

from novum.ensemble.adaboost.classifier import AdaBoostClassifier
from novum.exceptions import DataError, ParameterError
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.result import Result
from novum.report.style import series
from novum.runtime.checks import check_count, check_number
from novum.runtime.random import seed_of
from novum.runtime.typing import Axes, Rows, Seed, Target

__all__ = ["EnsembleRivalry", "compare_ensembles"]

METHODS = ("single", "bagging", "boosting")


@dataclass(frozen=True, repr=False)
class EnsembleRivalry(Result):
    """Held-out errors (1) of a base learner alone, in bags and boosted.

    Attributes
    ----------
    bases : tuple of str
    sizes : tuple of int
        Numbers of members.
    noise : tuple of float
        Shares of training labels that were given another class.
    error : ndarray of shape (3, n_bases, n_sizes, n_noise)
        By method: single, bagging, boosting; the single learner repeats over sizes.
    """

    bases: tuple[str, ...]
    sizes: tuple[int, ...]
    noise: tuple[float, ...]
    error: NDArray[Any]

    def _result_columns(self) -> dict[str, Any]:
        places = list(np.ndindex(*self.error.shape))
        return {
            "method": [METHODS[m] for m, *_ in places],
            "base": [self.bases[b] for _, b, _, _ in places],
            "members": [self.sizes[s] for _, _, s, _ in places],
            "noise": [self.noise[q] for *_, q in places],
            "error": self.error.ravel().tolist(),
        }

    def plot(self, ax: Axes | None = None, *, over: str = "noise") -> Axes:
        """Draw the errors over the share of wrong labels (at most members), or over the members (at least noise).

        Parameters
        ----------
        ax : matplotlib axes, default=None
        over : {"noise", "members"}, default="noise"
        """
        if over not in ("noise", "members"):
            raise ParameterError(f"EnsembleRivalry.plot(over={over!r}): give 'noise' or 'members'.")
        ax = drawing_axes(ax)
        for b, base in enumerate(self.bases):
            for m, method in enumerate(METHODS):
                where, height = (
                    (self.noise, self.error[m, b, -1]) if over == "noise" else (self.sizes, self.error[m, b, :, 0])
                )
                ax.plot(where, height, "o" + ("-", "--", ":")[b % 3], color=series(ax, m), label=f"{method}, {base}")
        ax.set(xlabel="share of wrong labels" if over == "noise" else "members", ylabel="held-out error")
        draw_legend(ax)
        return ax


def wrong_labels(codes: NDArray, n_classes: int, share: float, rng: np.random.Generator) -> NDArray:
    """Return the labels with a share of them moved to another class."""
    spoiled = codes.copy()
    chosen = rng.permutation(len(codes))[: round(share * len(codes))]
    spoiled[chosen] = (codes[chosen] + rng.integers(1, n_classes, len(chosen))) % n_classes
    return spoiled


def compare_ensembles(
    X: Rows,
    y: Target,
    bases: Mapping[str, Any] | None = None,
    *,
    sizes: Sequence[int] = (1, 10, 50),
    noise: Sequence[float] = (0.0, 0.1, 0.2),
    n_splits: int = 3,
    random_state: Seed = None,
) -> EnsembleRivalry:
    """Train a base learner alone, bagged and boosted, on labels of which some are wrong, and judge it on true ones (1).

    Parameters
    ----------
    X, y : array-like of shape (n_samples, n_features) and (n_samples,)
    bases : mapping of str to classifier, default=None
        Learners that take weights; None: a stump, and a tree of depth 6, which changes more with its rows.
    sizes : sequence of int, default=(1, 10, 50)
        Members of the ensembles.
    noise : sequence of float, default=(0, 0.1, 0.2)
        Shares of the training labels that are given another class.
    n_splits : int, default=3
        Random halves to train on; the other halves are held out.
    random_state : int, Generator, RandomState or None, default=None

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from novum.teaching import compare_ensembles
    >>> X, y = make_classification(200, random_state=0)
    >>> found = compare_ensembles(X, y, sizes=(1, 10), noise=(0.0, 0.3), n_splits=1, random_state=0)
    >>> found.error.shape
    (3, 2, 2, 2)
    """
    from novum.tree import DecisionTreeClassifier

    owner = "compare_ensembles"
    rows = check_array(X, dtype=np.float64, estimator=owner, input_name="X")
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    check_consistent_length(rows, codes)
    if len(classes) < 2:
        raise DataError(f"{owner}: y has one class only.")
    if bases is None:
        bases = {"stump": DecisionTreeClassifier(max_depth=1), "tree": DecisionTreeClassifier(max_depth=6)}
    counts = tuple(check_count(owner, "sizes", n) for n in sizes)
    shares = tuple(check_number(owner, "noise", q, 0.0, 0.5) for q in noise)
    splits = check_count(owner, "n_splits", n_splits)
    rng = np.random.default_rng(seed_of(random_state))
    error = np.zeros((3, len(bases), len(counts), len(shares)))
    for _ in range(splits):
        order = rng.permutation(len(rows))
        train, test = order[: len(rows) // 2], order[len(rows) // 2 :]
        seed = int(rng.integers(2**31))
        for q, share in enumerate(shares):
            labels = wrong_labels(codes[train], len(classes), share, np.random.default_rng([seed, q]))
            for b, base in enumerate(bases.values()):
                alone = clone(base).fit(rows[train], labels)
                error[0, b, :, q] += 1 - alone.score(rows[test], codes[test])
                for s, n in enumerate(counts):
                    bag = BaggingClassifier(clone(base), n, random_state=seed).fit(rows[train], labels)
                    boost = AdaBoostClassifier(clone(base), n_estimators=n, random_state=seed).fit(rows[train], labels)
                    error[1, b, s, q] += 1 - bag.score(rows[test], codes[test])
                    error[2, b, s, q] += 1 - boost.score(rows[test], codes[test])
    return EnsembleRivalry(tuple(map(str, bases)), counts, shares, error / splits)
