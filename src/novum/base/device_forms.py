"""Which estimators pass over a tensor on a GPU where it lies; all others refuse it by name instead of copying rows in silence.

    all           fit and predictions leave every row on the device; sums and chosen rows (starts, landmarks) cross
    predictions   a model fitted in memory answers rows on a device there

`tests/contract/test_device_crossings.py` holds every line, and `tools/homes.py` writes it into the guide.
"""

from functools import cache
from typing import Any

from novum.exceptions import DataError
from novum.runtime import arrays, devices

__all__ = ["ALL", "PREDICTIONS", "check_fit_on_device", "check_rows_on_device", "form_of", "is_elsewhere"]

ALL = {
    *("DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier", "ExtraTreeRegressor"),
    *("ExtraTreesClassifier", "ExtraTreesRegressor", "RandomForestClassifier", "RandomForestRegressor"),
    *("ARDRegression", "BayesianGaussianMixture", "BayesianLinearRegression", "BayesianRidge", "BernoulliMixture"),
    *("BernoulliNB", "CategoricalHMM", "ComplementNB", "DropDependentFeatures", "ElasticNet", "ElasticNetCV"),
    *("FactorAnalysis", "GaussianBasis", "GaussianHMM", "GaussianMixture", "GaussianNB", "GaussianProcessRegressor"),
    *("HistGradientBoostingClassifier", "HistGradientBoostingRegressor", "IncrementalPCA", "KMeans"),
    *("KNeighborsClassifier", "KNeighborsRegressor", "KernelPCA", "KernelRidge", "Lasso", "LassoCV"),
    *("LeastSquaresClassifier", "LinearDiscriminantAnalysis", "LinearRegression", "LogisticRegression"),
    *("MLPClassifier", "MLPRegressor", "Mixture"),
    *("MultiTaskElasticNet", "MultiTaskElasticNetCV", "MultiTaskLasso", "MultiTaskLassoCV", "MultinomialNB"),
    *("NearestNeighbors", "Nystroem", "PCA", "PolarFeatures", "ProbabilisticPCA", "QuadraticDiscriminantAnalysis"),
    *("RBFSampler", "RadialBasis", "RadiusNeighborsClassifier", "RadiusNeighborsRegressor", "Ridge", "RidgeCV"),
    *("RidgeClassifier", "RidgeClassifierCV", "SigmoidBasis"),
}
PREDICTIONS = {
    *("BayesianModelAveraging", "ConformalRegressor", "FastICA", "GammaRegressor", "HuberRegressor", "KernelDensity"),
    *("LinearSVC", "LinearSVR", "LogisticRegressionCV", "MiniBatchKMeans", "MixedNB", "NadarayaWatson"),
    *("NoveltyDetector", "NuSVC", "NuSVR", "OneClassSVM", "Perceptron", "PoissonRegressor", "QuantileRegressor"),
    *("SGDClassifier", "SGDRegressor", "SVC", "SVR", "SparseGaussianProcessRegressor"),
    *("StabilitySelection", "TweedieRegressor"),
}


@cache
def form_of(cls: Any) -> str:
    """Return "all" or "predictions", or nothing for an estimator that computes on the processor alone."""
    ours = next(one.__name__ for one in cls.__mro__ if one.__module__.startswith("novum."))
    for form, names in (("all", ALL), ("predictions", PREDICTIONS)):
        if ours in names:
            return form
    return "all" if getattr(cls, "_rows_stay", False) else ""  # networks on PyTorch whose rows are a table


def is_elsewhere(X: Any) -> bool:
    """Return whether X is a tensor, or a list of tensors, that NumPy cannot read."""
    first = X[0] if isinstance(X, list | tuple) and len(X) else X
    return arrays.is_tensor(first) and not devices.on_host(first)


def check_fit_on_device(estimator: Any, X: Any) -> None:
    """Raise where an estimator that is fitted in the memory of the processor is given a tensor on a device."""
    kind: Any = type(estimator)
    form, owner = form_of(kind), kind.__name__
    if form == "all" or not is_elsewhere(X):
        return
    after = ", whose predictions take tensors on a device" if form else ""
    raise DataError(f"{owner}{after} is fitted in the memory of the processor, and X is on a device; give X.cpu().")


def check_rows_on_device(estimator: Any, on_device: bool) -> None:
    """Raise where an estimator that answers in the memory of the processor is asked about rows on a device."""
    kind: Any = type(estimator)
    if on_device and not form_of(kind):
        raise DataError(f"{kind.__name__} answers in the memory of the processor, and X is on a device; give X.cpu().")
