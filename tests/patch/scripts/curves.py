"""ROC, precision-recall, DET, confusion and prediction-error displays."""

import matplotlib

matplotlib.use("Agg")
from sklearn.datasets import load_diabetes, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import (
    ConfusionMatrixDisplay,
    DetCurveDisplay,
    PrecisionRecallDisplay,
    PredictionErrorDisplay,
    RocCurveDisplay,
    classification_report,
    roc_auc_score,
)
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.svm import SVC

X, y = make_classification(n_samples=200, random_state=0)
for model in (LogisticRegression(), SVC(random_state=0), RandomForestClassifier(10, random_state=0)):
    model.fit(X, y)
    for display in (RocCurveDisplay, PrecisionRecallDisplay, DetCurveDisplay, ConfusionMatrixDisplay):
        display.from_estimator(model, X, y)
    print(classification_report(y, model.predict(X)))
assert roc_auc_score(y, LogisticRegression().fit(X, y).decision_function(X)) > 0.9
TunedThresholdClassifierCV(LogisticRegression(), scoring="f1", cv=3).fit(X, y).predict(X)
FixedThresholdClassifier(LogisticRegression(), threshold=0.3).fit(X, y).predict(X)
D, t = load_diabetes(return_X_y=True)
PredictionErrorDisplay.from_estimator(LinearRegression().fit(D, t), D, t)
