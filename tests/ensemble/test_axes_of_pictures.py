"""Every picture of trees, ensembles and neighbors says what its axes are; drawings of trees have none."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from novum import ensemble, neighbors, teaching, tree
from novum.base.estimator import Estimator

X, Y = load_iris(return_X_y=True)
PLANE = pd.DataFrame(X[:, 2:], columns=["length", "width"])


def density():
    return neighbors.KernelDensity(bandwidth=0.3)


PICTURES = {
    "plot_regions": lambda: neighbors.plot_regions(neighbors.KNeighborsClassifier(3).fit(PLANE, Y), points=20),
    "plot_voronoi": lambda: teaching.plot_voronoi(PLANE.drop_duplicates()),
    "plot_neighbors": lambda: neighbors.plot_neighbors(
        neighbors.KNeighborsClassifier(3).fit(PLANE.to_numpy(), Y), [1.0, 1.0]
    ),
    "KernelDensity.plot": lambda: density().fit(PLANE).plot(),
    "KernelDensity.plot, one column": lambda: density().fit(PLANE[["width"]]).plot(),
    "PruningCurve.plot": lambda: tree.DecisionTreeClassifier(random_state=0).pruning_curve(X, Y).plot(),
    "OutOfBagCurve.plot": lambda: ensemble.RandomForestClassifier(5, random_state=0).fit(X, Y).oob_curve(X, Y).plot(),
}


@pytest.mark.parametrize("name", PICTURES)
def test_axes_are_named(name):
    ax = PICTURES[name]()
    assert ax.get_xlabel() and ax.get_ylabel()
    if "width" in ax.get_ylabel():
        assert ax.get_xlabel() == "length"


def test_no_picture_is_left_out():
    public = [getattr(module, name) for module in (ensemble, neighbors, tree) for name in module.__all__]
    drawn = {thing.__name__ for thing in public if getattr(thing, "__name__", "").startswith("plot_")} - {"plot_tree"}
    own = (
        thing for thing in public if isinstance(thing, type) and not issubclass(thing, Estimator)
    )  # those: tests/report
    drawn |= {f"{thing.__name__}.plot" for thing in own if hasattr(thing, "plot")}
    assert drawn <= set(PICTURES)
    assert not tree.plot_tree(tree.DecisionTreeClassifier(max_depth=1).fit(X, Y))[0].axes.axison


def test_columns_without_an_order_are_named():
    mixed = pd.DataFrame({"size": [1.0, 2.0, 3.0], "kind": ["x", 1, "y"]})
    lists = pd.DataFrame({"size": [1.0, 2.0, 3.0], "kind": [[1], [2], [3]]})
    for cls in (tree.DecisionTreeClassifier, tree.ID3, ensemble.RandomForestClassifier, ensemble.AdaBoostClassifier):
        with pytest.raises(ValueError, match=r"column 'kind' of the frame holds int and str.*astype\(str\)"):
            cls().fit(mixed, [0, 1, 0])
        with pytest.raises(ValueError, match="column 'kind' of the frame holds list"):
            cls().fit(lists, [0, 1, 0])
    text = mixed.assign(kind=mixed["kind"].astype(str))
    assert np.array_equal(tree.DecisionTreeClassifier().fit(text, [0, 1, 0]).predict(text), [0, 1, 0])
