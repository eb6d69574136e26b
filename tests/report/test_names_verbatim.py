"""Names that users give come back as they were given, whatever stands in them: nothing runs over a text that is finished."""

import html

import numpy as np
import pandas as pd
import pytest

from novum.evaluation import compare, evaluate_predictions
from novum.graphical import BayesianNetwork
from novum.linear_model import LinearRegression, LogisticRegression, PoissonRegressor

NAMES = [
    "dose 0.5 mg",
    "over 0.5",
    "1 rows",
    "0.25",
    "-0.5",
    "x = 0.1",
    "1 classes are",
    "p < 0.001",
    "0.0",
    "100 %",
    "it's",
    'say "no"',
    "a & b",
    "<b>bold</b>",
    "<script>",
    "&amp;",
    "{x}",
    "{0:.3f}",
    "%s %d",
    "\\n",
    "a|b",
    "*star*",
    "_under_",
    "`tick`",
    "[0.5]",
    "שלום 0.5",
    "مرحبا",
    "naïve café",
    "1 degrees of freedom",
    "novum 0.1.0",
]
N = 240


def frame(names, seed=0):
    return pd.DataFrame(np.random.default_rng(seed).normal(size=(N, len(names))), columns=names)


def holds(shown, name):
    assert name in repr(shown), name
    assert html.escape(name) in shown._repr_html_() or html.escape(name, quote=False) in shown._repr_html_(), name


@pytest.mark.parametrize("model", [LinearRegression(), LogisticRegression(C=np.inf), PoissonRegressor(alpha=0)])
def test_coefficient_tables(model):
    X = frame(NAMES)
    eta = 0.3 * X.to_numpy()[:, 0]
    rng = np.random.default_rng(1)
    y = {
        "LinearRegression": eta + rng.normal(size=N),
        "LogisticRegression": (eta + rng.logistic(size=N) > 0).astype(int),
        "PoissonRegressor": rng.poisson(np.exp(eta)),
    }[type(model).__name__]
    model.fit(X, y)
    found = model.inference(X, y) if isinstance(model, PoissonRegressor) else model.inference()
    for name in NAMES:
        holds(found, name)


def test_models_that_are_compared():
    rng = np.random.default_rng(0)
    for a, b in zip(NAMES[::2], NAMES[1::2]):
        found = compare({a: rng.normal(0.8, 0.02, 10), b: rng.normal(0.78, 0.02, 10)}, test="paired_t")
        for name in (a, b):
            holds(found, name)
            assert name in found.sentence()


def test_classes_that_are_judged():
    rng = np.random.default_rng(0)
    y = np.array(NAMES)[rng.integers(len(NAMES), size=3000)]
    said = np.where(rng.random(3000) < 0.7, y, np.array(NAMES)[rng.integers(len(NAMES), size=3000)])
    found = evaluate_predictions(y, said)
    for name in NAMES:
        assert name in repr(found) or name in repr(found.classes), name


def test_variables_and_states_of_a_network():
    for name, state in zip(NAMES, NAMES[1:] + NAMES[:1]):
        network = BayesianNetwork([(name, "other")])
        rows = pd.DataFrame({name: [state, "else"] * 20, "other": ["u", "v", "v", "u"] * 10})
        network.fit(rows)
        found = network.query(name, evidence={"other": "u"})
        holds(found, name)
        holds(found, state)
