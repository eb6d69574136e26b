"""Every learner that iterates tells its passes: a start where there is one, copies that predict, the last of them the fit."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone

from novum.base.discovery import all_estimators
from novum.base.passes import PassRecorder
from tests.contract.cases import briefly, data, outputs, quick, without_a_table

TABLES = dict(without_a_table())
# Learners that are solved, counted or compared in one go: their fit is one task without passes.
AT_ONCE = """
AgglomerativeClustering BayesOptimalClassifier BayesianModelAveraging BayesianNetworkClassifier BernoulliNB
CategoricalNB ChowLiu ClassicalMDS ComplementNB ConformalClassifier ConformalRegressor DivisiveClustering
DropDependentFeatures ExactSearch FindS GaussianBasis GaussianNB GenerativeClassifier HDBSCAN IncrementalPCA Isomap
JointTableClassifier KNeighborsClassifier KNeighborsRegressor KernelDensity KernelPCA KernelRidge LastValues
LeastSquaresClassifier LevelMeans LinearDiscriminantAnalysis LinearRegression LogTargetRegressor LossMatrixClassifier MarkovChain
MixedNB MultinomialNB NadarayaWatson NearestNeighbors NoveltyDetector Nystroem PCA PolarFeatures
QuadraticDiscriminantAnalysis RBFNetwork RBFSampler RadialBasis RadiusNeighborsClassifier RadiusNeighborsRegressor
RectangleLearner Ridge RidgeCV RidgeClassifier RidgeClassifierCV SigmoidBasis SpectralClustering StabilitySelection
StructurePosterior TemperatureScaledClassifier TreeAugmentedNB
"""
# Learners that iterate, and are heard as one task still.
NOT_YET = """
BayesianLinearRegression DBSCAN DeepBoltzmannMachine ElasticNet ElasticNetCV ExtraTreesClassifier ExtraTreesRegressor
FeedForwardGraph GaussianProcessClassifier GaussianProcessRegressor HillClimb IsolationForest KMedoids KernelPerceptron
Lasso LassoCV LinearSVC LinearSVR LogisticRegressionCV MetricLearner MultiTaskElasticNet MultiTaskElasticNetCV
MultiTaskLasso MultiTaskLassoCV MultipleKernelLearning PC QuantileRegressor RandomForestClassifier RandomForestRegressor
RandomTreesEmbedding RestrictedBoltzmannMachine SemiGradientSARSA SemiGradientTD SparseGaussianProcessRegressor
"""
RUNS = {"ADP", "ExpectedSARSA", "MonteCarloControl", "MonteCarloPrediction", "QLearning", "SARSA", "TD"}  # heard by run
# Learners whose first pass makes the parameters from shares, weights or nothing: there is no model before it.
WITHOUT_START = {"AdaBoostClassifier", "AdaBoostRegressor", "MixtureOfExperts"}
VECTORIZERS = ("CountVectorizer", "HashingVectorizer", "TfidfVectorizer")  # scikit-learn's, which take no callbacks
SETTINGS = {"ProbabilisticPCA": {"method": "em"}}


def names():
    """Return the learners that need no PyTorch."""
    found = [
        (name, cls) for name, cls in all_estimators() if hasattr(cls, "fit") and not getattr(cls, "_needs_torch", False)
    ]
    return [name for name, _ in found if name not in VECTORIZERS]


def case(name):
    """Return a quick estimator with a seed, and what it is fitted on."""
    cls = dict(all_estimators())[name]
    model = briefly(name) if name in TABLES else quick(cls())
    if "random_state" in model.get_params(deep=False) and model.get_params(deep=False)["random_state"] is None:
        model.set_params(random_state=0)
    model.set_params(**SETTINGS.get(name, {}))
    arguments = TABLES[name] if name in TABLES else data(model)
    return model, [argument for argument in arguments if argument is not None]


def said(model, arguments):
    """Return all that a fitted model says: its numbers, and what it says of the rows."""
    found = {}
    for name, value in vars(model).items():
        numeric = isinstance(value, np.ndarray | float | int | np.number) and np.asarray(value).dtype.kind in "fiu"
        if numeric and name.endswith("_") and not name.startswith("_"):
            found[name] = np.asarray(value)
    return found | spoken(model, arguments)


def spoken(model, arguments):
    """Return what a fitted model says of the rows."""
    if hasattr(model, "action_values_"):
        return {"action_values": model.action_values_, "policy": np.asarray(model.policy_.actions)}
    if hasattr(model, "run_values_"):
        return {"values": model.values_}
    if type(model).__name__ == "LinearDynamicalSystem":
        return {"score": np.array(model.score(*arguments))}
    try:
        return outputs(model, arguments[0])
    except (TypeError, AttributeError):
        return {}


def check_equal(a, b):
    assert a.keys() == b.keys()
    for name in a:
        assert np.array_equal(a[name], b[name], equal_nan=np.asarray(a[name]).dtype.kind == "f"), name


def fitted(model, arguments, *callbacks):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(model).set_callbacks(*callbacks).fit(*arguments)


@pytest.mark.parametrize("name", names())
def test_passes_are_told_and_change_nothing(name):
    model, arguments = case(name)
    frames, plain = PassRecorder(), fitted(model, arguments)
    heard = fitted(model, arguments, frames)
    check_equal(said(heard, arguments), said(plain, arguments))
    if name in AT_ONCE.split() + NOT_YET.split():
        assert not frames
        return
    assert frames
    if name in RUNS:
        return
    assert (frames[0].n_iter == 0) == (name not in WITHOUT_START)
    passes = [frame for frame in frames if frame.n_iter]
    for frame in passes:
        assert frame.model is not None and frame.model is not heard
    final = spoken(heard, arguments)
    for frame in (frames[0], passes[len(passes) // 2]):
        assert spoken(frame.model, arguments).keys() == final.keys()
    if len({frame.run for frame in frames}) == 1:
        check_equal(spoken(passes[-1].model, arguments), final)


@pytest.mark.parametrize("name", sorted(set(names()) - {*AT_ONCE.split(), *NOT_YET.split(), *RUNS}))
def test_a_callback_ends_the_passes(name):
    model, arguments = case(name)
    frames = PassRecorder()
    fitted(model, arguments, frames)
    runs = {frame.run for frame in frames}
    last = max(frame.n_iter for frame in frames)
    if len(runs) > 1 or last == 1:
        pytest.skip("one pass, or several runs")
    wanted = (last + 1) // 2
    shorter = PassRecorder(stop_at=wanted)
    stopped = fitted(model, arguments, shorter)
    assert shorter[-1].n_iter == wanted
    at = next(frame for frame in frames if frame.n_iter == wanted)
    check_equal(spoken(stopped, arguments), spoken(at.model, arguments))
