"""Grid, random and halving search over pipelines with columns of two kinds."""

import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, RandomizedSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

X, y = load_iris(return_X_y=True, as_frame=True)
X["kind"] = pd.Series(["a", "b", "c"] * 50)
prepare = ColumnTransformer([("numbers", StandardScaler(), list(X.columns[:4])), ("words", OneHotEncoder(), ["kind"])])
pipe = Pipeline([("prepare", prepare), ("clf", SVC())])
grid = GridSearchCV(
    pipe, [{"clf": [SVC()], "clf__C": [1, 10]}, {"clf": [LogisticRegression()], "clf__C": [0.1, 1]}], cv=3
).fit(X, y)
assert grid.best_score_ > 0.9 and grid.best_estimator_.predict(X).shape == (150,)
RandomizedSearchCV(pipe, {"clf__C": [0.1, 1, 10]}, n_iter=2, cv=3, random_state=0).fit(X, y)
HalvingGridSearchCV(pipe, {"clf__C": [0.1, 1, 10]}, cv=3, random_state=0, min_resources=60).fit(X, y)
