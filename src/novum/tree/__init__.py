"""Decision trees: one node table, two growers, pruning; rules, formulas, gain tables, texts and drawings.

What trees and ensembles share lies in `engines.trees`: `nodes.Tree` is the node table (scikit-learn's field names, category sets,
more than two children where a grower gives `branch_begin` and `branch_node`), `exact` grows single trees and forests, `bins` turns
columns into one-byte codes and `histograms` grows trees on them. Here `multiway` is the grower of the notes' trees (a branch per
category, rows divided at missing cells).
"""

from typing import TYPE_CHECKING

from novum.runtime.lazy import lazily

if TYPE_CHECKING:
    from novum.engines.trees.nodes import Tree
    from novum.tree.classifier import DecisionTreeClassifier, ExtraTreeClassifier
    from novum.tree.gain_table import information_gain_table
    from novum.tree.impurity_measures import impurity, split_impurity
    from novum.tree.plots import plot_tree
    from novum.tree.presets import C45, ID3
    from novum.tree.reduced_error import PruningCurve
    from novum.tree.regressor import DecisionTreeRegressor, ExtraTreeRegressor
    from novum.tree.rules import export_dnf, export_rules
    from novum.tree.text import export_text
else:
    __getattr__, __dir__ = lazily(
        __name__,
        {
            "novum.engines.trees.nodes": "Tree",
            ".classifier": "DecisionTreeClassifier ExtraTreeClassifier",
            ".gain_table": "information_gain_table",
            ".impurity_measures": "impurity split_impurity",
            ".plots": "plot_tree",
            ".presets": "C45 ID3",
            ".reduced_error": "PruningCurve",
            ".regressor": "DecisionTreeRegressor ExtraTreeRegressor",
            ".rules": "export_dnf export_rules",
            ".text": "export_text",
        },
    )

__all__ = [
    "C45",
    "ID3",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
    "PruningCurve",
    "Tree",
    "export_dnf",
    "export_rules",
    "export_text",
    "impurity",
    "information_gain_table",
    "plot_tree",
    "split_impurity",
]
