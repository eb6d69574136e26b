"""What the contract tests need to know of an estimator that introspection cannot tell: small settings and data it can fit."""

import numpy as np
from numpy.testing import assert_allclose
from sklearn.base import is_classifier, is_regressor
from sklearn.utils.validation import check_is_fitted

from novum.base.discovery import all_estimators
from novum.distributions import Normal, NormalGamma
from novum.kernels import RBF, White
from novum.mixture import GaussianMixture
from novum.reinforcement import room_4x3
from novum.teaching.reinforcement.worlds import random_walk

# Quick settings that make a fit deterministic and its result comparable between equivalent data sets.
SETTINGS: dict[str, dict] = {
    "KMeans": {
        "n_clusters": 3,
        "n_init": 1,
        "random_state": 0,
        "init": np.array([[-3.0, 0, 0], [0, 3.0, 0], [3.0, 0, 0]]),
    },
    "LogisticRegressionCV": {
        "Cs": [1.0],
        "cv": 2,
        "tol": 1e-12,
    },  # one penalty: then folds do not matter for the coefficients
    "RadialBasis": {"centers": np.array([[-3.0, 0, 0], [0, 3.0, 0], [3.0, 0, 0]])},
    "GaussianMixture": {
        "n_components": 3,
        "weights_init": np.full(3, 1 / 3),
        "means_init": np.array([[-3.0, 0, 0], [0, 3.0, 0], [3.0, 0, 0]]),
        "precisions_init": np.stack([np.eye(3)] * 3),
    },
    "MiniBatchKMeans": {
        "n_clusters": 3,
        "random_state": 0,
        "init": np.array([[-3.0, 0, 0], [0, 3.0, 0], [3.0, 0, 0]]),
    },
    "KMedoids": {"n_clusters": 3, "init": "build"},
    "DivisiveClustering": {"n_clusters": 3, "random_state": 0},
    "SpectralClustering": {"n_clusters": 3, "gamma": 0.01, "random_state": 0},
    "DBSCAN": {"eps": 2.0},
    "BayesianGaussianMixture": {"random_state": 0},
    "StabilitySelection": {"n_pairs": 2, "n_selected": 2},
    "RadiusNeighborsClassifier": {"outlier_label": 0, "radius": 4.0},
    "RadiusNeighborsRegressor": {"radius": 4.0},
    "SGDClassifier": {"random_state": 0},
    "SGDRegressor": {"random_state": 0},
    "NoveltyDetector": {"density": GaussianMixture(random_state=0)},
    "BernoulliMixture": {"n_components": 2, "probabilities_init": np.array([[0.3, 0.5, 0.7], [0.6, 0.5, 0.4]])},
    "ElasticNetCV": {"alphas": [0.1]},  # folds are runs of rows: repetition moves rows between them, and so the choice
    # a leaf counts rows, so that only leaves of single rows see weights and repetition alike
    "HistGradientBoostingClassifier": {"max_iter": 4, "min_samples_leaf": 1, "random_state": 0},
    "HistGradientBoostingRegressor": {"max_iter": 4, "min_samples_leaf": 1, "random_state": 0},
    "KernelPCA": {"n_components": 2, "random_state": 0},
    "Nystroem": {"n_components": 3, "random_state": 0},
    "RBFNetwork": {"centers": np.array([[-3.0, 0, 0], [0, 3.0, 0], [3.0, 0, 0]])},
    "RBFSampler": {"random_state": 0},
    "LassoCV": {"alphas": [0.1]},
    "MultipleKernelLearning": {
        "tol": 10.0
    },  # the first weights: every further step solves a quadratic programme per class
    "AdaBoostClassifier": {"n_estimators": 4},
    "AdaBoostRegressor": {"n_estimators": 4, "random_state": 0},
    "ExtraTreesClassifier": {"n_estimators": 5, "random_state": 0},
    "ExtraTreesRegressor": {"n_estimators": 5, "random_state": 0},
    "IsolationForest": {"n_estimators": 5, "random_state": 0},
    "RandomForestClassifier": {"n_estimators": 5, "random_state": 0, "bootstrap": False},  # draws are by row
    "RandomForestRegressor": {"n_estimators": 5, "random_state": 0, "bootstrap": False},
    "RandomTreesEmbedding": {"n_estimators": 5, "random_state": 0, "sparse_output": False},
    "MixtureOfExperts": {"n_experts": 1, "n_init": 1},
    "MultiTaskElasticNetCV": {"alphas": [0.1]},
    "MultiTaskLassoCV": {"alphas": [0.1]},
    "QuadraticDiscriminantAnalysis": {"reg_param": 0.1},
    "ExtraTreeClassifier": {"random_state": 0},
    "ExtraTreeRegressor": {"random_state": 0},
    "LogTargetRegressor": {"cv": None},  # folds are drawn by row
    "TemperatureScaledClassifier": {"temperature": 2.0},  # the same
    "ConformalClassifier": {"random_state": 0},
    "ConformalRegressor": {"random_state": 0},
    "CategoricalNB": {"min_categories": 40},
    "JointTableClassifier": {"min_categories": 40},
    "GenerativeClassifier": {"estimation": "map", "prior": NormalGamma(0.0, 0.01, 2.0, 0.1)},
    "Mixture": {"components": [Normal([-3.0, 0, 0], [1.0, 1, 1]), Normal([2.0, 1, 0], [1.0, 2, 1])]},
}

MACHINES = ("NuSVC", "NuSVR", "OneClassSVM", "SVC", "SVR")
LINEAR_MACHINES = ("LinearSVC", "LinearSVR")
SETTINGS |= {name: {"tol": 1e-12} for name in MACHINES}  # at the default an optimum is known to three digits
SETTINGS["LinearSVC"] = {"tol": 1e-12}
SETTINGS["LinearSVR"] = {"tol": 1e-12, "loss": "squared_epsilon_insensitive"}

SETTINGS["GaussianProcessRegressor"] = {"kernel": 4.0 * RBF(2.0) + White(1.0), "optimizer": None}

SETTINGS["SparseGaussianProcessRegressor"] = {
    "kernel": 4.0 * RBF(5.0),
    "n_inducing": 50,
    "noise_level": 0.1,
    "optimizer": None,
    "random_state": 0,
}

SETTINGS |= {
    "FastICA": {"random_state": 0, "fun": "cube", "tol": 1e-10, "max_iter": 1000},
    "ICA": {"density": "sech"},  # of columns that are nearly normal the kind of a source hangs on single rows
    "MDS": {"init": "classical_mds", "eps": 1e-12, "max_iter": 3000},
    "Isomap": {"n_neighbors": 20},
    "SelfOrganizingMap": {"n_rows": 3, "n_columns": 2},
    "PrincipalCurve": {"span": 0.2, "n_corners": 20, "tol": 1e-10, "max_iter": 1000},
}

SETTINGS |= {  # one batch of all rows, in order: then weights are repetition
    "RestrictedBoltzmannMachine": {
        "n_components": 2,
        "visible": "gaussian",
        "noise": 1.0,
        "batch_size": 1000,
        "max_epochs": 2,
        "shuffle": False,
        "random_state": 0,
    },
    "DeepBoltzmannMachine": {
        "n_components": (2, 2),
        "batch_size": 5000,
        "pretrain_epochs": 1,
        "max_epochs": 1,
        "random_state": 0,
    },
}
SETTINGS |= {
    name: {
        "solver": "lbfgs",
        "hidden_layer_sizes": (2,),
        "activation": "tanh",
        "alpha": 20.0,
        "tol": 1e-2,
        "max_iter": 2000,
        "random_state": 0,
    }
    for name in ("MLPClassifier", "MLPRegressor")
}
SETTINGS["FeedForwardGraph"] = {
    "hidden": {"hidden": 2},
    "alpha": 20.0,
    "tol": 1e-2,
    "max_iter": 2000,
    "random_state": 0,
}

PAIRWISE = {
    "FeedForwardGraph",
    "MLPClassifier",
    "MLPRegressor",
    "ClassicalMDS",
    "MDS",
    "Isomap",
    "AgglomerativeClustering",
    "DBSCAN",
    "HDBSCAN",
    "KMedoids",
    "SpectralClustering",
    "GaussianProcessClassifier",
    "GaussianProcessRegressor",
    "SparseGaussianProcessRegressor",
    "KernelDensity",
    "KernelPCA",
    "KernelPerceptron",
    "KernelRidge",
    "MetricLearner",
    "MultipleKernelLearning",
    "NadarayaWatson",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "SVC",
    "SVR",
}  # learners that compare every row with every other, or that are not made for many
# Learners whose steps are taken row by row: three steps are not one step three times as long, so weights are no repetition.
STEPPING = ("Perceptron", "SGDClassifier", "SGDRegressor")
RESAMPLING = (
    "AdaBoostRegressor",
    "DeepBoltzmannMachine",
    "IsolationForest",
    "MiniBatchKMeans",
)  # learners that draw rows by weight, or their order: a row given twice is drawn by two numbers

# Learners that round every row to a share of the largest before they add them up: the share depends on the weights.
ROUNDED = {
    "HistGradientBoostingClassifier": 1e-7,
    "HistGradientBoostingRegressor": 1e-7,
    **dict.fromkeys(MACHINES, 1e-7),
}
ROUNDED |= dict.fromkeys(
    ("FeedForwardGraph", "MLPClassifier", "MLPRegressor"), 1e-5
)  # rounding grows from step to step
ROUNDED["MultipleKernelLearning"] = 1e-7  # its quadratic programmes are solved to a relative gap of 1e-10

# scikit-learn's checks that cannot hold, each with its reason; scikit-learn expects the same failures of its own class.
DRAWN = (
    "a start is drawn by row: rows that are repeated or removed change it; from a given start weights equal repetition"
)
FOLDED = "rows that are repeated or removed fall into other folds (as of scikit-learn's CalibratedClassifierCV)"
STEPS = "a row of weight two is one long step, a row given twice two steps"
# Settings under which the checks run once more, since their data are beyond the defaults: scikit-learn too tests its class
# with cv=3, and a regularised covariance needs no more rows than features.
CONFIGURED: dict[str, dict] = {"LogisticRegressionCV": {"cv": 3}, "QuadraticDiscriminantAnalysis": {"reg_param": 0.1}}
CONFIGURED |= {name: {"tol": 1e-12} for name in MACHINES}
CONFIGURED |= {
    name: SETTINGS[name] for name in (*LINEAR_MACHINES, "GaussianProcessRegressor", "SparseGaussianProcessRegressor")
}
WEIGHT_CHECKS = ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")
CONFIGURED_FAILURES = {
    "SVC": {"check_class_weight_classifiers": "a thousand steps do not reach tol=1e-12; holds at the default"},
    "NuSVC": dict.fromkeys(
        (*WEIGHT_CHECKS, "check_class_weight_classifiers"),
        "the weights of the check leave no feasible nu (scikit-learn's class fails here too)",
    ),
    "OneClassSVM": dict.fromkeys(
        (*WEIGHT_CHECKS, "check_outliers_train"),
        "free support vectors lie on the boundary, where rounding decides their side",
    ),
    "QuadraticDiscriminantAnalysis": {
        "check_sample_weight_equivalence_on_dense_data": "without the rows of weight zero a class has one row: no covariance"
    },
}
CLOSE = "the solver stops within tol of the optimum, from either side; with tol=1e-12 the check holds"
AT_BOUNDS = (
    "hyper-parameters of targets that are noise end at their bounds, and the warning that says so is an error here"
)
WORSE_THAN_NONE = (
    "columns of size 100, not scaled: the network ends worse than a constant, and the warning is an error here"
)
SINGULAR = "rows of a class are equal or fewer than the features: scikit-learn's class refuses these data too (it takes no weights)"
EXPECTED_FAILURES: dict[str, dict[str, str]] = {
    "QuadraticDiscriminantAnalysis": dict.fromkeys(
        (
            "check_sample_weights_shape",
            "check_sample_weights_not_overwritten",
            "check_sample_weight_equivalence_on_dense_data",
        ),
        SINGULAR,
    ),
    **{name: dict.fromkeys(WEIGHT_CHECKS, DRAWN) for name in ("KMedoids", "MiniBatchKMeans")},
    "KMeans": dict.fromkeys(
        (
            "check_sample_weight_equivalence_on_dense_data",
            "check_sample_weight_equivalence_on_sparse_data",
        ),
        DRAWN,
    ),
    "LogisticRegressionCV": {
        "check_sparsify_coefficients": "four rows of a class cannot make five folds; holds with cv=3"
    },
    **{
        name: dict.fromkeys(
            ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"), CLOSE
        )
        for name in (*MACHINES, *LINEAR_MACHINES)
    },
    "NuSVC": dict.fromkeys((*WEIGHT_CHECKS, "check_class_weight_classifiers"), "no feasible nu for these weights"),
    "LinearSVR": dict.fromkeys(
        (
            *WEIGHT_CHECKS,
            "check_positive_only_tag_during_fit",
            "check_regressors_train",
            "check_supervised_y_2d",
            "check_non_transformer_estimators_n_iter",
            "check_fit_idempotent",
            "check_fit_check_is_fitted",
            "check_n_features_in",
        ),
        "absolute errors take the dual more than max_iter epochs, as in LIBLINEAR, and the warning that says so is an error here",
    ),
    "GaussianProcessRegressor": dict.fromkeys(
        (
            "check_positive_only_tag_during_fit",
            "check_fit_idempotent",
            "check_fit_check_is_fitted",
            "check_regressor_multioutput",
            "check_n_features_in",
            "check_supervised_y_2d",
        ),
        AT_BOUNDS,
    ),
    "SparseGaussianProcessRegressor": dict.fromkeys(
        (
            "check_regressor_data_not_an_array",
            "check_regressor_multioutput",
            "check_fit_idempotent",
            "check_n_features_in",
        ),
        AT_BOUNDS,
    ),
    **{
        name: dict.fromkeys(
            ("check_fit_idempotent", "check_fit_check_is_fitted", "check_n_features_in"), WORSE_THAN_NONE
        )
        for name in ("MLPClassifier", "MLPRegressor")
    },
    "RestrictedBoltzmannMachine": dict.fromkeys(WEIGHT_CHECKS, DRAWN),
    **{name: dict.fromkeys(WEIGHT_CHECKS, FOLDED) for name in ("LogTargetRegressor", "TemperatureScaledClassifier")},
    "LastValues": dict.fromkeys(
        ("check_transformer_general", "check_transformer_data_not_an_array"),
        "training rows get what was known before them, new rows what was known at the end",
    ),
    "LevelMeans": dict.fromkeys(
        ("check_transformer_general", "check_transformer_data_not_an_array"),
        "training rows get the means of rows in other folds, new rows those of all",
    ),
    "RadialBasis": {"check_sample_weight_equivalence_on_dense_data": DRAWN},
    "RBFNetwork": {"check_sample_weight_equivalence_on_dense_data": DRAWN},
    "Mixture": {"check_sample_weight_equivalence_on_dense_data": DRAWN},
    "RidgeClassifier": {"check_non_transformer_estimators_n_iter": "an exact solve has no iterations: n_iter_ is None"},
    **{
        name: dict.fromkeys(
            ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"), STEPS
        )
        for name in STEPPING
    },
    **{
        name: dict.fromkeys(
            ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"), DRAWN
        )
        for name in (*RESAMPLING, "RandomForestClassifier", "RandomForestRegressor")
    },
    "HuberRegressor": {
        "check_sample_weight_equivalence_on_dense_data": "more columns than rows: the scale vanishes, and the minimum is flat",
        "check_sample_weight_equivalence_on_sparse_data": "more columns than rows: the scale vanishes, and the minimum is flat",
        "check_sample_weights_not_overwritten": "the same: it warns that it has not converged",
    },
    "Ridge": {"check_non_transformer_estimators_n_iter": "an exact solve has no iterations: n_iter_ is None"},
}


def estimators():
    """Return an instance of every public estimator that takes tables, at its defaults."""
    fitting = [cls for _, cls in all_estimators() if hasattr(cls, "fit")]  # samplers have none
    found = [cls() for cls in fitting if not getattr(cls, "_needs_torch", False)]
    return [estimator for estimator in found if estimator.__sklearn_tags__().input_tags.two_d_array]


def configured():
    """Return the estimators that are checked under a setting beside their defaults."""
    return [cls(**CONFIGURED[name]) for name, cls in all_estimators() if name in CONFIGURED]


def expected_failures(estimator):
    """Return the checks that cannot hold for an estimator, by name, with their reasons."""
    name = type(estimator).__name__
    given = estimator.get_params(deep=False)
    if name in CONFIGURED and all(given[key] == value for key, value in CONFIGURED[name].items()):
        return CONFIGURED_FAILURES.get(name, {})
    return EXPECTED_FAILURES.get(name, {})


def quick(estimator):
    """Return a copy of the estimator with its quick settings."""
    return type(estimator)(**{**estimator.get_params(deep=False), **SETTINGS.get(type(estimator).__name__, {})})


def data(estimator, n=120, seed=0):
    """Return X (n, 3) and a target that fits the estimator's kind, or None."""
    rng = np.random.default_rng(seed)
    centre = rng.integers(3, size=n)
    X = rng.normal(size=(n, 3)) + np.array([[-3.0, 0, 0], [0, 3.0, 0], [3.0, 0, 0]])[centre]
    if estimator.__sklearn_tags__().input_tags.positive_only:
        X = np.abs(X)
    if type(estimator).__name__ == "DeepBoltzmannMachine":
        X = (X > 0).astype(float)
    if is_classifier(estimator):
        return X, centre
    if is_regressor(estimator):
        y = X @ [1.0, -2, 0.5] + rng.normal(size=n)
        if estimator.__sklearn_tags__().target_tags.positive_only:
            y = np.exp(0.2 * y)
        single = estimator.__sklearn_tags__().target_tags.single_output
        return X, y if single else np.column_stack([y, X @ [0.5, 1, 1] + rng.normal(size=n)])
    return X, centre if estimator.__sklearn_tags__().target_tags.required else None


def without_a_table():
    """Return (name, arguments of `fit`) of every estimator that takes something else than a table."""
    rng = np.random.default_rng(0)
    moving = ([rng.normal(size=(8, 2)) + k % 2 for k in range(10)],)
    codes = ([rng.integers(0, 3, size=10) for _ in range(8)],)
    texts = (["one two three", "two three", "three four one"] * 5,)
    kinds = {
        "CategoricalHMM MarkovChain MultinomialHMM PoissonHMM VariationalCategoricalHMM": codes,
        "GMMHMM GaussianHMM HiddenMarkovModel LinearDynamicalSystem VariationalGaussianHMM": moving,
        "CountVectorizer HashingVectorizer TfidfVectorizer": texts,
        "ADP ExpectedSARSA MonteCarloControl QLearning SARSA SemiGradientSARSA SemiGradientTD": (room_4x3(),),
        "MonteCarloPrediction TD": (random_walk(),),
        "ChowLiu ExactSearch HillClimb PC StructurePosterior": (rng.integers(0, 2, size=(60, 4)),),
        "FindS": ([["sunny", "warm"], ["rainy", "warm"], ["sunny", "cold"]], [1, 0, 1]),
    }
    return [(name, args) for names, args in kinds.items() for name in names.split()]


def briefly(name):
    """Return an estimator by its name, at its defaults but for few passes and episodes."""
    short = {"n_episodes": 50, "max_steps": 200, "max_epochs": 5, "max_iter": 20}
    model = dict(all_estimators())[name]()
    return model.set_params(**{key: value for key, value in short.items() if key in model.get_params(deep=False)})


def many_rows(estimator):
    """Return enough rows for several blocks, or what a learner that compares all pairs of rows can bear."""
    return 500 if type(estimator).__name__ in PAIRWISE else 200_000


def learned(estimator):
    """Return the fitted numeric attributes by name."""
    found = {}
    for name, value in vars(estimator).items():
        numeric = isinstance(value, np.ndarray | float | int | np.number) and np.asarray(value).dtype.kind in "fiu"
        if numeric and name.endswith("_") and not name.startswith("_"):
            found[name] = np.asarray(value)
    return found


# Clusterers that label the rows they were fitted on and no others. In DBSCAN a weight is what a row adds to the density around it:
# one without any still gets its label.
TRANSDUCTIVE = ("AgglomerativeClustering", "DBSCAN", "DivisiveClustering", "HDBSCAN", "SpectralClustering")


def outputs(estimator, X, without=()):
    """Return what the fitted estimator says about X, by method."""
    if type(estimator).__name__ in TRANSDUCTIVE:
        check_is_fitted(estimator)
        return {"labels": estimator.labels_}
    methods = ("predict", "predict_proba", "transform", "score_samples", "decision_function")
    found = {name: getattr(estimator, name)(X) for name in methods if hasattr(estimator, name) and name not in without}
    if hasattr(estimator, "kneighbors"):
        found["kneighbors"] = estimator.kneighbors(X, return_distance=False)
    return found


def same(a, b, **tolerance):
    assert a.keys() == b.keys() and a
    for name in a:
        if np.asarray(a[name]).dtype.kind in "fiu":
            assert_allclose(a[name], b[name], **tolerance, err_msg=name)
        else:
            assert np.array_equal(a[name], b[name]), name
