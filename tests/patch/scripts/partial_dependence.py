"""Partial dependence, by recursion and by brute force, and its display."""

import matplotlib

matplotlib.use("Agg")
from sklearn.datasets import load_diabetes
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.inspection import PartialDependenceDisplay, partial_dependence

X, y = load_diabetes(return_X_y=True, as_frame=True)
forest = RandomForestRegressor(10, max_depth=4, random_state=0).fit(X, y)
found = partial_dependence(forest, X, ["bmi"], kind="average", grid_resolution=10)
assert found["average"].shape == (1, 10)
brute = partial_dependence(forest, X, ["bmi"], kind="average", grid_resolution=10, method="brute")
assert abs(found["average"] - brute["average"]).max() < 20
boosted = HistGradientBoostingRegressor(max_iter=20, random_state=0).fit(X, y)
PartialDependenceDisplay.from_estimator(boosted, X, ["bmi", ("bmi", "bp")], grid_resolution=5)
PartialDependenceDisplay.from_estimator(
    forest, X, ["bmi"], kind="both", grid_resolution=5, subsample=20, random_state=0
)
