"""scikit-learn code with novum's classes: who gets which, and that nothing else changes."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import novum
from novum.exceptions import ParameterError
from novum.patch import used
from novum.patch.__main__ import main

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
y = X @ [1.0, -2.0, 0.5]
label = np.where(y > 0, "a", "b")


@pytest.fixture
def patched():
    yield novum.patch()
    novum.unpatch()


def test_every_way_to_import(patched):
    import sklearn
    import sklearn.linear_model as module
    from sklearn import linear_model
    from sklearn.linear_model import Lars, LinearRegression, Ridge

    assert LinearRegression is novum.linear_model.LinearRegression
    assert module.Ridge is linear_model.Ridge is sklearn.linear_model.Ridge is Ridge is novum.linear_model.Ridge
    assert Lars.__module__.startswith("sklearn.")
    assert {"sklearn.linear_model.LinearRegression", "sklearn.naive_bayes.GaussianNB"} <= set(patched)
    listed = next(line for line in repr(patched).splitlines() if "sklearn.linear_model -> novum.linear_model: " in line)
    assert "LinearRegression" in listed and "Ridge" in listed


def test_pipelines_searches_clones_and_processes(patched):
    from joblib import Parallel, delayed
    from sklearn.base import clone
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    search = GridSearchCV(make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": [0.1, 1.0]}, cv=3).fit(X, y)
    assert type(search.best_estimator_[-1]) is type(clone(search.best_estimator_[-1])) is novum.linear_model.Ridge
    assert cross_val_score(GaussianNB(), X, label, cv=3).mean() > 0.7
    models = Parallel(n_jobs=2, backend="threading")(delayed(Ridge(alpha=a).fit)(X, y) for a in (1.0, 2.0))
    assert [model.alpha for model in models] == [1.0, 2.0]
    assert type(pickle.loads(pickle.dumps(models[0]))) is novum.linear_model.Ridge
    assert "sklearn.linear_model.Ridge" in used()


def test_scikit_learn_keeps_its_own(patched):
    from sklearn.linear_model._ridge import Ridge as private
    from sklearn.preprocessing import KBinsDiscretizer
    from sklearn.utils import all_estimators

    assert private.__module__ == "sklearn.linear_model._ridge"
    assert dict(all_estimators())["Ridge"] is private
    KBinsDiscretizer(3, strategy="kmeans", quantile_method="averaged_inverted_cdf").fit(
        X
    )  # imports KMeans from sklearn.cluster


def test_unpatch_leaves_no_trace():
    import sklearn.linear_model as module

    before = module.Ridge
    kind, names = type(module), set(vars(module))
    novum.patch()
    assert module.Ridge is not before
    novum.unpatch()
    assert module.Ridge is before and type(module) is kind and set(vars(module)) == names
    novum.unpatch()  # twice does no harm


def test_some_names_only():
    try:
        assert novum.patch(["Ridge"]) == ["sklearn.linear_model.Ridge"]
        assert novum.patch() != ["sklearn.linear_model.Ridge"]
        with pytest.raises(ParameterError, match="novum has no 'Nothing'"):
            novum.patch(["Nothing"])
    finally:
        novum.unpatch()


def test_a_script(tmp_path):
    script = tmp_path / "old.py"
    (tmp_path / "helper.py").write_text("VALUE = 3\n")
    script.write_text(
        "import sys\nfrom helper import VALUE\nfrom sklearn.linear_model import Lasso, Ridge\n"
        "if __name__ == '__main__':\n    Ridge().fit([[1.0], [2.0], [4.0]], [1.0, 2.0, 3.0])\n"
        "    print(Ridge.__module__, sys.argv[1:], VALUE)\n    sys.exit(5)\n"
    )
    run = subprocess.run(
        [sys.executable, "-m", "novum.patch", str(script), "--alpha", "1"], capture_output=True, text=True, check=False
    )
    assert run.stdout == "novum.linear_model.ridge ['--alpha', '1'] 3\n"
    assert run.returncode == 5
    assert (
        "used novum for\n  sklearn.linear_model -> novum.linear_model: Ridge\n" in run.stderr
    )  # Lasso was never fitted


def test_scripts_that_are_not_there(tmp_path, capsys):
    for arguments, text in (([str(tmp_path / "no.py")], "no such file"), ([], "usage")):
        assert main(arguments) == 2
        assert text in capsys.readouterr().err


def test_functions_that_ask_for_their_own_classes(patched):
    from sklearn.manifold import locally_linear_embedding
    from sklearn.neighbors import BallTree, KDTree, NearestNeighbors, kneighbors_graph, radius_neighbors_graph
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_text

    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, label)
    assert type(tree) is novum.tree.DecisionTreeClassifier
    assert export_text(tree).count("class:") == tree.get_n_leaves()
    assert "value" in export_text(DecisionTreeRegressor(max_depth=1).fit(X, y))
    near = NearestNeighbors(n_neighbors=3, radius=1.0).fit(X)
    for mode in ("connectivity", "distance"):
        by_rows, by_model = kneighbors_graph(X, 3, mode=mode), kneighbors_graph(near, 3, mode=mode)
        np.testing.assert_allclose(by_model.toarray(), by_rows.toarray(), rtol=1e-12)
    assert (radius_neighbors_graph(near, 1.0) != radius_neighbors_graph(X, 1.0)).nnz == 0
    ours, theirs = (locally_linear_embedding(rows, n_neighbors=5, n_components=2)[1] for rows in (near, X))
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)
    for built in (KDTree(X), BallTree(X)):
        np.testing.assert_array_equal(
            NearestNeighbors().fit(built).kneighbors(X)[1], NearestNeighbors().fit(X).kneighbors(X)[1]
        )


def test_plot_tree(patched):
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from sklearn.tree import DecisionTreeClassifier, plot_tree

    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, label)
    figure = Figure()
    FigureCanvasAgg(figure)
    drawn = plot_tree(tree, ax=figure.subplots())
    assert sum("samples" in text.get_text() for text in drawn) == tree.tree_.node_count


@pytest.mark.parametrize("columns", [[0], [0, 2]])
def test_partial_dependence_by_recursion(columns, patched):
    """As scikit-learn defines it: its own tree of the same cuts gives the same numbers."""
    from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
    from sklearn.inspection import partial_dependence
    from sklearn.tree import DecisionTreeRegressor
    from sklearn.tree._classes import DecisionTreeRegressor as Theirs

    options = {"features": columns, "grid_resolution": 5}
    ours = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y)
    theirs = Theirs(max_depth=3, random_state=0).fit(X, y)
    expected = partial_dependence(theirs, X, method="recursion", **options)["average"]
    for method in ("auto", "recursion"):
        np.testing.assert_allclose(
            partial_dependence(ours, X, method=method, **options)["average"], expected, rtol=1e-6
        )
    for model in (
        RandomForestRegressor(5, random_state=0),
        HistGradientBoostingRegressor(max_iter=5, min_samples_leaf=5),
    ):
        both = [
            partial_dependence(model.fit(X, y), X, method=method, **options)["average"]
            for method in ("auto", "recursion")
        ]
        np.testing.assert_array_equal(*both)
    forest = RandomForestRegressor(5, random_state=0).fit(X, y)
    each = [partial_dependence(tree, X, **options)["average"] for tree in forest.estimators_]
    np.testing.assert_allclose(partial_dependence(forest, X, **options)["average"], np.mean(each, axis=0), rtol=1e-6)


def test_processes_that_a_patched_one_starts(tmp_path):
    """loky and plain child processes ask scikit-learn for classes and get novum's; after unpatch they do not."""
    script = tmp_path / "workers.py"
    script.write_text(
        "import subprocess, sys\nimport novum\nnovum.patch(['Ridge'])\nfrom joblib import Parallel, delayed\n"
        "ASK = 'from sklearn.linear_model import Lasso, Ridge; print(Ridge.__module__[:5], Lasso.__module__[:5])'\n"
        "def ask(_):\n    from sklearn.linear_model import Lasso, Ridge\n    return Ridge.__module__[:5], Lasso.__module__[:5]\n"
        "def child():\n    return subprocess.run([sys.executable, '-c', ASK], capture_output=True, text=True).stdout.split()\n"
        "if __name__ == '__main__':\n    print(Parallel(n_jobs=2)(delayed(ask)(i) for i in range(2)), child())\n"
        "    novum.unpatch()\n    print(child())\n"
    )
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    first, second = run.stdout.splitlines()
    assert first == "[('novum', 'sklea'), ('novum', 'sklea')] ['novum', 'sklea']", run.stderr
    assert second == "['sklea', 'sklea']"
