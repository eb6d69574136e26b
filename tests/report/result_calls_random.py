"""The same for sequences, samplers, approximations and decisions."""

import networkx as nx
import numpy as np
from sklearn.datasets import load_iris

from novum import (
    bandits,
    cluster,
    distributions,
    kernels,
    mixture,
    optimize,
    reinforcement,
    sampling,
    sequence,
    teaching,
    variational,
)
from novum.datasets import (
    load_nile,
)


def iris():
    return load_iris().data


def nile():
    return sequence.LinearDynamicalSystem.local_level(level_variance=1469.0, observation_variance=15099.0)


def weather():
    return sequence.MarkovChain(transition=[[0.9, 0.1], [0.5, 0.5]], states=["sun", "<rain>"])


SEQUENCES = {
    "FilteredStates": lambda: nile().filter(load_nile()["volume"]),
    "SmoothedStates": lambda: nile().smooth(load_nile()["volume"]),
    "Forecast of a system": lambda: nile().forecast(load_nile()["volume"], 5),
    "SteadyState": lambda: nile().steady_state(),
    "ChainClasses": lambda: weather().classes(),
    "ChainVerdict": lambda: weather().is_ergodic(),
    "MixingTime": lambda: weather().mixing_time(),
    "OrderComparison": lambda: sequence.MarkovChain().compare_orders("abbabaabbaabababba"),
    "HomogeneityCheck": lambda: sequence.MarkovChain().check_homogeneity("abbabaabbaabababba"),
}

DRAWS = {
    "MonteCarloEstimate": lambda: sampling.monte_carlo(distributions.Normal(0, 1), n_samples=50, random_state=0),
    "RejectionSample": lambda: sampling.rejection_sample(
        lambda x: x * (1 - x), distributions.Uniform(0, 1), 50, bound=0.25, random_state=0
    ),
    "ImportanceSample": lambda: sampling.importance_sample(
        lambda x: -0.5 * x**2, distributions.StudentT(5), n_samples=50, random_state=0
    ),
    "Chains": lambda: sampling.GibbsSampler({"x": lambda state, rng: rng.normal()}).sample(
        500, start={"x": 0.0}, n_warmup=0, random_state=0
    ),
    "ChainDiagnosis": lambda: DRAWS["Chains"]().diagnosis,
}

APPROXIMATIONS = {
    "Bound": lambda: variational.elbo(np.log([0.1, 0.3]), [0.5, 0.5]),
    "ExpectationMaximization": lambda: variational.em(
        np.array([0.0, 4.0]),
        lambda q, mu: q.T @ [0.0, 1.0, 4.0, 5.0] / q.sum(axis=0),
        log_joint=lambda mu: -0.5 * (np.array([[0.0], [1.0], [4.0], [5.0]]) - mu) ** 2,
    ),
    "MeanField": lambda: variational.mean_field(np.log([[0.3, 0.1], [0.05, 0.15]]), random_state=0),
    "VariationalNormal": lambda: variational.vb_normal([1, 2, 4], distributions.NormalGamma(0, 1, 2, 1)),
    "LaplaceApproximation": lambda: variational.laplace(lambda x: -float(x @ x), [1.0, 0.5]),
    "GradientEstimate": lambda: variational.pathwise_gradient(
        lambda z: z[:, 0] ** 2, {"mean": [1.0], "scale": [0.5]}, random_state=0
    ),
    "KernelCheck": lambda: kernels.Sigmoid(coef0=-1.0).is_psd([[0.0], [1.0], [2.0]]),
    "SharedWords": lambda: kernels.Spectrum(3).compare("banana", "ananas"),
    "IsomorphismTest": lambda: kernels.wl_isomorphism_test(nx.path_graph(4), nx.star_graph(3)),
}

PLAYS = {
    "Simulation": lambda: bandits.simulate(
        bandits.BernoulliBandit([0.9, 0.5]), [bandits.UCB1(), bandits.Greedy()], 50, n_runs=5, random_state=0
    ),
    "LoggedValue": lambda: bandits.evaluate_logged([0, 1] * 50, [1.0, 0.0] * 50, [0.5] * 100, [0.5, 0.5]),
    "SelfPlay": lambda: teaching.self_play(n_games=4, n_checks=2, check_games=4, random_state=0),
    "Tournament": lambda: PLAYS["SelfPlay"]().against("random", 4, random_state=0),
    "BoardValue": lambda: teaching.minimax(teaching.ConnectFour(2, 2, connect=2)),
    "AgentComparison": lambda: reinforcement.compare_agents(
        {"a": [1, 2, 3, 4, 5.0], "b": [2, 2, 3, 4, 4.0]}, n_resamples=100
    ),
    "LearningCurve": lambda: (
        reinforcement.SemiGradientSARSA(
            reinforcement.StateFeatures("one-hot"), n_episodes=5, max_steps=20, exploration=0.5, random_state=0
        )
        .fit(reinforcement.room_4x3())
        .history_
    ),
}

DECISIONS = {
    "Plan": lambda: reinforcement.value_iteration(reinforcement.room_4x3()),
    "Policy": lambda: reinforcement.Policy.uniform(teaching.two_state()),
    "PolicyValues": lambda: teaching.two_state().evaluate(),
    "StagedPlan": lambda: reinforcement.backward_induction(teaching.two_state(), 3),
    "Regimes": lambda: teaching.policy_regimes(reinforcement.room_4x3),
    "Episode": lambda: reinforcement.room_4x3().rollout(random_state=1),
    "Returns": lambda: reinforcement.room_4x3().simulate(n_episodes=50),
    "OperatorCheck": lambda: teaching.two_state().check_operator(),
    "RewardProcess": lambda: teaching.two_state().reward_process(),
    "PlanningCost": lambda: teaching.planning_cost(teaching.two_state()),
    "ScheduleCheck": lambda: optimize.Schedule("power", 1.0, 0.7).glie(),
    "PlanComparison": lambda: (
        reinforcement.QLearning(50, random_state=0)
        .fit(reinforcement.room_4x3())
        .compare(reinforcement.value_iteration(reinforcement.room_4x3()))
    ),
}

CLUSTERS = {
    "Elbow": lambda: cluster.elbow(iris(), max_clusters=4, random_state=0),
    "Gap": lambda: cluster.gap_statistic(iris(), max_clusters=4, n_references=3, random_state=0),
    "ClusterChoice": lambda: cluster.choose_clusters(
        iris(),
        max_clusters=4,
        models=[mixture.GaussianMixture(), mixture.BayesianGaussianMixture()],
        n_resamples=3,
        random_state=0,
    ),
    "QuantizedImage": lambda: cluster.quantize_image(np.arange(48.0).reshape(4, 4, 3) / 48, 2, random_state=0),
    "Agreement": lambda: cluster.clustering_agreement([0, 0, 1, 1] * 10, [0, 1, 1, 1] * 10, random_state=0),
}
