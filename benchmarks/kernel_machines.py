"""Kernel machines against scikit-learn: ridge regression in both forms, explicit features, kernel PCA; quality: R2 on the rows, or
the size of the features.

`python -m benchmarks.kernel_machines` measures the table of docs/guide/kernel-machines.md: each machine once, at rising sizes.
"""

import sys
import time

import numpy as np
from sklearn import decomposition as sklearn_decomposition
from sklearn import kernel_approximation as sklearn_approximation
from sklearn import kernel_ridge as sklearn_ridge
from sklearn.model_selection import GridSearchCV, LeaveOneOut
from sklearn.pipeline import make_pipeline

from benchmarks.harness import Case
from novum import decomposition, kernel_approximation, kernel_ridge, linear_model, svm

COLUMNS = 20
PENALTIES = np.geomspace(1e-3, 10, 5)
TEST, SLOW = 2000, 2.0  # rows that are predicted; seconds above which a machine is not shown more rows


def curve(n):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, COLUMNS))
    return X, np.sin(X[:, 0]) + 0.3 * X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=n)


def fit(module, name, **options):
    return lambda data: getattr(module, name)(**options).fit(*data)


def both(ours, theirs, name, **options):
    return {"novum": fit(ours, name, **options), "scikit-learn": fit(theirs, name, **options)}


def score(model, data):
    return float(model.score(*data))


def asked(n, module, **options):
    model = module.KernelRidge(**options).fit(*curve(n))
    return lambda data: (model.predict(data[0]), model)[1]


def features(module, name, **options):
    return lambda data: getattr(module, name)(**options).fit(data[0]).transform(data[0])


def ours_penalty(data):
    return kernel_ridge.KernelRidge("loo", kernel="rbf").fit(*data)


def their_penalty(data):
    machine = sklearn_ridge.KernelRidge(kernel="rbf")
    search = GridSearchCV(machine, {"alpha": PENALTIES}, cv=LeaveOneOut(), scoring="neg_mean_squared_error")
    return search.fit(*data).best_estimator_


def size_of(Z, _):
    return float((Z**2).sum())


RIDGE = (kernel_ridge, sklearn_ridge, "KernelRidge")
MAPS = (kernel_approximation, sklearn_approximation)
CASES = [
    Case(
        "KernelRidge, Gaussian kernel",
        curve,
        both(*RIDGE, kernel="rbf"),
        score,
        (750, 1500, 3000),
        {"scikit-learn": 0.9},
    ),
    Case("KernelRidge, linear kernel", curve, both(*RIDGE), score, (750, 1500, 3000), {"scikit-learn": 5.0}),
    Case(
        "KernelRidge, quadratic kernel",
        curve,
        both(*RIDGE, kernel="poly", degree=2),
        score,
        (1500, 3000),
        {"scikit-learn": 2.0},
    ),
    Case(
        "KernelRidge, predict, 2000 training rows",
        curve,
        {
            name: asked(2000, module, kernel="rbf")
            for name, module in (("novum", kernel_ridge), ("scikit-learn", sklearn_ridge))
        },
        score,
        (2000, 8000),
        {"scikit-learn": 1.3},
    ),
    Case(
        "KernelRidge, penalty by leave-one-out",
        curve,
        {"novum": ours_penalty, "scikit-learn": their_penalty},
        score,
        (50, 100),
        {"scikit-learn": 5.0},
    ),
    *(
        Case(
            f"{name}, 200 features",
            curve,
            {
                library: features(module, name, n_components=200, random_state=0)
                for library, module in zip(("novum", "scikit-learn"), MAPS, strict=True)
            },
            size_of,
            (25_000, 100_000),
            {"scikit-learn": 0.9},
        )
        for name in ("Nystroem", "RBFSampler")
    ),
    Case(
        "KernelPCA, 5 components",
        curve,
        {
            library: features(module, "KernelPCA", n_components=5, kernel="rbf", random_state=0)
            for library, module in (("novum", decomposition), ("scikit-learn", sklearn_decomposition))
        },
        size_of,
        (1000, 2000),
        {"scikit-learn": 0.9},
    ),
]


def machines():
    """Return the machines of the guide by name."""
    landmarks, waves = kernel_approximation.Nystroem, kernel_approximation.RBFSampler
    return {
        "KernelRidge(0.1, rbf)": kernel_ridge.KernelRidge(0.1, kernel="rbf"),
        'KernelRidge("loo", rbf)': kernel_ridge.KernelRidge("loo", kernel="rbf"),
        "SVR(C=10)": svm.SVR(C=10, gamma=1 / COLUMNS),
        "Nystroem(500) + Ridge": make_pipeline(landmarks(n_components=500, random_state=0), linear_model.Ridge(0.1)),
        "RBFSampler(500) + Ridge": make_pipeline(
            waves(gamma=1 / COLUMNS, n_components=500, random_state=0), linear_model.Ridge(0.1)
        ),
        "KernelRidge(poly, degree 2)": kernel_ridge.KernelRidge(0.1, kernel="poly", degree=2),
    }


def guide_table(sizes):
    """Print fit and prediction times and R2 on new rows, a line per machine and size."""
    print("| machine | rows | fit, s | predict 2000 rows, s | R2 on new rows |\n|---|---:|---:|---:|---:|")
    for name, machine in machines().items():
        for n in sizes:
            X, y = curve(n + TEST)
            begin = time.perf_counter()
            machine.fit(X[:n], y[:n])
            middle = time.perf_counter()
            machine.predict(X[n:])
            end = time.perf_counter()
            r2 = machine.score(X[n:], y[n:])
            print(
                f"| {name} | {n:,d} | {middle - begin:.3f} | {end - middle:.4f} | {r2:.3f} |",
                flush=True,
            )
            if middle - begin > SLOW:
                break


if __name__ == "__main__":
    guide_table([int(size) for size in sys.argv[1:]] or [1000, 4000, 16_000, 64_000])
