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
    )  # asks sklearn.cluster for KMeans


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
        "import sys\nfrom helper import VALUE\nfrom sklearn.linear_model import Ridge\n"
        "if __name__ == '__main__':\n    print(Ridge.__module__, sys.argv[1:], VALUE)\n    sys.exit(5)\n"
    )
    run = subprocess.run(
        [sys.executable, "-m", "novum.patch", str(script), "--alpha", "1"], capture_output=True, text=True, check=False
    )
    assert run.stdout == "novum.linear_model.ridge ['--alpha', '1'] 3\n"
    assert run.returncode == 5
    assert "used novum for\n  sklearn.linear_model -> novum.linear_model: Ridge" in run.stderr


def test_scripts_that_are_not_there(tmp_path, capsys):
    for arguments, text in (([str(tmp_path / "no.py")], "no such file"), ([], "usage")):
        assert main(arguments) == 2
        assert text in capsys.readouterr().err
