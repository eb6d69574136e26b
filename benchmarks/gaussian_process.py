"""The exact log marginal likelihood with all its gradients, ten parameters; quality: the likelihood.

scikit-learn, GPy and GPyTorch (its exact Cholesky path, not its stochastic one) evaluate the same kernel at the same parameters.
Times of GPy are of a new model with its likelihood and gradients, which it computes when it is made.
"""

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor as SklearnRegressor
from sklearn.gaussian_process import kernels as sklearn_kernels

from benchmarks.harness import Case
from novum import kernels
from novum.gaussian_process import GaussianProcessRegressor, SparseGaussianProcessRegressor

COLUMNS, VARIANCE, NOISE = 8, 1.5, 0.05
SCALES = np.linspace(1.0, 3.0, COLUMNS)
INDUCING = 100


def rows(n):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, COLUMNS))
    return X, np.sin(X.sum(axis=1)) + 0.1 * rng.standard_normal(n)


def prepared(cls, module, white):
    """Return a function that evaluates likelihood and gradient on a model that holds the data already."""

    def evaluate(data):
        X, y = data
        model = cls(VARIANCE * module.RBF(SCALES) + white(NOISE), alpha=0.0, optimizer=None)
        model.X_train_, model.y_train_, model.kernel_, model._noise = X, y, model.kernel, 0.0
        return model.log_marginal_likelihood(model.kernel.theta, eval_gradient=True, clone_kernel=False)

    return evaluate


def gpy(data):
    import GPy

    X, y = data
    kernel = GPy.kern.RBF(COLUMNS, variance=VARIANCE, lengthscale=SCALES, ARD=True)
    model = GPy.models.GPRegression(X, y[:, None], kernel, noise_var=NOISE)
    return float(model.log_likelihood()), model.gradient.copy()


def gpytorch(data):
    import gpytorch
    import torch

    X, y = (torch.as_tensor(part) for part in data)
    likelihood = gpytorch.likelihoods.GaussianLikelihood()

    class Exact(gpytorch.models.ExactGP):
        def __init__(self):
            super().__init__(X, y, likelihood)
            self.mean_module = gpytorch.means.ZeroMean()
            self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel(ard_num_dims=COLUMNS))

        def forward(self, x):
            return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    model = Exact().double()
    likelihood.double()
    model.covar_module.outputscale, model.covar_module.base_kernel.lengthscale = VARIANCE, torch.as_tensor(SCALES)
    likelihood.noise = NOISE
    model.train()
    with gpytorch.settings.fast_computations(False, False, False), gpytorch.settings.cholesky_max_tries(3):
        value = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)(model(X), y) * len(y)
        value.backward()
    return float(value), None


def likelihood_of(result, data):
    return float(f"{result[0]:.7g}")


def sparse_pass(data):
    options = {"n_inducing": INDUCING, "inducing": "random", "noise_level": NOISE, "random_state": 0}
    return SparseGaussianProcessRegressor(VARIANCE * kernels.RBF(SCALES), optimizer=None, **options).fit(*data)


def gpy_sparse(data):
    import GPy

    X, y = data
    kernel = GPy.kern.RBF(COLUMNS, variance=VARIANCE, lengthscale=SCALES, ARD=True)
    points = sparse_points(X)
    model = GPy.models.SparseGPRegression(X, y[:, None], kernel, Z=points)
    model.likelihood.variance = NOISE
    return model


def sparse_points(X):
    return X[np.linspace(0, len(X) - 1, INDUCING).astype(int)]


def bound_of(result, data):
    value = result.lower_bound_ if hasattr(result, "lower_bound_") else result.log_likelihood()
    return float(f"{np.ravel(value)[0]:.2g}")


CASES = [
    Case(
        "GP marginal likelihood and gradient, 10 parameters",
        rows,
        {
            "novum": prepared(GaussianProcessRegressor, kernels, kernels.White),
            "scikit-learn": prepared(SklearnRegressor, sklearn_kernels, sklearn_kernels.WhiteKernel),
            "GPy": gpy,
            "GPyTorch": gpytorch,
        },
        likelihood_of,
        (500, 1000, 2000, 4000),
        {"scikit-learn": 5.0, "GPy": 1.5, "GPyTorch": 1.5},
    ),
    Case(
        "sparse GP at given parameters, 100 inducing points",
        rows,
        {"novum": sparse_pass, "GPy": gpy_sparse},
        bound_of,
        (2500, 10_000, 40_000),
        {"GPy": 1.5},
    ),
]
