"""A parameter or an attribute that several classes of a family share is described in the same words, or there is a reason."""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module

import pytest

ENTRY = re.compile(r"(?m)^(\S[^\n]*)\n((?:[ \t]+[^\n]*\n|\n(?=[ \t]))*)")
LETTERS = re.compile(r": s startprob[^.]*")  # which letters there are depends on the emission


@dataclass
class Group:
    """Classes of a package that describe what they share alike."""

    package: str
    member: Callable[[type], bool]
    least: int  # classes, so that a renamed base does not empty the group
    differ: dict[str, str] = field(default_factory=dict)  # name -> why its descriptions are not the same
    names: Callable[[str], bool] = lambda name: True


def is_hmm(cls: type) -> bool:
    return cls.__name__.endswith("HMM") or cls.__name__ == "HiddenMarkovModel"


def is_variational(cls: type) -> bool:
    return is_hmm(cls) and cls.__name__.startswith("Variational")


def is_network(cls: type) -> bool:
    from novum.neural_network.training.network import NetworkEstimator

    return issubclass(cls, NetworkEstimator)


CONTROL = ("ADP", "SARSA", "ExpectedSARSA", "QLearning", "MonteCarloControl")
PREDICTION = ("TD", "MonteCarloPrediction")
TRAINING = [
    "averaging",
    "batch_size",
    "checkpoint",
    "clip_norm",
    "compile",
    "device",
    "learning_rate",
    "max_epochs",
    "mixed_precision",
    "optimizer",
    "patience",
    "random_state",
    "schedule",
    "tol",
    "validation_fraction",
    "verbose",
    "warmup_steps",
    "weight_decay",
    "module_",
    "weights_",
    "config_",
    "n_epochs_",
    "best_epoch_",
]
OF_MIXTURES = "of GMMHMM there is one for every Gaussian of a state"
OF_POSTERIORS = "the variational models have a prior or a posterior where the others have a number"

GROUPS = {
    "hidden Markov models by Baum-Welch": Group(
        "novum.sequence",
        lambda cls: is_hmm(cls) and not is_variational(cls),
        6,
        {
            "covariance_type": OF_MIXTURES,
            "covars_": OF_MIXTURES,
            "covars_prior": "hmmlearn has another prior for mixtures",
            "covars_weight": "hmmlearn has another prior for mixtures",
            "n_components": "HiddenMarkovModel takes it from its list of distributions",
        },
    ),
    "variational hidden Markov models": Group(
        "novum.sequence",
        is_variational,
        2,
        dict.fromkeys(("startprob_", "transmat_"), "covars_ is no mean of a posterior"),
    ),
    "all hidden Markov models": Group(
        "novum.sequence",
        is_hmm,
        8,
        {
            **dict.fromkeys(("covariance_type", "covars_"), OF_MIXTURES),
            **dict.fromkeys(("covars_prior", "covars_weight"), "hmmlearn has another prior for mixtures"),
            **dict.fromkeys(("emissionprob_", "means_", "startprob_", "transmat_", "history_"), OF_POSTERIORS),
            **dict.fromkeys(("emissionprob_prior", "means_prior", "startprob_prior", "transmat_prior"), OF_POSTERIORS),
            **dict.fromkeys(("n_components", "n_init", "tol"), OF_POSTERIORS),
        },
    ),
    "networks on PyTorch": Group(
        "novum.neural_network",
        is_network,
        14,
        {
            "averaging": "of a GAN the average makes samples",
            "batch_size": "a step of GraphNetwork takes nodes, edges or graphs",
            "patience": "the losses of a GAN need not fall",
        },
        TRAINING.__contains__,
    ),
    "tabular agents that act": Group(
        "novum.reinforcement",
        lambda cls: cls.__name__ in CONTROL,
        5,
        {
            "exploration": "only some explore by temperature, and Monte Carlo has a default of its own",
            "planning_steps": "Dyna is called Dyna-Q with Q-learning",
            "target_exploration": "SARSA learns about another policy by importance sampling, ExpectedSARSA by expectation",
        },
    ),
    "tabular agents that judge": Group(
        "novum.reinforcement",
        lambda cls: cls.__name__ in PREDICTION,
        2,
        dict.fromkeys(("step_size", "learning_rate"), "Monte Carlo takes the plain mean by default"),
    ),
    "histogram boosting": Group(
        "novum.ensemble",
        lambda cls: cls.__name__.startswith("HistGradientBoosting"),
        2,
        {"loss": "the losses of a regression need explaining"},
    ),
    "multilayer perceptrons": Group("novum.neural_network", lambda cls: cls.__name__.startswith("MLP"), 2),
}


def classes_of(group: Group) -> list[type]:
    package = import_module(group.package)
    found = (getattr(package, name) for name in package.__all__)
    return [cls for cls in found if inspect.isclass(cls) and group.member(cls)]


def described(cls: type) -> dict[str, str]:
    """Return the description of every parameter and attribute, without its line of types and defaults."""
    text, found = inspect.cleandoc(cls.__doc__ or "") + "\n", {}
    for part in re.finditer(r"(?ms)^(?:Parameters|Attributes)\n-+\n(.*?)(?=^\w[\w ]*\n-+\n|\Z)", text):
        for head, body in ENTRY.findall(part.group(1)):
            for name in head.split(" : ")[0].split(","):
                found[name.strip()] = LETTERS.sub("", " ".join(body.split()))
    return found


@pytest.mark.parametrize("name", GROUPS)
def test_what_classes_share_is_described_alike(name):
    group = GROUPS[name]
    classes = classes_of(group)
    assert len(classes) >= group.least
    texts: dict[str, dict[str, list[str]]] = {}
    for cls in classes:
        for entry, body in described(cls).items():
            if group.names(entry):
                texts.setdefault(entry, {}).setdefault(body, []).append(cls.__name__)
    unlike = {entry: found for entry, found in texts.items() if len(found) > 1}
    assert not {entry: found for entry, found in unlike.items() if entry not in group.differ}
    assert not [entry for entry in group.differ if entry in texts and entry not in unlike], "alike by now: no exception"


def test_descriptions_are_found():
    from novum.sequence import GaussianHMM

    found = described(GaussianHMM)
    assert found["means_weight"] == found["means_prior"] == "Mean and weight, in rows, of the normal prior of `means_`."
    assert found["transmat_"] == "From row to column." and found["startprob_"] == ""


def test_hidden_markov_models_share_their_first_note():
    def first_note(cls: type) -> str:
        return inspect.cleandoc(cls.__doc__ or "").split("Notes\n-----\n")[1].split("\n\n")[0]

    assert len({first_note(cls) for cls in classes_of(GROUPS["all hidden Markov models"])}) == 1
