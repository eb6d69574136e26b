"""fit and predict of every estimator that scikit-learn has too, on tables of 150 to 569 rows: what searches do a thousand times.

Quality: accuracy or R2 on the table for what predicts, zero for the rest, whose results are compared elsewhere.
"""

import warnings
from functools import cache
from importlib import import_module
from inspect import signature

import numpy as np
from sklearn import datasets
from sklearn.metrics import accuracy_score, r2_score

from benchmarks.harness import Case

CLASSES = {
    "discriminant_analysis": "LinearDiscriminantAnalysis QuadraticDiscriminantAnalysis",
    "ensemble": "AdaBoostClassifier ExtraTreesClassifier HistGradientBoostingClassifier RandomForestClassifier",
    "gaussian_process": "GaussianProcessClassifier",
    "linear_model": "LogisticRegression LogisticRegressionCV Perceptron RidgeClassifier RidgeClassifierCV SGDClassifier",
    "naive_bayes": "BernoulliNB CategoricalNB ComplementNB GaussianNB MultinomialNB",
    "neighbors": "KNeighborsClassifier RadiusNeighborsClassifier",
    "neural_network": "MLPClassifier",
    "svm": "LinearSVC NuSVC SVC",
    "tree": "DecisionTreeClassifier ExtraTreeClassifier",
}
NUMBERS = {
    "ensemble": "AdaBoostRegressor ExtraTreesRegressor HistGradientBoostingRegressor RandomForestRegressor",
    "gaussian_process": "GaussianProcessRegressor",
    "kernel_ridge": "KernelRidge",
    "linear_model": (
        "ARDRegression BayesianRidge ElasticNet ElasticNetCV GammaRegressor HuberRegressor Lasso LassoCV LinearRegression"
        " MultiTaskElasticNet MultiTaskElasticNetCV MultiTaskLasso MultiTaskLassoCV PoissonRegressor QuantileRegressor Ridge"
        " RidgeCV SGDRegressor TweedieRegressor"
    ),
    "neighbors": "KNeighborsRegressor RadiusNeighborsRegressor",
    "neural_network": "MLPRegressor",
    "svm": "LinearSVR NuSVR SVR",
    "tree": "DecisionTreeRegressor ExtraTreeRegressor",
}
OTHERS = {
    "cluster": "AgglomerativeClustering DBSCAN HDBSCAN KMeans MiniBatchKMeans SpectralClustering",
    "decomposition": "FactorAnalysis FastICA IncrementalPCA KernelPCA PCA",
    "ensemble": "IsolationForest RandomTreesEmbedding",
    "kernel_approximation": "Nystroem RBFSampler",
    "manifold": "ClassicalMDS Isomap MDS",
    "mixture": "BayesianGaussianMixture GaussianMixture",
    "neighbors": "KernelDensity NearestNeighbors",
    "svm": "OneClassSVM",
}
OPTIONS = {  # the radius of all rows: with the default most of these have no neighbors; one start of MDS
    "RadiusNeighborsClassifier": {"radius": 1000.0},
    "RadiusNeighborsRegressor": {"radius": 1000.0},
    "MDS": {"n_init": 1, "init": "random"},
    "QuadraticDiscriminantAnalysis": {"reg_param": 0.01},  # columns of breast cancer differ by six orders of magnitude
}
TABLES = {"iris": datasets.load_iris, "diabetes": datasets.load_diabetes, "breast cancer": datasets.load_breast_cancer}


@cache
def table(name):
    return TABLES[name](return_X_y=True)


def data_of(estimator, name):
    """Return a table as an estimator takes it: counts, categories, positive or several targets."""

    def make(_):
        X, y = table(name)
        if estimator == "CategoricalNB":
            X = (np.median(X, axis=0) < X).astype(int)
        if estimator in ("ComplementNB", "MultinomialNB"):
            X = np.abs(X)
        if estimator == "GammaRegressor":
            y = y + 1.0
        return X, np.column_stack([y, y[::-1]]) if estimator.startswith("MultiTask") else y

    return make


def fit_and_predict(cls):
    options = OPTIONS.get(cls.__name__, {})
    if "random_state" in signature(cls).parameters:
        options = options | {"random_state": 0}

    def run(data):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of both: unscaled tables
            model = cls(**options).fit(*data)
            for method in ("predict", "transform", "score_samples", "kneighbors"):
                if hasattr(model, method):
                    return getattr(model, method)(data[0])
            return model.embedding_ if hasattr(model, "embedding_") else model.labels_

    return run


def cases(families, tables, quality):
    for family, names in families.items():
        for name in names.split():
            ours, theirs = (getattr(import_module(f"{library}.{family}"), name) for library in ("novum", "sklearn"))
            for chosen in tables:
                contestants = {"novum": fit_and_predict(ours), "scikit-learn": fit_and_predict(theirs)}
                rows = (len(table(chosen)[0]),)
                yield Case(
                    f"small: {name}, {chosen}", data_of(name, chosen), contestants, quality, rows, {"scikit-learn": 1.5}
                )


CASES = [
    *cases(CLASSES, ("iris", "breast cancer"), lambda found, data: round(float(accuracy_score(data[1], found)), 4)),
    *cases(NUMBERS, ("diabetes", "breast cancer"), lambda found, data: round(float(r2_score(data[1], found)), 4)),
    *cases(OTHERS, ("iris", "breast cancer"), lambda found, data: 0.0),
]
