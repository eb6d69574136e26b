"""cross_validate, cross_val_predict, curves, scorers."""

import matplotlib

matplotlib.use("Agg")
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.metrics import make_scorer, mean_absolute_error
from sklearn.model_selection import (
    LearningCurveDisplay,
    StratifiedKFold,
    ValidationCurveDisplay,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    validation_curve,
)

X, y = load_diabetes(return_X_y=True)
scores = cross_validate(
    Lasso(0.1), X, y, cv=3, scoring=("r2", "neg_mean_squared_error"), return_train_score=True, return_estimator=True
)
assert sorted(scores)[:2] == ["estimator", "fit_time"] and len(scores["estimator"]) == 3
assert cross_val_score(Ridge(), X, y, scoring=make_scorer(mean_absolute_error)).shape == (5,)
A, b = load_iris(return_X_y=True)
model = LogisticRegression(max_iter=1000)
assert cross_val_predict(model, A, b, cv=StratifiedKFold(3), method="predict_proba").shape == (150, 3)
assert learning_curve(model, A, b, cv=3, train_sizes=[0.5, 1.0], shuffle=True, random_state=0)[1].shape == (2, 3)
assert validation_curve(model, A, b, param_name="C", param_range=[0.1, 1], cv=3)[0].shape == (2, 3)
assert permutation_test_score(model, A, b, cv=3, n_permutations=3, random_state=0)[2] <= 0.5
LearningCurveDisplay.from_estimator(model, A, b, cv=3, train_sizes=[0.5, 1.0], shuffle=True, random_state=0)
ValidationCurveDisplay.from_estimator(model, A, b, param_name="C", param_range=[0.1, 1], cv=3)
