"""Voting, stacking, bagging, boosting around other estimators; multi-class and multi-output wrappers."""

from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC, LinearSVR
from sklearn.tree import DecisionTreeClassifier

X, y = load_iris(return_X_y=True)
parts = [
    ("lr", LogisticRegression(max_iter=1000)),
    ("rf", RandomForestClassifier(10, random_state=0)),
    ("nb", GaussianNB()),
]
assert VotingClassifier(parts, voting="soft").fit(X, y).score(X, y) > 0.9
assert StackingClassifier(parts, final_estimator=LogisticRegression(), cv=3).fit(X, y).score(X, y) > 0.9
assert BaggingClassifier(DecisionTreeClassifier(), 5, oob_score=False, random_state=0).fit(X, y).score(X, y) > 0.9
assert AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=20).fit(X, y).score(X, y) > 0.8
assert OneVsRestClassifier(SVC()).fit(X, y).score(X, y) > 0.9 and OneVsOneClassifier(SVC()).fit(X, y).score(X, y) > 0.9
D, t = load_diabetes(return_X_y=True)
StackingRegressor(
    [("a", RidgeCV()), ("b", LinearSVR(max_iter=10_000, random_state=0))], RandomForestRegressor(5), cv=2
).fit(D[:150], t[:150])
MultiOutputRegressor(RidgeCV()).fit(D, [[a, -a] for a in t])
ClassifierChain(LogisticRegression()).fit(X, [[a > 0, a > 1] for a in y])
