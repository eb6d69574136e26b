"""Trees, forests and boosting score as scikit-learn's do on rows that none of them has seen: five seeds, paired."""

import numpy as np
import pytest
import sklearn.ensemble
import sklearn.tree
from sklearn.datasets import make_classification, make_friedman1

import novum.ensemble
import novum.tree

SEEDS, TRAIN, NEW = 5, 2000, 4000
QUICK = {"max_iter": 60}
CASES = {
    "tree, classes": ("tree", "DecisionTreeClassifier", {}),
    "tree, entropy": ("tree", "DecisionTreeClassifier", {"criterion": "entropy", "min_samples_leaf": 5}),
    "tree, numbers": ("tree", "DecisionTreeRegressor", {"min_samples_leaf": 5}),
    "boosting, classes": ("ensemble", "HistGradientBoostingClassifier", QUICK),
    "boosting, numbers": ("ensemble", "HistGradientBoostingRegressor", QUICK),
    "boosting, absolute error": ("ensemble", "HistGradientBoostingRegressor", {**QUICK, "loss": "absolute_error"}),
    "AdaBoost, stumps": ("ensemble", "AdaBoostClassifier", {"n_estimators": 100}),
    "AdaBoost, numbers": ("ensemble", "AdaBoostRegressor", {"n_estimators": 30}),
    "random forest": ("ensemble", "RandomForestClassifier", {"n_jobs": 2}),
    "random forest, numbers": ("ensemble", "RandomForestRegressor", {"n_estimators": 50, "n_jobs": 2}),
    "extra trees": ("ensemble", "ExtraTreesClassifier", {"n_jobs": 2}),
}
ALLOWED = 2.0  # standard errors: of one comparison in twenty the difference is larger by chance


def data(name, seed):
    if "Classifier" in name:
        return make_classification(
            TRAIN + NEW, 15, n_informative=8, n_classes=3, flip_y=0.05, class_sep=1.2, random_state=seed
        )
    return make_friedman1(TRAIN + NEW, 10, noise=1.0, random_state=seed)


def errors(model, X, y, classes):
    """Return the loss of every new row."""
    said = model.predict(X)
    return (said != y).astype(float) if classes else (said - y) ** 2


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_scores_of_new_rows_are_those_of_scikit_learn(case):
    module, name, options = CASES[case]
    ours, theirs = getattr(getattr(novum, module), name), getattr(getattr(sklearn, module), name)
    differences, standard_errors = [], []
    for seed in range(SEEDS):
        X, y = data(name, seed)
        pair = [cls(random_state=seed, **options).fit(X[:TRAIN], y[:TRAIN]) for cls in (ours, theirs)]
        one, other = (errors(model, X[TRAIN:], y[TRAIN:], "Classifier" in name) for model in pair)
        differences.append(np.mean(one - other))
        standard_errors.append(np.std(one - other) / np.sqrt(NEW))
    # The mean of five differences, by their own standard deviation or by that of the rows, whichever is larger.
    error = max(np.std(differences, ddof=1), float(np.mean(standard_errors))) / np.sqrt(SEEDS)
    print(f"{case}: {np.mean(differences):+.4g}, standard error {error:.2g}")
    assert (
        abs(np.mean(differences)) <= ALLOWED * error + 1e-9
    )  # sums of boosting are in whole numbers here, in floats there
