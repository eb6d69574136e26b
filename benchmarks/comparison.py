"""Five models on ten shared folds against a loop of scikit-learn's cross_val_score, both on all cores; quality: the mean scores."""

import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import StratifiedKFold, cross_val_score

from benchmarks.harness import Case
from novum.ensemble import RandomForestClassifier
from novum.evaluation import compare
from novum.linear_model import LogisticRegression
from novum.naive_bayes import GaussianNB
from novum.neighbors import KNeighborsClassifier
from novum.tree import DecisionTreeClassifier

FOLDS = StratifiedKFold(10, shuffle=True, random_state=0)


def models():
    return {
        "logistic": LogisticRegression(),
        "naive Bayes": GaussianNB(),
        "tree": DecisionTreeClassifier(random_state=0),
        "forest": RandomForestClassifier(60, random_state=0),
        "neighbors": KNeighborsClassifier(),
    }


def make(n):
    return make_classification(n, 30, n_informative=10, random_state=0)


def ours(data):
    return compare(models(), *data, cv=FOLDS, n_jobs=-1).scores


def loop(data):
    return np.column_stack([cross_val_score(model, *data, cv=FOLDS, n_jobs=-1) for model in models().values()])


def mean_score(scores, data):
    return float(f"{scores.mean():.6g}")


CASES = [
    Case(
        "compare five models, ten folds",
        make,
        {"novum": ours, "scikit-learn": loop},
        mean_score,
        (10_000, 20_000, 40_000),
        {"scikit-learn": 0.9},
    )
]
