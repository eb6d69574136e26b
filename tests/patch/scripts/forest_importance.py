"""Importances of a forest by impurity and by permutation."""

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import permutation_importance
from sklearn.model_selection import train_test_split

X, y = make_classification(n_samples=300, n_features=6, n_informative=2, n_redundant=0, shuffle=False, random_state=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=42)
forest = RandomForestClassifier(n_estimators=30, random_state=0).fit(X_train, y_train)
std = np.std([tree.feature_importances_ for tree in forest.estimators_], axis=0)
assert std.shape == (6,) and set(np.argsort(-forest.feature_importances_)[:2]) == {0, 1}
result = permutation_importance(forest, X_test, y_test, n_repeats=3, random_state=42, n_jobs=1)
assert result.importances_mean.argmax() in (0, 1)
