"""Write model files of this version, with what they predict, to tests/files/models-<version>: later versions must convert them.

Beside them stands `classes.json`: every class of this version that a model file may hold, with its parameters and the
attributes that it declares, so that a later version can tell what it has renamed (`novum.persistence.conversion`).
Run once, when a version is made; the files of past versions are never written again.
"""

import inspect
import json
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
STATELESS = ("novum.activations.", "novum.losses.")  # families of objects that may be parameters and hold nothing


def inputs() -> dict[str, np.ndarray]:
    """Return the rows that models are fitted on and asked about."""
    rng = np.random.default_rng(0)
    centers = np.array([[-3.0, 0, 0], [0, 3.0, 0], [3.0, 0, 0]])
    codes = rng.integers(0, 3, size=(40, 3))
    codes[:, 2] = np.where(rng.random(40) < 0.8, codes[:, 0], codes[:, 2])
    return {
        "table": (centers[np.arange(40) % 3] + rng.normal(size=(40, 3))).round(3),
        "codes": codes,
        "series": (np.repeat([0.0, 4.0, 0.0], 20)[:, None] + rng.normal(size=(60, 1))).round(3),
        "symbols": rng.integers(0, 3, size=(60, 1)),
    }


def models(given: dict[str, np.ndarray]) -> dict[str, tuple[str, Any]]:
    """Return fitted models by name, each with the name of the rows that it is asked about."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from novum.cluster import KMeans
    from novum.decomposition import PCA
    from novum.ensemble import (
        AdaBoostClassifier,
        HistGradientBoostingClassifier,
        IsolationForest,
        RandomForestRegressor,
    )
    from novum.evaluation import ConformalRegressor
    from novum.gaussian_process import GaussianProcessRegressor
    from novum.graphical import BayesianNetworkClassifier
    from novum.kernels import RBF, White
    from novum.linear_model import Lasso, LinearRegression, LogisticRegression
    from novum.mixture import GaussianMixture
    from novum.naive_bayes import GaussianNB
    from novum.neighbors import KNeighborsClassifier
    from novum.neural_network import MLPClassifier
    from novum.reinforcement import QLearning, room_4x3
    from novum.sequence import CategoricalHMM, GaussianHMM
    from novum.svm import SVC
    from novum.tree import DecisionTreeClassifier

    table, codes, series, symbols = given["table"], given["codes"], given["series"], given["symbols"]
    numbers = table @ [1.0, -2.0, 0.5] + np.sin(table[:, 0])
    labels = np.array(["left", "top", "right"])[np.arange(len(table)) % 3]
    parts = np.arange(len(table)) % 3
    kernel = 4.0 * RBF(2.0) + White(0.1)
    on_table: dict[str, Any] = {
        "linear": LinearRegression().fit(table, numbers),
        "logistic": LogisticRegression().fit(table, labels),
        "tree": DecisionTreeClassifier(max_depth=3).fit(table, labels),
        "forest": RandomForestRegressor(n_estimators=4, random_state=0).fit(table, numbers),
        "boosting": HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=2).fit(table, parts),
        "adaboost": AdaBoostClassifier(n_estimators=3).fit(table, labels),
        "isolation-forest": IsolationForest(n_estimators=4, random_state=0).fit(table),
        "svc": SVC(C=2.0).fit(table, labels),
        "k-means": KMeans(n_clusters=3, n_init=1, random_state=0).fit(table),
        "mixture": GaussianMixture(n_components=3, random_state=0).fit(table),
        "gaussian-process": GaussianProcessRegressor(kernel=kernel, optimizer=None).fit(table, numbers),
        "naive-bayes": GaussianNB().fit(table, labels),
        "neighbors": KNeighborsClassifier(n_neighbors=3).fit(table, labels),
        "perceptron": MLPClassifier(
            hidden_layer_sizes=(4,), solver="lbfgs", alpha=0.1, max_iter=500, random_state=0
        ).fit(table, labels),
        "components": PCA(n_components=2).fit(table),
        "conformal": ConformalRegressor(LinearRegression(), random_state=0).fit(table, numbers),
        "pipeline": make_pipeline(StandardScaler(), Lasso(alpha=0.1)).fit(table, numbers),
    }
    return {
        **{name: ("table", model) for name, model in on_table.items()},
        "network": ("codes", BayesianNetworkClassifier().fit(codes, codes[:, 2] > 0)),
        "hidden-markov": ("series", GaussianHMM(n_components=2, n_init=1, random_state=0).fit(series)),
        "agent": ("table", QLearning(episodes=30, random_state=0).fit(room_4x3())),
        "hidden-symbols": ("symbols", CategoricalHMM(n_components=2, n_init=1, random_state=0, tol=1e-3).fit(symbols)),
    }


def study_model(given: dict[str, np.ndarray]) -> tuple[dict[str, list], Any]:
    """Return a table with names and text, and the model that a study of it keeps."""
    from novum.study import Study

    table = np.vstack([given["table"], given["table"][::-1] + 0.25])
    columns: dict[str, list] = {
        "length": table[:, 0].tolist(),
        "width": table[:, 1].tolist(),
        "colour": np.where(table[:, 2] > 0, "red", "blue").tolist(),
    }
    import pandas as pd

    kind = np.where(table[:, 0] + table[:, 1] > 0.5, "ripe", "green")
    frame = pd.DataFrame({**columns, "kind": kind})
    result = Study(frame, "kind", models=["LogisticRegression", "GaussianNB"], folds=4, repeats=1, tune=False).run()
    return {name: values[:10] for name, values in columns.items()}, result.model


def outputs(model: Any, rows: Any) -> dict[str, list]:
    """Return what a model answers about rows, the first ten, by method; of an agent the values that it has learned."""
    methods = [name for name in ("predict", "predict_proba", "transform", "decision_function") if hasattr(model, name)]
    answers = {name: getattr(model, name)(rows) for name in methods} or {"values_": model.values_}
    return {name: np.asarray(answer)[:10].tolist() for name, answer in answers.items()}


def classes() -> dict[str, dict[str, list[str]]]:
    """Return the classes that models hold, each with its parameters and attributes: what is neither an estimator nor declares
    its state is not loaded anyway.
    """
    from sklearn.base import BaseEstimator

    from novum.base.discovery import all_estimators, public_class
    from novum.persistence.attributes import declared_attributes, parameters_of
    from novum.persistence.trust import is_inert, is_tuple

    listed = all_estimators()
    declared = declared_attributes()
    kinds = {kind for entry in declared.values() for given in entry.values() for kind in given}
    records = {kind.partition(":")[2] for kind in kinds if kind.startswith("record:")}
    found = {}
    for file in sorted((ROOT / "src" / "novum").rglob("*.py")):
        module = ".".join(file.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")
        if module == "novum.__main__":
            continue
        for name, cls in vars(import_module(module)).items():
            own = inspect.isclass(cls) and cls.__module__ == module and public_class(module, name) is cls
            if not own:
                continue
            stateful = is_inert(cls) and (issubclass(cls, BaseEstimator) or name in declared)
            stateless = module.startswith(STATELESS) and cls.__init__ is object.__init__
            if stateful or stateless or (is_tuple(cls, "TupleNode") and name in records):
                entry = {
                    "parameters": sorted(parameters_of(cls)),
                    "attributes": sorted(declared.get(name, ())),
                    "fields": list(getattr(cls, "_fields", ())),
                }
                if any(entry.values()) or (name, cls) in listed or stateless:  # else a base that has no instances
                    found[f"{module}.{name}"] = {word: names for word, names in entry.items() if names}
    return found


def main() -> None:
    """Fit, save and ask."""
    import pandas as pd

    import novum

    warnings.simplefilter("ignore")
    folder = ROOT / "tests" / "files" / f"models-{novum.__version__}"
    folder.mkdir(parents=True)  # not again
    given = inputs()
    np.savez_compressed(folder / "inputs.npz", **given)
    expected: dict[str, Any] = {}
    for name, (rows, model) in models(given).items():
        novum.save(model, folder / f"{name}.novum")
        expected[name] = {"input": rows, "outputs": outputs(model, given[rows])}
    frame, model = study_model(given)
    novum.save(model, folder / "study.novum")
    expected["study"] = {"input": frame, "outputs": outputs(model, pd.DataFrame(frame))}
    (folder / "expected.json").write_text(json.dumps(expected) + "\n", encoding="utf-8")
    lines = [f"{json.dumps(path)}: {json.dumps(entry)}" for path, entry in sorted(classes().items())]
    (folder / "classes.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
