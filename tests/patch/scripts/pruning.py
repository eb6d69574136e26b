"""Cost-complexity pruning and trees of a forest looked at one by one."""

import matplotlib

matplotlib.use("Agg")
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_text, plot_tree

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
path = DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(X_train, y_train)
sizes = [
    DecisionTreeClassifier(random_state=0, ccp_alpha=a).fit(X_train, y_train).tree_.node_count
    for a in path.ccp_alphas[::4]
]
assert sizes == sorted(sizes, reverse=True)
forest = RandomForestClassifier(5, max_depth=2, random_state=0).fit(X_train, y_train)
assert "|---" in export_text(forest.estimators_[0])
plot_tree(forest.estimators_[0], filled=True)
assert export_text(DecisionTreeRegressor(max_depth=1).fit(X, y)).count("value") == 2
assert (IsolationForest(n_estimators=20, random_state=0).fit(X).predict(X) == -1).any()
