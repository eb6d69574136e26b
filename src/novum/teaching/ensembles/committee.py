r"""A committee of trees at work on one row: the way it takes through some of them, what each says, and what all say together.

P(c | x) = 1/T sum_t P_t(c | x),   the forest answers argmax_c P(c | x)    (1)
"""

from typing import Any

import numpy as np

from novum.base.fitted import check_is_fitted
from novum.exceptions import DataError, ParameterError
from novum.report.axes import name_places, new_figure
from novum.report.style import series
from novum.runtime.checks import check_count

__all__ = ["plot_committee"]

WIDE_TREE = 6.5  # inches in which the boxes of a tree of three levels can be read


def plot_committee(forest: Any, row: Any, *, n_trees: int = 3, max_depth: int | None = 2, ax: Any = None) -> list[Any]:
    """Draw some trees of a forest with the path of a row and their votes, and the answer of all trees (1); return the axes.

    P(c | x) = 1/T sum_t P_t(c | x),   the forest answers argmax_c P(c | x)    (1)

    Parameters
    ----------
    forest : fitted RandomForestClassifier or ExtraTreesClassifier
    row : array-like of shape (n_features,)
    n_trees : int, default=3
        The first trees, a panel each; the last panel has the shares of all trees as bars.
    max_depth : int, default=2
        Deeper nodes are left out; None draws all.
    ax : sequence of matplotlib axes, default=None
        n_trees + 1 of them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from novum.ensemble import RandomForestClassifier
    >>> from novum.teaching import plot_committee
    >>> X, y = load_iris(return_X_y=True)
    >>> axes = plot_committee(RandomForestClassifier(5, random_state=0).fit(X, y), X[0], n_trees=2)
    >>> [ax.get_title() for ax in axes]
    ['tree 1 says 0', 'tree 2 says 0', '5 trees say 0']
    """
    from novum.tree import plot_tree

    check_is_fitted(forest)
    if not hasattr(forest, "classes_") or isinstance(forest.classes_, list):
        raise ParameterError(
            "plot_committee draws votes for classes; give a fitted forest of one classification target."
        )
    shown = check_count("plot_committee", "n_trees", n_trees)
    if shown > len(forest.estimators_):
        raise ParameterError(f"plot_committee(n_trees={shown}): the forest has {len(forest.estimators_)} trees.")
    x = np.asarray(row, dtype=np.float64).reshape(1, -1)
    if x.shape[1] != forest.n_features_in_:
        raise DataError(f"plot_committee: the row has {x.shape[1]} features, the forest knows {forest.n_features_in_}.")
    panels = (
        list(new_figure(WIDE_TREE * shown + 3, 4).subplots(1, shown + 1, width_ratios=[WIDE_TREE] * shown + [3]))
        if ax is None
        else list(ax)
    )
    *branches, last = panels
    names = [str(name) for name in forest.classes_]
    shares = np.array([np.asarray(tree.predict_proba(x))[0] for tree in forest.estimators_])  # (T, classes)
    for k, (ax, tree) in enumerate(zip(branches, forest.estimators_[:shown], strict=True)):
        plot_tree(tree, max_depth=max_depth, impurity=False, class_names=names, sample=x, filled=True, ax=ax)
        ax.set_title(f"tree {k + 1} says {names[int(shares[k].argmax())]}")
    mean = shares.mean(axis=0)
    last.bar(range(len(names)), mean, color=[series(last, k) for k in range(len(names))])
    name_places(last, "x", range(len(names)), names)
    last.set(ylim=(0, 1), ylabel="mean share", title=f"{len(shares)} trees say {names[int(mean.argmax())]}")
    return panels
