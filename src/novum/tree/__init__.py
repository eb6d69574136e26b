"""Decision trees: one node table, exact growing, cost-complexity pruning.

Inside the package: `_table.Tree` is the node table (scikit-learn's field names, category sets, more than two children where a
grower gives `branch_begin` and `branch_node`); `_grow` is the exact grower, `prepare(X, levels, layout)` once and
`grow(columns, target, rules, weight, seed)` per tree, for single trees and forests alike. `_bins` turns columns into one-byte
codes, `_histograms` grows trees on them.
"""

from novum.tree._impurity import impurity, split_impurity
from novum.tree._table import Tree
from novum.tree.classifier import DecisionTreeClassifier, ExtraTreeClassifier
from novum.tree.regressor import DecisionTreeRegressor, ExtraTreeRegressor

__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
    "Tree",
    "impurity",
    "split_impurity",
]
