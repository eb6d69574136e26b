"""scikit-learn's classes in a model file: which are loaded, and what is checked of their state.

Compiled code of scikit-learn trusts the attributes of a fitted estimator. So a class is loaded only if it stands in the list
below, which holds those that hand their state to NumPy and SciPy (which check shapes) or whose state is checked here or in
`novum.persistence.sklearn_trees`. Others (support vector machines, neighbours, ...) are refused unless the caller names them in
`load(trusted=...)`. Of a class in the list:

    every attribute is a parameter, or one that the code of the class or its bases assigns;
    none hides a method or property; no attribute is a class, but for the number types that a `dtype` names;
    the parameters pass the class's own check;
    the indices that an encoder or a vocabulary writes into sparse rows stay inside the width it declares.
"""

import dis
from collections.abc import Callable, Iterable
from functools import cache
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from novum.base.sklearn_base import BaseEstimator
from novum.exceptions import FileFormatError, ParameterError
from novum.persistence.attributes import declared_attributes, is_ours

__all__ = ["check_companions", "check_name", "check_vocabulary", "is_companion", "names_of", "needs_trust"]

CHECKED = {  # package: classes
    "_loss": "HalfLogitLink IdentityLink Interval LogitLink LogLink MultinomialLogit AbsoluteError ExponentialLoss"
    " HalfBinomialLoss HalfGammaLoss HalfMultinomialLoss HalfPoissonLoss HalfSquaredError HuberLoss PinballLoss"
    " CyHalfBinomialLoss CyHalfSquaredError CyHalfMultinomialLoss CyHalfPoissonLoss CyHalfGammaLoss CyAbsoluteError"
    " CyPinballLoss CyHuberLoss CyExponentialLoss HalfSquaredLossIdentity HalfTweedieLoss HalfTweedieLossIdentity",
    "calibration": "CalibratedClassifierCV _CalibratedClassifier _SigmoidCalibration",
    "compose": "ColumnTransformer TransformedTargetRegressor _RemainderColsList",
    "cross_decomposition": "CCA PLSCanonical PLSRegression PLSSVD",
    "covariance": "EllipticEnvelope EmpiricalCovariance LedoitWolf MinCovDet OAS ShrunkCovariance",
    "decomposition": "FactorAnalysis FastICA IncrementalPCA KernelPCA PCA TruncatedSVD",
    "discriminant_analysis": "LinearDiscriminantAnalysis QuadraticDiscriminantAnalysis",
    "dummy": "DummyClassifier DummyRegressor",
    "ensemble": "AdaBoostClassifier AdaBoostRegressor BaggingClassifier BaggingRegressor ExtraTreesClassifier"
    " ExtraTreesRegressor HistGradientBoostingClassifier HistGradientBoostingRegressor IsolationForest"
    " RandomForestClassifier RandomForestRegressor RandomTreesEmbedding StackingClassifier StackingRegressor"
    " VotingClassifier VotingRegressor GradientBoostingClassifier GradientBoostingRegressor TreePredictor _BinMapper",
    "feature_extraction": "CountVectorizer DictVectorizer FeatureHasher HashingVectorizer TfidfTransformer TfidfVectorizer",
    "feature_selection": "GenericUnivariateSelect RFE RFECV SelectFdr SelectFpr SelectFromModel SelectFwe SelectKBest"
    " SelectPercentile SequentialFeatureSelector VarianceThreshold",
    "frozen": "FrozenEstimator",
    "impute": "KNNImputer MissingIndicator SimpleImputer IterativeImputer _ImputerTriplet",
    "kernel_approximation": "AdditiveChi2Sampler Nystroem RBFSampler SkewedChi2Sampler",
    "kernel_ridge": "KernelRidge",
    "linear_model": "ARDRegression BayesianRidge ElasticNet ElasticNetCV GammaRegressor HuberRegressor Lars LarsCV Lasso"
    " LassoCV LassoLars LassoLarsCV LassoLarsIC LinearRegression LogisticRegression LogisticRegressionCV"
    " MultiTaskElasticNet MultiTaskElasticNetCV MultiTaskLasso MultiTaskLassoCV OrthogonalMatchingPursuit"
    " OrthogonalMatchingPursuitCV PassiveAggressiveClassifier PassiveAggressiveRegressor Perceptron PoissonRegressor"
    " QuantileRegressor RANSACRegressor Ridge RidgeCV RidgeClassifier RidgeClassifierCV SGDClassifier SGDOneClassSVM"
    " SGDRegressor TheilSenRegressor TweedieRegressor",
    "mixture": "BayesianGaussianMixture GaussianMixture",
    "model_selection": "FixedThresholdClassifier GridSearchCV RandomizedSearchCV TunedThresholdClassifierCV KFold"
    " StratifiedKFold GroupKFold StratifiedGroupKFold TimeSeriesSplit LeaveOneOut",
    "multiclass": "OneVsOneClassifier OneVsRestClassifier OutputCodeClassifier _ConstantPredictor",
    "multioutput": "ClassifierChain MultiOutputClassifier MultiOutputRegressor RegressorChain",
    "naive_bayes": "BernoulliNB ComplementNB GaussianNB MultinomialNB",
    "neighbors": "NearestCentroid",
    "pipeline": "FeatureUnion Pipeline",
    "preprocessing": "Binarizer FunctionTransformer KBinsDiscretizer KernelCenterer LabelBinarizer LabelEncoder MaxAbsScaler"
    " MinMaxScaler Normalizer OneHotEncoder OrdinalEncoder PolynomialFeatures PowerTransformer QuantileTransformer"
    " RobustScaler StandardScaler TargetEncoder",
    "random_projection": "GaussianRandomProjection SparseRandomProjection",
    "metrics": "_PassthroughScorer",
    "svm": "LinearSVC LinearSVR",  # coefficients alone: they predict by NumPy
    "tree": "DecisionTreeClassifier DecisionTreeRegressor ExtraTreeClassifier ExtraTreeRegressor Tree",
    "utils": "Bunch MetadataRequest MethodMetadataRequest",
    "gaussian_process": "GaussianProcessClassifier GaussianProcessRegressor _BinaryGaussianProcessClassifierLaplace",
}
CHECKED_NAMES = {f"{package}.{name}" for package, names in CHECKED.items() for name in names.split()}
KERNELS = "sklearn.gaussian_process.kernels"
# Attributes that functions outside the classes assign; a study keeps what it knows of the columns with its pipeline.
ELSEWHERE = {
    "classes_",
    "novum_table_",
    "novum_memory_",
    "n_features_in_",
    "feature_names_in_",
    "n_outputs_",
    "_sklearn_version",
    "_metadata_request",
    "_sklearn_output_config",
}
NUMBER_TYPES = (np.generic, int, float, bool, str, object)


def names_of(trusted: Iterable[type | str]) -> set[str]:
    """Return the full names of the classes that a caller trusts."""
    if isinstance(trusted, str | type):
        trusted = [trusted]
    names = {f"{item.__module__}.{item.__qualname__}" if isinstance(item, type) else item for item in trusted}
    for name in names:
        if not isinstance(name, str) or not name.startswith("sklearn."):
            raise ParameterError(
                f"load(trusted=...): {str(name)[:80]!r} is not a class of scikit-learn. Give classes, as in"
                " trusted=[sklearn.svm.SVC], or their full names."
            )
    return names


def is_companion(module: str) -> bool:
    """Return whether a module is scikit-learn's."""
    return module.partition(".")[0] == "sklearn"


def needs_trust(module: str, name: str, trusted: set[str]) -> bool:
    """Return whether a class of scikit-learn is neither checked nor trusted by the caller."""
    if not is_companion(module) or f"{module}.{name}" in trusted or module == KERNELS:
        return False
    return f"{(module.split('.') + [''])[1]}.{name}" not in CHECKED_NAMES


def stored_names(code: CodeType) -> set[str]:
    """Return the attributes that a function, or one inside it, assigns."""
    names = {step.argval for step in dis.get_instructions(code) if step.opname == "STORE_ATTR"}
    return names.union(*(stored_names(inner) for inner in code.co_consts if isinstance(inner, CodeType)))


@cache
def declared_names(cls: type) -> frozenset[str]:
    """Return the attributes that a class declares: its parameters, and what its code and that of its bases assigns."""
    names = set(ELSEWHERE)
    for base in cls.__mro__:
        names |= set(getattr(base, "__annotations__", ())) | {
            constant for value in vars(base).values() for constant in setattr_names(function_of(value))
        }
        for value in vars(base).values():
            if (function := function_of(value)) is not None:
                names |= stored_names(function.__code__)
    if issubclass(cls, BaseEstimator):
        names |= set(cls._get_param_names())
    return frozenset(names)


def setattr_names(function: FunctionType | None) -> set[str]:
    """Return the names that a function may hand to setattr: its plain texts that are names, if it calls setattr at all."""
    if function is None or "setattr" not in function.__code__.co_names:
        return set()
    return {text for text in function.__code__.co_consts if isinstance(text, str) and text.isidentifier()}


def function_of(value: Any) -> FunctionType | None:
    """Return the function behind an entry of a class, also through decorators."""
    value = getattr(value, "fget", None) or getattr(value, "fn", None) or getattr(value, "__func__", None) or value
    while hasattr(value, "__wrapped__"):
        value = value.__wrapped__
    return value if isinstance(value, FunctionType) else None


def check_name(cls: type, name: Any) -> None:
    """Raise FileFormatError if an attribute of an instance would hide a method or a property of its class."""
    if not isinstance(name, str) or not name.isidentifier():
        raise FileFormatError(f"its {cls.__name__} has an attribute {str(name)[:80]!r}, which is no name")
    if name.startswith("__"):
        raise FileFormatError(f"its {cls.__name__} has an attribute {name[:80]!r}, which belongs to Python")
    behind = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)
    if behind is not None and (callable(behind) or hasattr(behind, "__get__")):
        raise FileFormatError(
            f"its {cls.__name__} has an attribute {name[:80]!r}, which would hide a method of that class"
        )


def check_companions(value: Any, trusted: set[str]) -> None:
    """Raise FileFormatError for the first object in a value, of whatever package, whose state is not what its class declares."""
    waiting, seen = [value], set()
    while waiting:
        item = waiting.pop()
        if id(item) in seen or isinstance(item, str | bytes | int | float):
            continue
        seen.add(id(item))
        if isinstance(item, dict):
            waiting += [*item.keys(), *item.values()]
        elif isinstance(item, list | tuple | set | frozenset):
            waiting += item
        elif isinstance(item, np.ndarray):
            waiting += item.ravel().tolist() if item.dtype == object else []
        elif not isinstance(item, type) and hasattr(item, "__dict__"):
            waiting += vars(item).values()
            if f"{type(item).__module__}.{type(item).__qualname__}" not in trusted:
                check_object(item)


def check_object(item: Any) -> None:
    """Check the attributes of one object."""
    cls, state = type(item), vars(item)
    ours = declared_attributes().get(cls.__name__, {}) if is_ours(item) else {}
    for name, held in state.items():
        if name not in ours:  # a distribution keeps a mean where its base has a method for it
            check_name(cls, name)
        if isinstance(held, type) and not ("dtype" in name and issubclass(held, NUMBER_TYPES)):
            raise FileFormatError(f"the attribute {name!r} of its {cls.__name__} is a class, not data")
        if is_companion(cls.__module__) and name not in declared_names(cls):  # type: ignore[arg-type]
            raise FileFormatError(
                f"its {cls.__name__} has an attribute {name[:80]!r}, which that class does not declare"
            )
    if is_companion(cls.__module__) and hasattr(item, "_parameter_constraints"):
        try:
            item._validate_params()
        except (ValueError, TypeError) as error:
            raise FileFormatError(
                f"its {cls.__name__} has parameters that the class refuses: {str(error)[:300]}"
            ) from error
    if check := CHECKS.get(cls.__name__):
        check(item)


def check_vocabulary(item: Any) -> None:
    """Raise FileFormatError unless the terms of a vocabulary have the places 0 to their number, less one, each once."""
    for name in ("vocabulary_", "vocabulary"):
        words = vars(item).get(name)
        if not isinstance(words, dict):
            continue
        places = list(words.values())
        whole = all(isinstance(place, int | np.integer) and not isinstance(place, bool) for place in places)
        if not whole or sorted(places) != list(range(len(places))):
            raise FileFormatError(f"the {name} of its {type(item).__name__} gives a term a column that is not there")


def check_one_hot(item: Any) -> None:
    """Raise FileFormatError unless every code of every category stays inside the columns of its feature."""
    state = vars(item)
    if "categories_" not in state:
        return
    try:
        categories, widths = state["categories_"], [int(width) for width in state["_n_features_outs"]]
        n = len(categories)
        nothing = [None] * n
        drop = state.get("_drop_idx_after_grouping")
        drop = nothing if drop is None else list(drop)
        rare, mapping = state.get("_infrequent_indices", nothing), state.get("_default_to_infrequent_mappings", nothing)
        if not n == len(widths) == len(drop) == len(rare) == len(mapping) == int(state["n_features_in_"]):
            raise FileFormatError("the columns of its OneHotEncoder do not fit together")
        for categories_of, width, dropped, rare_of, map_of in zip(categories, widths, drop, rare, mapping):
            codes = np.arange(len(categories_of))
            inside = rare_of is None or ((np.asarray(rare_of) >= 0) & (np.asarray(rare_of) < len(codes))).all()
            codes = codes if map_of is None else np.asarray(map_of)[codes].astype(np.int64)
            if dropped is not None:
                codes = codes[codes != dropped]
                codes = codes - (codes > dropped)
            if not inside or (codes < 0).any() or (codes >= width).any():
                raise FileFormatError("a category of its OneHotEncoder has a column that is not there")
    except (TypeError, ValueError, KeyError, IndexError) as error:
        raise FileFormatError(f"the state of its OneHotEncoder does not fit together: {error}") from error


CHECKS: dict[str, Callable[[Any], None]] = {
    "OneHotEncoder": check_one_hot,
    **dict.fromkeys(("CountVectorizer", "TfidfVectorizer", "DictVectorizer"), check_vocabulary),
}
