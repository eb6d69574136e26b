"""One word, one meaning: the table of words, over the signatures of every public name, their methods and the results they return.

A class or function that scikit-learn has keeps scikit-learn's words; what else is excepted is listed here with its reason.
"""

import importlib
import inspect
import re
import typing
from pathlib import Path

import numpy as np
import pytest
from sklearn.utils import all_estimators
from sklearn.utils.discovery import all_functions

import novum

ROOT = Path(__file__).parents[2]

# word: (meaning, words that are not used for it)
TABLE = {
    "level": ("confidence of an interval", "confidence, confidence_level, conf_level, coverage"),
    "significance": ("error of a test", "sig_level, p_threshold"),
    "scoring": ("what models are judged or chosen by", "measure, criterion, score, score_name, scorer"),
    "metric": ("a distance", "distance, dist"),
    "n_init": ("starts, of which the best is kept", "n_starts, n_restarts, restarts, starts"),
    "max_iter": ("passes at most", "n_iter, n_iterations, n_sweeps, n_passes, iterations, maxiter"),
    "max_epochs": ("passes at most of a network", "n_epochs, epochs, n_pretrain"),
    "n_episodes": ("episodes of an agent", "episodes, n_games"),
    "max_steps": ("steps of an episode at most", "max_length, step_limit"),
    "total_steps": ("steps of all episodes of a training", "n_timesteps, total_timesteps, train_steps"),
    "learning_rate": ("length of a step of learning", "step_size, lr, eta, rate, step, learning_rate_init, eta0"),
    "discount": ("worth of a reward one step later", "gamma"),
    "tol": ("change at which passes end", "tolerance, epsilon_stop"),
    "random_state": ("where draws come from: a number, generator or None", "seed, rng, generator"),
    "n_samples": ("rows to draw", "n_draw, num_samples"),
    "steps": ("steps ahead of a forecast", "horizon, n_ahead, steps_ahead"),
    "n_jobs": ("threads or processes", "jobs, threads, n_threads, n_workers"),
    "verbose": ("how much is logged", "quiet, silent, verbosity"),
    "ax": ("matplotlib axes to draw on", "axes, axis_to_draw"),
    "sample_weight": ("weights of rows", "row_weight, row_weights"),
}

# (owner or its method, word): reason; "*" stands for any name
EXCEPTIONS = {
    ("*.Normal.from_natural", "eta"): "natural parameters, the textbook's letter",
    ("distributions.*", "rate"): "the parameter of a distribution",
    ("distributions.*", "eta"): "natural parameters, the textbook's letter",
    ("neural_network.BatchNorm", "rate"): "of a moving mean",
    ("optimize.*.prox", "step"): "of the proximal map, the formula's t",
    ("sequence.LinearDynamicalSystem.tracking", "step"): "seconds between two rows",
    ("*.TaskDescription", "measure"): "Mitchell's performance measure P, beside task T and experience E",
    ("tree.impurity", "criterion"): "scikit-learn's word for impurities",
    ("tree.split_impurity", "criterion"): "scikit-learn's word for impurities",
    ("reinforcement.value_iteration", "criterion"): "total or average reward: what is optimal, not how good a model is",
    ("*.MDP.reset", "seed"): "gymnasium's word",
    ("reinforcement.ReplayBuffer.*", "rng"): "a generator that is running, of one step among many",
    ("reinforcement.ReplayBuffer.add", "step"): "one step of the environment, the whole record of it",
    ("reinforcement.ActorCritic", "n_epochs"): "passes over every batch of steps, all of which are made",
    ("optimize.Schedule", "rate"): "how fast a schedule falls",
    ("bandits.*", "generator"): "a generator that is running, of one round among many",
    ("reinforcement.backward_induction", "horizon"): "stages of a decision problem; nothing is forecast",
    ("bandits.*", "horizon"): "rounds that a policy is made for; nothing is forecast",
    ("neural_network.*Seq2Seq", "max_length"): "symbols of an answer at most",
    ("datasets.make_sequence_pairs", "max_length"): "symbols of a sequence at most",
    ("kernels.*", "gamma"): "a kernel's coefficient, as in scikit-learn",
    ("neighbors.BallTree.*", "threads"): "of the compiled index",
    ("neighbors.KDTree.*", "threads"): "of the compiled index",
    ("neighbors.Lists", "distance"): "distances that were found",
    ("teaching.chebyshev_bound", "distance"): "from the mean, the formula's k",
    ("teaching.CheckersState", "quiet"): "moves without a capture so far",
    ("teaching.*", "n_games"): "games that two players play; an agent's episodes are n_episodes",
    ("study.Listener.formed", "score"): "the score that was found",
}

# fields of results that name what was found, not what was asked for
FOUND = {"n_iter": "passes made, scikit-learn's n_iter_", "score": "the score found", "coverage": "the share found"}


def sklearn_names():
    """Return the classes and functions of scikit-learn, by name."""
    found = dict(all_estimators())
    found |= dict(all_functions())
    for module in (
        "sklearn.gaussian_process.kernels",
        "sklearn.neighbors",
        "sklearn.metrics",
        "sklearn.model_selection",
    ):
        members = vars(importlib.import_module(module))
        found |= {name: value for name, value in members.items() if inspect.isclass(value) and name not in found}
    return found


THEIRS = sklearn_names()


def parameters(thing):
    """Return the names of the parameters of a callable, none where it has no signature."""
    try:
        return list(inspect.signature(thing).parameters)
    except (TypeError, ValueError):
        return []


def methods(cls):
    """Return the public methods that novum defines for a class, by name."""
    found = {}
    for base in reversed(cls.__mro__):
        if base.__module__.startswith("novum"):
            for name, value in vars(base).items():
                value = value.__func__ if isinstance(value, staticmethod | classmethod) else value
                if not name.startswith("_") and inspect.isfunction(value):
                    found[name] = value
    return found


def returned(function):
    """Return the classes of novum that the annotation of a function says it returns."""
    try:
        hint = typing.get_type_hints(function).get("return")
    except Exception:  # names that exist for type checkers alone
        return []
    parts = [hint, *typing.get_args(hint)]
    return [part for part in parts if inspect.isclass(part) and part.__module__.startswith("novum")]


def everything():
    """Return every public name, method and result of novum: path -> callable."""
    found, waiting, seen = {}, [], set()
    for family in novum.__all__:
        module = getattr(novum, family)
        names = getattr(module, "__all__", None) if inspect.ismodule(module) else None
        waiting += [(family, module)] if names is None else [(f"{family}.{n}", getattr(module, n)) for n in names]
    while waiting:
        path, thing = waiting.pop()
        if not callable(thing):
            continue
        found[path] = thing
        parts = [(path, thing)]
        if inspect.isclass(thing):
            if thing in seen:
                continue
            seen.add(thing)
            parts = [(f"{path}.{name}", value) for name, value in methods(thing).items()]
            found |= dict(parts)
        for _, function in parts:
            for result in returned(function):
                if result not in seen:
                    waiting.append((f"{path.split('.')[0]}.{result.__name__}", result))
    return found


EVERYTHING = everything()
CLASSES = {path: thing for path, thing in EVERYTHING.items() if inspect.isclass(thing)}


def excepted(path, word):
    """Return the reason of an exception, or None."""
    for (place, name), reason in EXCEPTIONS.items():
        if name == word and re.fullmatch(re.escape(place).replace(r"\*", ".*"), path):
            return reason
    thing = EVERYTHING[path]
    if inspect.isclass(thing) and word in FOUND and (issubclass(thing, tuple) or not hasattr(thing, "fit")):
        return FOUND[word]
    _, owner, *method = [*path.split("."), ""][:3] if "." in path else ("", path)
    theirs, method = THEIRS.get(owner), [m for m in method if m]
    if theirs is not None:
        same = getattr(theirs, method[0], None) if method else theirs
        if same is not None and word in parameters(same):
            return "scikit-learn's"
    return None


def test_no_synonym_in_any_signature():
    synonyms = {other: word for word, (_, others) in TABLE.items() for other in others.split(", ")}
    wrong = [
        f"{path}({name}): say {synonyms[name]}"
        for path, thing in sorted(EVERYTHING.items())
        for name in parameters(thing)
        if name in synonyms and excepted(path, name) is None
    ]
    assert not wrong, "\n".join(wrong)
    assert len(EVERYTHING) > 3000


def test_every_exception_is_needed():
    for place, word in EXCEPTIONS:
        pattern = re.escape(place).replace(r"\*", ".*")
        assert any(re.fullmatch(pattern, path) and word in parameters(thing) for path, thing in EVERYTHING.items()), (
            place,
            word,
        )


def test_the_table_of_contributing_is_this_one():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \|$", text, flags=re.MULTILINE)
    assert {word: (meaning, others.replace("`", "")) for word, meaning, others in rows} == TABLE


def with_method(name):
    """Return the public classes that have a method, by path."""
    return {path: getattr(cls, name) for path, cls in CLASSES.items() if callable(getattr(cls, name, None))}


# what `sample` returns: (rows, states) of every model that draws hidden states, classes, components or codes
ROWS_ONLY = {
    "neighbors.KernelDensity": "scikit-learn's",
    "sequence.MarkovChain": "its states are the rows: nothing is hidden",
    "graphical.BayesianNetwork": "all variables are columns of the rows: nothing is hidden",
    "sampling.GibbsSampler": "a result, Chains",
    "sampling.HamiltonianMonteCarlo": "a result, Chains",
    "sampling.MetropolisHastings": "a result, Chains",
    "reinforcement.ReplayBuffer": "a batch of stored steps",
}


def test_samples_count_rows_by_one_word():
    models = {path: method for path, method in with_method("sample").items() if hasattr(CLASSES[path], "fit")}
    for path, method in models.items():
        first = parameters(method)[1]
        distribution = any(base.__name__ in ("Distribution", "JointTable") for base in CLASSES[path].__mro__)
        assert first == ("size" if distribution else "n_samples"), path
    assert len(models) > 25


def models_that_sample():
    from novum import decision_theory, decomposition, discriminant_analysis, mixture, naive_bayes, sequence

    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(40, 2)), rng.normal(5, 1, (40, 2))])
    y, bits, counts = np.repeat([0, 1], 40), (X > 1).astype(float), rng.poisson(3, (80, 1))
    short = {"max_iter": 3, "tol": 1e9}
    yield mixture.GaussianMixture(2, random_state=0).fit(X)
    yield mixture.BayesianGaussianMixture(n_components=2, random_state=0).fit(X)
    yield mixture.BernoulliMixture(2, random_state=0).fit(bits)
    yield sequence.GaussianHMM(2, random_state=0, n_init=1, **short).fit(X)
    yield sequence.GMMHMM(2, 2, random_state=0, n_init=1, **short).fit(X)
    yield sequence.PoissonHMM(2, random_state=0, n_init=1, **short).fit(counts)
    yield sequence.CategoricalHMM(2, random_state=0, n_init=1, **short).fit(counts)
    system = {
        "transition": [[1.0]],
        "transition_covariance": [[1.0]],
        "observation": [[1.0]],
        "observation_covariance": [[1.0]],
    }
    yield sequence.LinearDynamicalSystem(**system, initial_mean=[0.0], initial_covariance=[[1.0]])
    yield discriminant_analysis.LinearDiscriminantAnalysis().fit(X, y)
    yield discriminant_analysis.QuadraticDiscriminantAnalysis().fit(X, y)
    yield decision_theory.GenerativeClassifier("normal").fit(X[:, :1], y)
    yield naive_bayes.MixedNB().fit(X, y)
    yield decomposition.ProbabilisticPCA(1).fit(X)
    yield decomposition.FactorAnalysis(1).fit(X)


@pytest.mark.filterwarnings("ignore")
def test_models_return_rows_and_states_and_a_score_per_row():
    seen = 0
    for model in models_that_sample():
        name = type(model).__name__
        drawn = model.sample(7)
        assert isinstance(drawn, tuple) and len(drawn) == 2, name
        rows, states = drawn
        assert len(rows) == len(states) == 7 and np.ndim(rows) == 2, name
        if hasattr(model, "score_samples"):
            assert np.shape(model.score_samples(rows)) == (7,), name
            seen += 1
    assert seen > 8


def test_every_model_that_samples_is_listed_or_returns_two():
    """Annotations say it of those that are not drawn from above."""
    for path, method in with_method("sample").items():
        if not hasattr(CLASSES[path], "fit") or parameters(method)[1] == "size" or path in ROWS_ONLY:
            continue
        text = inspect.getdoc(method) or ""
        words = ("states", "labels", "classes", "component", "noise", "code", "hidden", "factors")
        assert any(word in text for word in words), path
    assert set(ROWS_ONLY) <= set(with_method("sample"))


def test_scores_of_samples_take_rows_first():
    for path, method in with_method("score_samples").items():
        assert parameters(method)[1] == "X", path


def test_forecasts_say_steps():
    found = with_method("forecast")
    for path, method in found.items():
        names = parameters(method)
        assert "steps" in names and inspect.signature(method).parameters["steps"].default == 1, path
    assert len(found) > 9


def test_aic_and_bic_take_the_same():
    for path in with_method("aic").keys() | with_method("bic").keys():
        cls = CLASSES[path]
        if not hasattr(cls, "fit"):
            continue
        names = [parameters(getattr(cls, word)) for word in ("aic", "bic")]
        assert names[0] == names[1] and names[0][1] == "X", path
    assert inspect.signature(novum.evaluation.aic) == inspect.signature(novum.evaluation.bic)


def test_inference_has_one_signature():
    common = ["self", "X", "y", "sample_weight", "covariance", "level", "weights", "groups"]
    found = {path: method for path, method in with_method("inference").items() if hasattr(CLASSES[path], "fit")}
    defaults = set()
    for path, method in found.items():
        signature = inspect.signature(method)
        assert list(signature.parameters)[: len(common)] == common, path
        defaults.add(tuple(signature.parameters[name].default for name in common[1:]))
    assert len(found) == 6 and len(defaults) == 1, defaults


def test_uncertainty_of_predictions_has_one_vocabulary():
    found = with_method("predict")
    uncertain = {path: parameters(method) for path, method in found.items() if "return_std" in parameters(method)}
    for path, names in uncertain.items():
        assert {"interval", "level"} <= set(names), path
    assert {"interval", "level"} <= set(parameters(novum.evaluation.ConformalRegressor.predict))
    assert len(uncertain) > 7
    assert not with_method("predict_interval")


def test_models_are_saved_by_save_alone():
    assert not with_method("save") and not with_method("load")


def test_the_command_line_spells_the_parameters_of_a_study():
    from typer.testing import CliRunner

    from novum.cli import application
    from novum.cli.study import command
    from novum.study import Study

    own = {"table", "out", "resume", "sep", "encoding", "export"}  # where to read and to write
    options = set(parameters(command)) - own
    assert options <= set(parameters(Study)), options - set(parameters(Study))
    printed = (
        CliRunner().invoke(application(), ["study", "--help"], env={"COLUMNS": "120", "TERMINAL_WIDTH": "120"}).stdout
    )
    assert "--time-limit,--budget" in printed and "--random-state,--seed" in printed and "--scoring" in printed
