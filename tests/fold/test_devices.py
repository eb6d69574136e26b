"""Every learner that takes tensors learns on each device what it learns from arrays, and predicts on the device of its input."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from novum.decision_theory import GenerativeClassifier
from novum.decomposition import PCA, FactorAnalysis, IncrementalPCA, ProbabilisticPCA
from novum.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from novum.distributions import Gamma, MultivariateNormal, Normal, StudentT
from novum.linear_model import ARDRegression, BayesianLinearRegression, BayesianRidge, LogisticRegression
from novum.mixture import BayesianGaussianMixture, GaussianMixture
from novum.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, MultinomialNB
from novum.preprocessing import DropDependentFeatures, GaussianBasis, PolarFeatures, RadialBasis, SigmoidBasis

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.deep
DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])
RNG = np.random.default_rng(0)
CENTERS = np.array([[-3.0, 0, 0, 1], [0, 3.0, 0, -1], [3.0, 0, 1, 0]])
X = CENTERS[np.arange(900) % 3] + RNG.normal(size=(900, 4)) @ np.diag([1.0, 0.5, 0.8, 1.2])
Y = X @ [1.0, -2, 0.5, 0] + 0.3 * RNG.normal(size=900)
HOLES = np.where(RNG.uniform(size=X.shape) < 0.1, np.nan, X)
START = {"random_state": 0, "weights_init": np.full(3, 1 / 3), "means_init": CENTERS}
LEARNERS = [
    PCA(2),
    PCA(2, whiten=True),
    IncrementalPCA(3),
    ProbabilisticPCA(2),
    FactorAnalysis(2),
    *(
        GaussianMixture(3, covariance_type=kind, tol=0, max_iter=20, **START)
        for kind in ("full", "tied", "diag", "spherical")
    ),
    BayesianGaussianMixture(n_components=3, random_state=0, max_iter=30, tol=0),
    GaussianBasis(4),
    SigmoidBasis(4),
    RadialBasis(5, random_state=0),
    PolarFeatures(),
    DropDependentFeatures(),
]
REGRESSORS = [BayesianLinearRegression(optimize=True), BayesianRidge(), ARDRegression()]


def answers(model, X):
    names = ("transform", "predict", "predict_proba", "score_samples")
    return {name: getattr(model, name)(X) for name in names if hasattr(model, name)}


@pytest.mark.filterwarnings("ignore::novum.exceptions.NotConverged")
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("model", LEARNERS, ids=lambda model: repr(model)[:60])
def test_learners_agree(model, device):
    tensor = torch.from_numpy(X).to(device)
    expected = answers(type(model)(**model.get_params()).fit(X), X)
    found = answers(type(model)(**model.get_params()).fit(tensor), tensor)
    assert expected.keys() == found.keys()
    for name, value in found.items():
        assert isinstance(value, np.ndarray) or value.device.type == device, name
        value = value if isinstance(value, np.ndarray) else value.cpu().numpy()
        assert_allclose(value, expected[name], rtol=1e-6, atol=1e-8, err_msg=name)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("model", REGRESSORS, ids=lambda model: type(model).__name__)
def test_regressors_agree(model, device):
    tensor, target = torch.from_numpy(X).to(device), torch.from_numpy(Y).to(device)
    expected = model.fit(X, Y).predict(X, return_std=True)
    found = type(model)(**model.get_params()).fit(tensor, target).predict(tensor, return_std=True)
    for ours, theirs in zip(found, expected):
        assert ours.device.type == device
        assert_allclose(ours.cpu().numpy(), theirs, rtol=1e-8, atol=1e-10)


@pytest.mark.filterwarnings("ignore::novum.exceptions.NotConverged")
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "model", [GaussianMixture(3, tol=0, max_iter=10, **START), ProbabilisticPCA(2)], ids=lambda m: type(m).__name__
)
def test_missing_cells_agree(model, device):
    tensor = torch.from_numpy(HOLES).to(device)
    expected = model.fit(HOLES).score_samples(HOLES)
    found = type(model)(**model.get_params()).fit(tensor).score_samples(tensor)
    found = found if isinstance(found, np.ndarray) else found.cpu().numpy()
    assert_allclose(found, expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("device", DEVICES)
def test_distributions_agree(device):
    for family, data in ((Normal, X[:, 0]), (MultivariateNormal, X), (Gamma, np.exp(X[:, 0])), (StudentT, X[:, 0])):
        tensor = torch.from_numpy(np.ascontiguousarray(data)).to(device)
        ours, theirs = family.fit(tensor), family.fit(data)
        value = ours.log_prob(tensor)
        value = value if isinstance(value, np.ndarray) else value.cpu().numpy()
        assert_allclose(value, theirs.log_prob(data), rtol=1e-6, atol=1e-8, err_msg=family.__name__)


CLASSIFIERS = [
    LinearDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(),
    GenerativeClassifier(),
    LogisticRegression(tol=1e-10),
    MultinomialNB(),
    ComplementNB(),
    BernoulliNB(),
    CategoricalNB(min_categories=12),
]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
def test_classifiers_agree(model, device):
    label = np.arange(900) % 3
    counts = type(model).__name__ in ("MultinomialNB", "ComplementNB", "CategoricalNB")
    rows = np.minimum(np.abs(X).round() * (1 + label[:, None]), 11.0) if counts else X
    expected = model.fit(rows, label).predict_proba(rows)
    tensor, target = torch.from_numpy(np.ascontiguousarray(rows)).to(device), torch.from_numpy(label).to(device)
    found = type(model)(**model.get_params()).fit(tensor, target).predict_proba(tensor)
    assert found.device.type == device
    assert_allclose(found.cpu().numpy(), expected, rtol=1e-6, atol=1e-9)
