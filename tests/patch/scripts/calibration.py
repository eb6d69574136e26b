"""Calibrate classifiers; reliability display."""

import matplotlib

matplotlib.use("Agg")
from sklearn.calibration import CalibratedClassifierCV, CalibrationDisplay
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import brier_score_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

X, y = make_classification(n_samples=400, random_state=0)
for base in (GaussianNB(), LinearSVC()):
    for method in ("isotonic", "sigmoid"):
        model = CalibratedClassifierCV(base, method=method, cv=3).fit(X[:300], y[:300])
        assert brier_score_loss(y[300:], model.predict_proba(X[300:])[:, 1]) < 0.25
        CalibrationDisplay.from_estimator(model, X[300:], y[300:], n_bins=5)
fitted = GaussianNB().fit(X[:200], y[:200])
CalibratedClassifierCV(FrozenEstimator(fitted)).fit(X[200:], y[200:])
