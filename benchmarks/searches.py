"""Cross-validation and grid search of a hundred fits on small tables by scikit-learn's own tools; quality: the best mean score."""

import warnings
from importlib import import_module

from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

from benchmarks.harness import Case
from benchmarks.small_tables import table

FOLDS = KFold(20, shuffle=True, random_state=0)
LEARNERS = (
    ("linear_model", "Ridge", "diabetes", {"alpha": [0.01, 0.1, 1.0, 10.0, 100.0]}),
    ("linear_model", "Lasso", "diabetes", {"alpha": [0.01, 0.1, 1.0, 10.0, 100.0]}),
    ("linear_model", "LogisticRegression", "iris", {"C": [0.01, 0.1, 1.0, 10.0, 100.0]}),
    ("tree", "DecisionTreeClassifier", "breast cancer", {"max_depth": [2, 3, 5, 8, None]}),
    ("neighbors", "KNeighborsClassifier", "iris", {"n_neighbors": [1, 3, 5, 9, 15]}),
    ("svm", "SVC", "breast cancer", {"C": [0.01, 0.1, 1.0, 10.0, 100.0]}),
    ("naive_bayes", "GaussianNB", "breast cancer", {"var_smoothing": [1e-9, 1e-8, 1e-7, 1e-6, 1e-5]}),
    ("discriminant_analysis", "LinearDiscriminantAnalysis", "breast cancer", {"tol": [1e-7, 1e-6, 1e-5, 1e-4, 1e-3]}),
)


def validation(cls, _):
    return lambda data: cross_val_score(cls(), *data, cv=FOLDS).mean()


def search(cls, grid):
    return lambda data: GridSearchCV(cls(), grid, cv=FOLDS).fit(*data).best_score_


def quietly(run):
    def of(data):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return run(data)

    return of


def cases():
    for family, name, chosen, grid in LEARNERS:
        for word, kind in (("20 folds", validation), ("grid of 100 fits", search)):
            contestants = {
                shown: quietly(kind(getattr(import_module(f"{library}.{family}"), name), grid))
                for shown, library in (("novum", "novum"), ("scikit-learn", "sklearn"))
            }
            yield Case(
                f"small: {name}, {word}, {chosen}",
                lambda _, chosen=chosen: table(chosen),
                contestants,
                lambda score, _: round(float(score), 3),
                (len(table(chosen)[0]),),
                {"scikit-learn": 1.5},
            )


CASES = list(cases())
