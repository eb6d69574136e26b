"""Draw, print and export a tree; look at its arrays."""

import matplotlib

matplotlib.use("Agg")
import numpy as np
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier, export_graphviz, export_text, plot_tree

iris = load_iris()
clf = DecisionTreeClassifier(max_depth=3, random_state=0).fit(iris.data, iris.target)
annotations = plot_tree(clf, filled=True, feature_names=iris.feature_names, class_names=list(iris.target_names))
assert len(annotations) >= clf.tree_.node_count
text = export_text(clf, feature_names=list(iris.feature_names))
assert "|--- petal" in text
dot = export_graphviz(clf, out_file=None, feature_names=iris.feature_names, class_names=iris.target_names, filled=True)
assert dot.startswith("digraph Tree") and "samples = 150" in dot
tree = clf.tree_
stack, depths = [(0, 0)], np.zeros(tree.node_count, dtype=int)
while stack:
    node, depth = stack.pop()
    depths[node] = depth
    if tree.children_left[node] != tree.children_right[node]:
        assert tree.threshold[node] > 0 and tree.feature[node] >= 0
        stack += [(tree.children_left[node], depth + 1), (tree.children_right[node], depth + 1)]
assert depths.max() == tree.max_depth == clf.get_depth()
indicator = clf.decision_path(iris.data[:2])
assert indicator.indices[indicator.indptr[0] : indicator.indptr[1]][0] == 0
