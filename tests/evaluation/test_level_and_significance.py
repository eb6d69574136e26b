"""`level` is the confidence of an interval, `significance` the error of a test, in every signature; each refuses the other."""

import ast
from pathlib import Path

import numpy as np
import pytest

import novum
from novum import evaluation as ev
from novum.bandits import evaluate_logged
from novum.evaluation.hypotheses.power import rejection_rate
from novum.evaluation.resampling.corrected_t import corrected_interval
from novum.exceptions import DataWarning, ParameterError
from novum.linear_model import LinearRegression, PoissonRegressor
from novum.reinforcement import compare_agents
from novum.theory import clt_interval

NOT_CONFIDENCE = {"losses/regression.py"}  # the level of a quantile
rng = np.random.default_rng(0)
X, y = rng.normal(size=(80, 2)), rng.normal(size=80)


def defaults():
    """Yield file, function, parameter and default of every function of novum, methods and fields of results included."""
    root = Path(novum.__file__).parent
    for file in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef):
                arguments = node.args.posonlyargs + node.args.args
                pairs = [
                    *zip(arguments[::-1], node.args.defaults[::-1]),
                    *zip(node.args.kwonlyargs, node.args.kw_defaults),
                ]
                for argument, default in pairs:
                    if isinstance(default, ast.Constant) and isinstance(default.value, float):
                        yield f"{file.relative_to(root)}:{node.name}", argument.arg, default.value
            value = getattr(node, "value", None) if isinstance(node, ast.AnnAssign) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, float) and isinstance(node.target, ast.Name):
                yield f"{file.relative_to(root)}", node.target.id, value.value


def test_defaults_of_all_signatures():
    seen = {"level": 0, "significance": 0}
    for place, word, default in defaults():
        assert word != "confidence", place
        if word in seen and place not in NOT_CONFIDENCE:
            seen[word] += 1
            assert default > 0.5 if word == "level" else default < 0.5, f"{place}: {word}={default}"
    assert seen["level"] > 35 and seen["significance"] >= 10, seen


@pytest.mark.parametrize(
    "call",
    [
        lambda level: ev.wilson_interval(30, 60, level),
        lambda level: ev.clopper_pearson_interval(30, 60, level),
        lambda level: ev.bootstrap("mean", y, level=level),
        lambda level: ev.evaluate_predictions(y, y_pred=0 * y, level=level),
        lambda level: ev.delong_interval([0, 1] * 30, rng.normal(size=60), level=level),
        lambda level: ev.t_test(y).interval(level),
        lambda level: corrected_interval(y[:10], 0.1, level),
        lambda level: ev.cross_validate(LinearRegression(), X, y, level=level),
        lambda level: ev.ConformalRegressor(LinearRegression(), level=level).fit(X, y),
        lambda level: LinearRegression().fit(X, y).inference(level=level),
        lambda level: LinearRegression().fit(X, y).predict(X, interval="confidence", level=level),
        lambda level: LinearRegression().fit(X, y).inference().hypothesis("x0", level=level),
        lambda level: PoissonRegressor(alpha=0).fit(X, y**2).inference(X, y**2, level=level),
        lambda level: clt_interval(y, level),
        lambda level: compare_agents({"a": y, "b": y + 1}, level=level),
    ],
)
def test_a_level_that_is_an_error_is_refused(call):
    for level in (0.05, 0.01):
        with pytest.raises(ParameterError, match="level"):
            call(level)
    call(0.9)


@pytest.mark.parametrize(
    "call",
    [
        lambda a: ev.power("t", 0.5, 30, significance=a),
        lambda a: ev.sample_size("t", 0.5, significance=a),
        lambda a: rejection_rate(lambda x: ev.t_test(x), lambda g: g.normal(size=9), significance=a, n_repeats=3),
        lambda a: ev.compare({"a": y[:10], "b": y[10:20]}, significance=a),
        lambda a: ev.t_test(y).reject(a),
        lambda a: ev.t_test(y).sentence(a),
        lambda a: ev.t_test(y).acceptance_region(a),
        lambda a: LinearRegression().fit(X, y).inference().hypothesis("x0").reject(a),
    ],
)
def test_a_significance_that_is_a_confidence_is_refused(call):
    for a in (0.95, 0.5):
        with pytest.raises(
            ParameterError, match=r"significance is the probability that a test errs.*did you mean significance=0\."
        ):
            call(a)
    call(0.01)


def test_compare_has_no_level_and_a_confidence_is_no_verdict():
    scores = {"logit": y[:10], "tree": y[:10] + 0.01 * y[10:20]}
    with pytest.raises(TypeError, match="level"):
        ev.compare(scores, level=0.95)
    found = ev.compare(scores, significance=0.05)
    assert found.significance == 0.05 and "significance .05" in found.sentence()
    if found.pairs[0].p_value > 0.05:
        assert "better" not in found.verdict(found.pairs[0])


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_warnings_name_the_requested_level(level):
    labels = np.array([0] * 40 + [1] * 5)
    score = labels + rng.normal(size=45)
    for call in (
        lambda: ev.wilson_interval(2, 60, level),
        lambda: ev.bootstrap("mse", y[:20], y[20:40], level=level, n_resamples=100),
        lambda: ev.bootstrap(np.median, y[:20], level=level, n_resamples=100),
        lambda: ev.bootstrap("mean", y[:20], level=level, n_resamples=100, method="percentile"),
        lambda: ev.delong_interval(labels, score, level=level),
        lambda: ev.evaluate_predictions(labels, y_pred=(score > 0.5).astype(int), y_score=score, level=level),
    ):
        with pytest.warns(DataWarning) as warned:
            call()
        text = " ".join(str(one.message) for one in warned)
        assert f"{100 * level:g} %" in text
        assert ("95 %" in text) == (level == 0.95)
        measured = any(
            words in text for words in ("84 to 92 %", "65 to 93 %", "73 to 90 %", "72 to 92 %", "70 to 91 %")
        )
        assert measured == (level == 0.95)


def test_healthy_rows_are_not_warned_of():
    ev.bootstrap("mse", y, y + rng.normal(size=80), n_resamples=200)
    ev.bootstrap(np.mean, rng.normal(size=60), n_resamples=200)


def test_logged_bandits_refuse_an_error_for_a_level():
    with pytest.raises(ParameterError, match="level"):
        evaluate_logged([0, 1] * 30, rng.random(60), [0.5] * 60, [[0.5, 0.5]] * 60, level=0.05)
