"""
Confidence intervals: how sure is a score?
==========================================

Two models on the same test rows: scores with intervals, the ROC curve with its band, and whether the probabilities can be
believed (:doc:`/theory/scores`).
"""

import warnings

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from novum.evaluation import RocCurveDisplay, calibration, delong_test, evaluate, holdout_split
from novum.naive_bayes import GaussianNB
from novum.tree import DecisionTreeClassifier

X, y = load_breast_cancer(return_X_y=True)
X, new, y, truth = holdout_split(X, y, sizes=(0.6, 0.4), stratify=y, random_state=0)
warnings.filterwarnings("ignore", "evaluate_predictions: interval of")  # the notes of a report say which to doubt
models = {"naive Bayes": GaussianNB().fit(X, y), "tree": DecisionTreeClassifier(max_depth=4).fit(X, y)}
for name, model in models.items():
    print(name, evaluate(model, new, truth), sep="\n", end="\n\n")
test = delong_test(truth, *(model.predict_proba(new)[:, 1] for model in models.values()))
print(f"areas {test.areas[0]:.3f} and {test.areas[1]:.3f}, DeLong's paired test: p = {test.p_value:.3f}")

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
for (name, model), color in zip(models.items(), ("#33415c", "#d1495b")):
    RocCurveDisplay.from_estimator(model, new, truth, name=name, ax=left, curve_kwargs={"color": color})
calibration(truth, models["naive Bayes"].predict_proba(new)).plot(middle)
evaluate(models["naive Bayes"], new, truth).plot(right)
plt.show()
