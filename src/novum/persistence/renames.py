"""What changed its name between the formats of model files: the one table that `novum convert` goes by.

`CHANGES[format]` lists, in order, what leads from a format to the next. To rename a class that model files hold, or one of
its parameters or attributes, add a line to the last entry; `tests/persistence/test_conversion.py` compares the table with
the classes of every past version and names what is missing, line by line.
"""

from typing import Any, NamedTuple

__all__ = ["CHANGES", "FORMAT", "Changes"]

FORMAT = "2"  # of the files that this version writes, and the only one that it loads


class Changes(NamedTuple):
    """One step from names to later names; classes are given by their full path, as files say it before the step."""

    modules: dict[str, str] = {}  # a whole module: its old and its new path
    classes: dict[str, str] = {}  # one class, where the module alone does not tell
    attributes: dict[str, dict[str, str | None]] = {}  # of a class: parameters and attributes; None: no longer kept
    added: dict[str, dict[str, Any]] = {}  # to a class: parameters that it did not have, with what it did then


def alike(paths: tuple[str, ...], names: dict[str, str | None]) -> dict[str, dict[str, str | None]]:
    """Return the same renames for several classes."""
    return dict.fromkeys(paths, names)


# The first files of 0.1.0 were written before modules that share a prefix were gathered in packages.
INTO_PACKAGES = Changes(
    modules={
        "novum.distributions.conjugate_predictive": "novum.distributions.conjugate.predictive",
        "novum.distributions.conjugate_sequence": "novum.distributions.conjugate.sequence",
        "novum.distributions.estimate_compare": "novum.distributions.estimation.compare",
        "novum.distributions.estimate_mean": "novum.distributions.estimation.sample_mean",
        "novum.distributions.estimate_result": "novum.distributions.estimation.result",
        "novum.distributions.table": "novum.distributions.tables.joint",
        "novum.distributions.table_conditional": "novum.distributions.tables.conditional",
        "novum.distributions.table_independence": "novum.distributions.tables.independence",
        "novum.ensemble.adaboost_classifier": "novum.ensemble.adaboost.classifier",
        "novum.ensemble.adaboost_regressor": "novum.ensemble.adaboost.regressor",
        "novum.evaluation.conformal_classifier": "novum.evaluation.conformal.classifier",
        "novum.evaluation.conformal_regressor": "novum.evaluation.conformal.regressor",
        "novum.graphical.gaussian": "novum.graphical.real.nodes",
        "novum.linear_model.elastic_net": "novum.linear_model.penalized.elastic_net",
        "novum.linear_model.elastic_net_cv": "novum.linear_model.penalized.elastic_net_cv",
        "novum.linear_model.inference": "novum.linear_model.least_squares.inference",
        "novum.linear_model.logistic": "novum.linear_model.logistic.estimator",
        "novum.linear_model.logistic_cv": "novum.linear_model.logistic.cv",
        "novum.linear_model.logistic_inference": "novum.linear_model.logistic.inference",
        "novum.linear_model.multi_task": "novum.linear_model.penalized.multi_task",
        "novum.linear_model.multi_task_cv": "novum.linear_model.penalized.multi_task_cv",
        "novum.tree._table": "novum.engines.trees.nodes",
    }
)
# What 0.2.0 calls otherwise than 0.1.0 did.
TO_0_2_0 = Changes(
    modules={
        "novum.distributions.bernoulli": "novum.distributions.discrete.bernoulli",
        "novum.distributions.beta": "novum.distributions.continuous.beta",
        "novum.distributions.binomial": "novum.distributions.discrete.binomial",
        "novum.distributions.categorical": "novum.distributions.discrete.categorical",
        "novum.distributions.continuous": "novum.distributions.continuous.random_variable",
        "novum.distributions.dirichlet": "novum.distributions.multivariate.dirichlet",
        "novum.distributions.discrete": "novum.distributions.discrete.random_variable",
        "novum.distributions.estimation.sample_mean": "novum.teaching.statistics.sample_mean",
        "novum.distributions.exponential": "novum.distributions.continuous.exponential",
        "novum.distributions.gamma": "novum.distributions.continuous.gamma",
        "novum.distributions.multinomial": "novum.distributions.discrete.multinomial",
        "novum.distributions.multivariate_normal": "novum.distributions.multivariate.multivariate_normal",
        "novum.distributions.multivariate_student_t": "novum.distributions.multivariate.multivariate_student_t",
        "novum.distributions.normal": "novum.distributions.continuous.normal",
        "novum.distributions.normal_gamma": "novum.distributions.multivariate.normal_gamma",
        "novum.distributions.normal_inverse_wishart": "novum.distributions.multivariate.normal_inverse_wishart",
        "novum.distributions.poisson": "novum.distributions.discrete.poisson",
        "novum.distributions.student_t": "novum.distributions.continuous.student_t",
        "novum.distributions.uniform": "novum.distributions.continuous.uniform",
        "novum.reinforcement.games.search": "novum.teaching.games.search",
        "novum.evaluation.stability": "novum.evaluation.selection.stability",
        "novum.graphical.classifier": "novum.graphical.networks.classifier",
        "novum.graphical.dag": "novum.graphical.graphs.dag",
        "novum.graphical.undirected": "novum.graphical.graphs.undirected",
        "novum.study.blend": "novum.study.comparison.blend",
    },
    classes={
        "novum.neural_network.transformer.estimators.TransformerClassifier": (
            "novum.neural_network.transformer.classifier.TransformerClassifier"
        ),
        "novum.neural_network.transformer.estimators.TransformerSeq2Seq": (
            "novum.neural_network.transformer.seq2seq.TransformerSeq2Seq"
        ),
        **{
            f"novum.ensemble.hist_gradient_boosting.HistGradientBoosting{kind}": (
                f"novum.ensemble.boosting.{kind.lower()}.HistGradientBoosting{kind}"
            )
            for kind in ("Classifier", "Regressor")
        },
        "novum.optimize.schedules.Schedule": "novum.optimize.schedule_base.Schedule",
        "novum.reinforcement.schedules.Schedule": "novum.optimize.schedule_base.Schedule",
        "novum.linear_model.logistic.separation.Separation": "novum.linear_model.logistic.separation.SeparatingDirection",
        "novum.sequence.hmm.categorical.MultinomialHMM": "novum.sequence.hmm.multinomial.MultinomialHMM",
    },
    attributes={
        "novum.graphical.classifier.BayesianNetworkClassifier": {"score_name": "scoring"},
        "novum.kernels.perceptron.KernelPerceptron": {"eta0": "learning_rate"},
        "novum.neural_network.feed_forward.graph.FeedForwardGraph": {"learning_rate_init": "learning_rate"},
        "novum.neural_network.generative.boltzmann.deep.DeepBoltzmannMachine": {
            "n_iter": "max_epochs",
            "n_pretrain": "pretrain_epochs",
            "pretrain_rate": "pretrain_learning_rate",
        },
        "novum.neural_network.generative.boltzmann.restricted.RestrictedBoltzmannMachine": {
            "n_iter": "max_epochs",
            "visible_spread_": "visible_scale_",
        },
        **alike(
            (
                "novum.reinforcement.control.adaptive.ADP",
                "novum.reinforcement.control.monte_carlo.MonteCarloControl",
            ),
            {"episodes": "n_episodes", "n_steps_": "total_steps_"},
        ),
        **alike(
            (
                "novum.reinforcement.control.agents.ExpectedSARSA",
                "novum.reinforcement.control.agents.QLearning",
                "novum.reinforcement.control.agents.SARSA",
                "novum.reinforcement.prediction.learners.MonteCarloPrediction",
                "novum.reinforcement.prediction.learners.TD",
            ),
            {"episodes": "n_episodes", "step_size": "learning_rate", "n_steps_": "total_steps_"},
        ),
        **alike(
            (
                "novum.kernels.graphs.WeisfeilerLehman",
                "novum.sequence.hmm.categorical.CategoricalHMM",
                "novum.sequence.hmm.categorical.MultinomialHMM",
                "novum.sequence.hmm.gaussian.GaussianHMM",
                "novum.sequence.hmm.gaussian_mixture.GMMHMM",
                "novum.sequence.hmm.generic.HiddenMarkovModel",
                "novum.sequence.hmm.poisson.PoissonHMM",
                "novum.sequence.hmm.variational.categorical.VariationalCategoricalHMM",
                "novum.sequence.hmm.variational.gaussian.VariationalGaussianHMM",
            ),
            {"n_iter": "max_iter"},
        ),
    },
    added={"novum.study.blend.Blend": {"temperature": 1.0}},
)

CHANGES: dict[str, tuple[Changes, ...]] = {"1": (INTO_PACKAGES, TO_0_2_0)}  # the formats in order
