"""Lasso, elastic net, paths and penalties by validation against skglm, adelie and scikit-learn; quality: the objective reached."""

import adelie
import numpy as np
import scipy.sparse
from skglm import ElasticNet as SkglmElasticNet
from skglm import Lasso as SkglmLasso
from sklearn.datasets import make_regression
from sklearn.linear_model import ElasticNet as SklearnElasticNet
from sklearn.linear_model import ElasticNetCV as SklearnElasticNetCV
from sklearn.linear_model import Lasso as SklearnLasso
from sklearn.linear_model import LassoCV as SklearnLassoCV
from sklearn.linear_model import RidgeCV as SklearnRidgeCV
from sklearn.linear_model import lasso_path as sklearn_path

from benchmarks.harness import Case
from novum.linear_model import ElasticNet, ElasticNetCV, Lasso, LassoCV, RidgeCV, lasso_path

ADELIE_TOL = 1e-11  # its default of 1e-7 ends up to 3e-4 above the least objective
TOL = 1e-6  # of the duality gap, relative to |y|^2; skglm's is a violation of the optimality conditions
COLUMNS, SPARSE_COLUMNS, TALL_COLUMNS = 10_000, 100_000, 100


def make_wide(n):
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.normal(size=(n, COLUMNS)))  # the layout that the peers want
    y = X[:, :50] @ rng.normal(size=50) + rng.normal(size=n)
    return X, y, float(np.abs(X.T @ (y - y.mean())).max() / n)


def make_sparse(n):
    rng = np.random.default_rng(0)
    X = scipy.sparse.random(n, SPARSE_COLUMNS, density=1e-3, format="csc", random_state=0, data_rvs=rng.standard_normal)
    y = X[:, :200] @ rng.normal(size=200) + 0.1 * rng.normal(size=n)
    return X, y, float(np.abs(X.T @ (y - y.mean())).max() / n)


def make_short(n):
    """A target of large scale: then the L2 part of the default penalty is strong, and thousands of columns take part."""
    return make_regression(n, COLUMNS, noise=1.0, random_state=0)


def make_tall(n):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, TALL_COLUMNS)) + rng.normal(size=TALL_COLUMNS)
    y = X @ (rng.normal(size=TALL_COLUMNS) * (rng.random(TALL_COLUMNS) < 0.3)) + rng.normal(size=n)
    return X, y, float(np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / n)


def make_centred(n):
    X, y, top = make_wide(n)
    return X - X.mean(axis=0), y - y.mean(), top


def fit(cls, share=0.1, **options):
    return lambda data: cls(alpha=share * data[2], **options).fit(*data[:2])


def follow(function):
    return lambda data: function(*data[:2], alphas=data[2] * np.geomspace(1, 0.01, 50), tol=1e-5)[1][:, -1]


def by_adelie(data):
    X, y, top = data
    found = adelie.grpnet(
        X=X,
        glm=adelie.glm.gaussian(y=y),
        lmda_path=top * np.geomspace(1, 0.01, 50),
        intercept=False,
        early_exit=False,
        progress_bar=False,
        n_threads=2,
        tol=ADELIE_TOL,
    )
    return found.betas[-1].toarray().ravel()


def objective(l1_ratio=1.0, share=0.1):
    def quality(model, data):
        X, y, top = data
        coef = np.asarray(getattr(model, "coef_", model))
        residual = y - X @ coef
        residual = residual - residual.mean()
        penalty = share * top * (l1_ratio * np.abs(coef).sum() + 0.5 * (1 - l1_ratio) * coef @ coef)
        return round(float(0.5 * np.mean(residual**2) + penalty), 6)

    return quality


def choose(cls, **options):
    return lambda data: cls(**options).fit(*data[:2])


GRID = np.geomspace(1e-2, 1e3, 10)
MIXED = {"l1_ratio": 0.5, "tol": TOL}
CASES = [
    Case(
        "lasso, 10,000 columns",
        make_wide,
        {"novum": fit(Lasso, tol=TOL), "skglm": fit(SkglmLasso, tol=TOL), "scikit-learn": fit(SklearnLasso, tol=TOL)},
        objective(),
        (250, 1000, 4000),
        {"skglm": 0.9, "scikit-learn": 1.0},
    ),
    Case(
        "elastic net, 10,000 columns",
        make_wide,
        {
            "novum": fit(ElasticNet, 0.2, **MIXED),
            "skglm": fit(SkglmElasticNet, 0.2, **MIXED),
            "scikit-learn": fit(SklearnElasticNet, 0.2, **MIXED),
        },
        objective(0.5, 0.2),
        (250, 1000, 4000),
        {"skglm": 0.9, "scikit-learn": 1.0},
    ),
    Case(
        "lasso, 100,000 sparse columns",
        make_sparse,
        {"novum": fit(Lasso, tol=TOL), "skglm": fit(SkglmLasso, tol=TOL), "scikit-learn": fit(SklearnLasso, tol=TOL)},
        objective(),
        (2500, 10_000, 40_000),
        {"skglm": 0.9, "scikit-learn": 3.0},
    ),
    Case(
        "lasso path, 10,000 columns, 50 penalties",
        make_centred,
        {"novum": follow(lasso_path), "adelie": by_adelie, "scikit-learn": follow(sklearn_path)},
        objective(share=0.01),
        (250, 1000, 4000),
        {"adelie": 0.9, "scikit-learn": 2.0},
    ),
    Case(
        "lasso, 100 columns",
        make_tall,
        {"novum": fit(Lasso, tol=TOL), "skglm": fit(SkglmLasso, tol=TOL), "scikit-learn": fit(SklearnLasso, tol=TOL)},
        objective(),
        (50_000, 200_000, 800_000),
        {"skglm": 0.9, "scikit-learn": 1.3},
    ),
    Case(
        "lasso by cross-validation, 100 columns",
        make_tall,
        {"novum": choose(LassoCV), "scikit-learn": choose(SklearnLassoCV, n_jobs=2)},
        lambda model, data: round(float(model.mse_path_.mean(axis=1).min()), 3),
        (50_000, 200_000, 800_000),
        {"scikit-learn": 2.0},
    ),
    Case(
        "ridge by leave-one-out, 100 columns, 10 penalties",
        make_tall,
        {"novum": choose(RidgeCV, alphas=GRID), "scikit-learn": choose(SklearnRidgeCV, alphas=GRID)},
        lambda model, data: round(float(model.best_score_), 8),
        (50_000, 200_000, 800_000),
        {"scikit-learn": 3.0},
    ),
    Case(
        "elastic net by cross-validation, 10,000 columns, few rows",
        make_short,
        {"novum": choose(ElasticNetCV), "scikit-learn": choose(SklearnElasticNetCV, n_jobs=2)},
        lambda model, data: round(float(model.mse_path_.mean(axis=1).min()), 1),
        (25, 50, 100),
        {"scikit-learn": 0.9},
    ),
]
