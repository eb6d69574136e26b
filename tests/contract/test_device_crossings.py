"""Learners that leave rows where they are: fit and predictions on tensors that count as elsewhere, sums alone crossing."""

import numpy as np
import pytest
from contract.cases import data, estimators, quick

torch = pytest.importorskip("torch")
from elsewhere import CopiedToHost, elsewhere  # noqa: E402  needs PyTorch

pytestmark = pytest.mark.deep
N_ROWS = 200
METHODS = (
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "transform",
    "score_samples",
    "predict_joint_log_proba",
)
FREE = {
    "ARDRegression",
    "BayesianGaussianMixture",
    "BayesianLinearRegression",
    "BayesianRidge",
    "DropDependentFeatures",
    "ElasticNet",
    "ElasticNetCV",
    "FactorAnalysis",
    "GaussianBasis",
    "GaussianMixture",
    "GaussianNB",
    "IncrementalPCA",
    "KMeans",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "Lasso",
    "LassoCV",
    "LeastSquaresClassifier",
    "LinearDiscriminantAnalysis",
    "LinearRegression",
    "LogisticRegression",
    "MultiTaskElasticNet",
    "MultiTaskElasticNetCV",
    "MultiTaskLasso",
    "MultiTaskLassoCV",
    "PCA",
    "PolarFeatures",
    "ProbabilisticPCA",
    "QuadraticDiscriminantAnalysis",
    "RBFSampler",
    "RadialBasis",
    "RadiusNeighborsRegressor",
    "Ridge",
    "RidgeCV",
    "RidgeClassifier",
    "RidgeClassifierCV",
    "SigmoidBasis",
}


def test_the_guard_counts_and_refuses():
    with elsewhere(most=10) as crossed:
        torch.ones(3).numpy()
        for copy in (lambda x: x.numpy(), np.asarray, lambda x: x.tolist(), lambda x: x.cpu().numpy()):
            with pytest.raises(CopiedToHost, match="20 numbers"):
                copy(torch.ones(20))
    assert crossed[0] == 3 and crossed.count(20) == 4
    assert torch.ones(20).numpy().sum() == 20


@pytest.mark.parametrize(
    "estimator", [e for e in estimators() if type(e).__name__ in FREE], ids=lambda e: type(e).__name__
)
def test_rows_stay(estimator):
    X, y = data(estimator, n=N_ROWS)
    rows, target = torch.tensor(X), None if y is None else torch.tensor(y)
    with elsewhere():
        model = quick(estimator).fit(rows, target)
        found = {name: getattr(model, name)(rows) for name in METHODS if hasattr(model, name)}
    expected = quick(estimator).fit(X, y)
    assert found
    for name, value in found.items():
        assert isinstance(value, torch.Tensor), name
        np.testing.assert_allclose(value.numpy(), getattr(expected, name)(X), rtol=1e-6, atol=1e-8, err_msg=name)


def test_the_list_names_estimators():
    assert {type(estimator).__name__ for estimator in estimators()} >= FREE
