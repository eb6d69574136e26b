"""Selecting columns with a model inside."""

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_selection import RFE, RFECV, SelectFromModel, SequentialFeatureSelector
from sklearn.linear_model import LassoCV, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X = X.iloc[:200, :8]
y = y[:200]
assert RFE(SVC(kernel="linear"), n_features_to_select=3).fit(StandardScaler().fit_transform(X), y).support_.sum() == 3
RFECV(LogisticRegression(max_iter=5000), cv=3, step=3).fit(StandardScaler().fit_transform(X), y)
assert SelectFromModel(ExtraTreesClassifier(10, random_state=0)).fit(X, y).get_feature_names_out().size >= 1
SelectFromModel(LassoCV(cv=3), threshold="median").fit(X, y).transform(X)
SequentialFeatureSelector(LogisticRegression(max_iter=5000), n_features_to_select=2, cv=2).fit(
    StandardScaler().fit_transform(X), y
)
make_pipeline(StandardScaler(), SelectFromModel(LinearSVC(penalty="l1", dual=False, C=0.1)), LogisticRegression()).fit(
    X, y
)
