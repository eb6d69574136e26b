"""scikit-learn's own checks over every public estimator, with their number asserted: a skipped estimator would not go unseen."""

import pytest
from contract.cases import configured, estimators, expected_failures
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

CHECKS = {  # by class, scikit-learn 1.9
    **dict.fromkeys(
        ("GammaRegressor", "HuberRegressor", "PoissonRegressor", "QuantileRegressor", "TweedieRegressor"), 60
    ),
    "ExtraTreesClassifier": 68,
    "ExtraTreesRegressor": 60,
    "IsolationForest": 54,
    "RandomForestClassifier": 68,
    "RandomForestRegressor": 60,
    "RandomTreesEmbedding": 54,
    "ARDRegression": 59,
    "AdaBoostClassifier": 62,
    "AdaBoostRegressor": 59,
    "BayesianModelAveraging": 52,
    "MixtureOfExperts": 59,
    "MultiTaskElasticNet": 60,
    "MultiTaskElasticNetCV": 60,
    "MultiTaskLasso": 60,
    "MultiTaskLassoCV": 60,
    "BayesianGaussianMixture": 47,
    "BayesianLinearRegression": 59,
    "BayesianNetworkClassifier": 61,
    "BayesianRidge": 59,
    "BernoulliMixture": 47,
    "ConformalClassifier": 55,
    "ConformalRegressor": 52,
    "DecisionTreeClassifier": 68,
    "DecisionTreeRegressor": 60,
    "DropDependentFeatures": 54,
    "ElasticNet": 61,
    "ElasticNetCV": 60,
    "ExtraTreeClassifier": 68,
    "ExtraTreeRegressor": 60,
    "FactorAnalysis": 53,
    "FastICA": 54,
    "GaussianBasis": 54,
    "GaussianMixture": 47,
    "GaussianNB": 62,
    "GaussianProcessClassifier": 55,
    "GaussianProcessRegressor": 52,
    "HistGradientBoostingClassifier": 62,
    "HistGradientBoostingRegressor": 58,
    "ICA": 54,
    "IncrementalPCA": 55,
    "Isomap": 46,
    "AgglomerativeClustering": 46,
    "DBSCAN": 54,
    "DivisiveClustering": 53,
    "HDBSCAN": 45,
    "KMeans": 59,
    "KMedoids": 59,
    "MiniBatchKMeans": 59,
    "SpectralClustering": 46,
    "KNeighborsClassifier": 60,
    "KNeighborsRegressor": 53,
    "KernelDensity": 48,
    "KernelPCA": 46,
    "KernelPerceptron": 55,
    "KernelRidge": 61,
    "Lasso": 61,
    "LassoCV": 60,
    "LeastSquaresClassifier": 64,
    "LinearRegression": 61,
    "LinearSVC": 65,
    "LinearSVR": 61,
    "LogisticRegression": 65,
    "LogisticRegressionCV": 65,
    "FeedForwardGraph": 60,
    "MLPClassifier": 67,
    "MLPRegressor": 60,
    "ClassicalMDS": 45,
    "MDS": 45,
    "MetricLearner": 48,
    "Mixture": 47,
    "MultipleKernelLearning": 62,
    "NadarayaWatson": 60,
    "NearestNeighbors": 41,
    "NoveltyDetector": 53,
    "NuSVC": 64,
    "NuSVR": 60,
    "OneClassSVM": 54,
    "Nystroem": 47,
    "PCA": 55,
    "Perceptron": 65,
    "PolarFeatures": 47,
    "PrincipalCurve": 54,
    "ProbabilisticPCA": 53,
    "RadialBasis": 54,
    "RBFNetwork": 60,
    "RBFSampler": 47,
    "RadiusNeighborsClassifier": 60,
    "RadiusNeighborsRegressor": 53,
    "RectangleLearner": 62,
    "Ridge": 61,
    "RidgeCV": 61,
    "RidgeClassifier": 68,
    "RidgeClassifierCV": 68,
    "SVC": 64,
    "SVR": 60,
    "SGDClassifier": 65,
    "SGDRegressor": 61,
    "SelfOrganizingMap": 54,
    "SigmoidBasis": 54,
    "SparseGaussianProcessRegressor": 53,
    "StabilitySelection": 48,
    "BayesOptimalClassifier": 62,
    "BernoulliNB": 63,
    "CategoricalNB": 62,
    "ComplementNB": 64,
    "GenerativeClassifier": 61,
    "JointTableClassifier": 63,
    "LinearDiscriminantAnalysis": 67,
    "LossMatrixClassifier": 62,
    "LastValues": 47,
    "LevelMeans": 47,
    "LogTargetRegressor": 60,
    "TemperatureScaledClassifier": 62,
    "MixedNB": 61,
    "MultinomialNB": 64,
    "QuadraticDiscriminantAnalysis": 61,
    "TreeAugmentedNB": 61,
    "DeepBoltzmannMachine": 54,
    "RestrictedBoltzmannMachine": 55,
}


@pytest.mark.filterwarnings("ignore:Number of distinct clusters")  # k-means with eight clusters on four distinct rows
@pytest.mark.filterwarnings("ignore:.*the rows vary along")  # of few rows that are repeated
@pytest.mark.filterwarnings("ignore:n_components > n_samples")  # a hundred landmarks of twenty rows
@pytest.mark.filterwarnings("ignore:SCIPY_ARRAY_API is not set")  # the one check that needs it skips with this warning
@pytest.mark.filterwarnings(
    "ignore:Maximum number of iteration"
)  # steps of weight 1000 never settle, nor do scikit-learn's
@pytest.mark.filterwarnings(
    "ignore:The default value of `init` will change"
)  # MDS at its defaults warns as scikit-learn's does
@pytest.mark.filterwarnings(
    "ignore:FastICA did not converge"
)  # a few rows of noise, on which scikit-learn's does not either
@pytest.mark.filterwarnings("ignore:The number of connected components")  # three far clusters; scikit-learn's warns too
@pytest.mark.filterwarnings("ignore:.*binary units are 0, 1 or probabilities")  # the checks give any numbers
@pytest.mark.filterwarnings("ignore:.*learning has run away")  # which binary units do on such numbers
@pytest.mark.filterwarnings(
    "ignore:Stochastic Optimizer", "ignore:FeedForwardGraph. the loss", "ignore:MLPRegressor. after training the loss"
)  # of perceptrons at their defaults; scikit-learn's do not converge there either
@parametrize_with_checks(estimators() + configured(), expected_failed_checks=expected_failures)
def test_scikit_learn(estimator, check):
    check(estimator)


def test_no_estimator_and_no_check_is_missing():
    found = {type(e).__name__: sum(1 for _ in estimator_checks_generator(e)) for e in estimators()}
    assert found == CHECKS, "write the numbers found into CHECKS of tests/contract/test_sklearn_checks.py"
