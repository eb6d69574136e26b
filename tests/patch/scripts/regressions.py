"""Paths, robust and Gaussian-process regressions with kernels, target transforms, kernel ridge."""

import numpy as np
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_diabetes
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import (
    BayesianRidge,
    ElasticNet,
    HuberRegressor,
    LinearRegression,
    PoissonRegressor,
    QuantileRegressor,
    RANSACRegressor,
    lasso_path,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.svm import SVR

X, y = load_diabetes(return_X_y=True)
alphas, coefs, _ = lasso_path(X, y, n_alphas=5)
assert coefs.shape == (10, 5)
rng = np.random.RandomState(0)
x = np.sort(5 * rng.rand(40, 1), axis=0)
t = np.sin(x).ravel() + 0.1 * rng.randn(40)
gp = GaussianProcessRegressor(
    ConstantKernel(1.0) * RBF(1.0) + WhiteKernel(0.1), n_restarts_optimizer=1, random_state=0
).fit(x, t)
mean, std = gp.predict(x, return_std=True)
assert std.shape == (40,) and np.isfinite(gp.log_marginal_likelihood(gp.kernel_.theta))
for model in (
    SVR(C=100),
    KernelRidge(kernel="rbf", gamma=0.5),
    make_pipeline(PolynomialFeatures(3), LinearRegression()),
):
    assert model.fit(x, t).score(x, t) > 0.8
assert RANSACRegressor(LinearRegression(), random_state=0).fit(X, y).inlier_mask_.shape == (442,)
TransformedTargetRegressor(ElasticNet(0.01), func=np.log, inverse_func=np.exp).fit(X, y)
for model in (BayesianRidge(), HuberRegressor(max_iter=1000), QuantileRegressor(alpha=0), PoissonRegressor()):
    model.fit(X, y).predict(X)
