"""Decisions over time: processes, plans, and agents that learn from experience."""

from typing import TYPE_CHECKING

from novum.runtime.lazy import lazily

if TYPE_CHECKING:
    from novum.reinforcement.agent_comparison import AgentComparison, compare_agents
    from novum.reinforcement.bellman import OperatorCheck, RewardProcess
    from novum.reinforcement.control.adaptive import ADP
    from novum.reinforcement.control.agents import SARSA, ExpectedSARSA, QLearning
    from novum.reinforcement.control.monte_carlo import MonteCarloControl
    from novum.reinforcement.deep.actor_critic import ActorCritic
    from novum.reinforcement.deep.dqn import DQN
    from novum.reinforcement.deep.reinforce import REINFORCE
    from novum.reinforcement.deep.replay import ReplayBuffer
    from novum.reinforcement.episodes import Episode, Returns, return_bound, returns
    from novum.reinforcement.learning_curves import LearningCurve, plot_learning_curves
    from novum.reinforcement.linear.features import StateFeatures
    from novum.reinforcement.linear.semi_gradient import SemiGradientSARSA, SemiGradientTD
    from novum.reinforcement.mdp import MDP
    from novum.reinforcement.methods import method_tags
    from novum.reinforcement.planning.evaluation import PolicyValues
    from novum.reinforcement.planning.horizon import StagedPlan, backward_induction
    from novum.reinforcement.planning.plan import Plan
    from novum.reinforcement.planning.policy import modified_policy_iteration, policy_iteration
    from novum.reinforcement.planning.programs import linear_program
    from novum.reinforcement.planning.value import value_iteration
    from novum.reinforcement.policies import Policy
    from novum.reinforcement.prediction.learners import TD, MonteCarloPrediction
    from novum.reinforcement.schedules import running_mean
    from novum.reinforcement.worlds.grids import grid_world, room_4x3
else:
    __getattr__, __dir__ = lazily(
        __name__,
        {
            ".agent_comparison": "AgentComparison compare_agents",
            ".bellman": "OperatorCheck RewardProcess",
            ".control.adaptive": "ADP",
            ".control.agents": "SARSA ExpectedSARSA QLearning",
            ".control.monte_carlo": "MonteCarloControl",
            ".deep.actor_critic": "ActorCritic",
            ".deep.dqn": "DQN",
            ".deep.reinforce": "REINFORCE",
            ".deep.replay": "ReplayBuffer",
            ".episodes": "Episode Returns return_bound returns",
            ".learning_curves": "LearningCurve plot_learning_curves",
            ".linear.features": "StateFeatures",
            ".linear.semi_gradient": "SemiGradientSARSA SemiGradientTD",
            ".mdp": "MDP",
            ".methods": "method_tags",
            ".planning.evaluation": "PolicyValues",
            ".planning.horizon": "StagedPlan backward_induction",
            ".planning.plan": "Plan",
            ".planning.policy": "modified_policy_iteration policy_iteration",
            ".planning.programs": "linear_program",
            ".planning.value": "value_iteration",
            ".policies": "Policy",
            ".prediction.learners": "TD MonteCarloPrediction",
            ".schedules": "running_mean",
            ".worlds.grids": "grid_world room_4x3",
        },
    )

__all__ = [
    "ADP",
    "DQN",
    "MDP",
    "REINFORCE",
    "SARSA",
    "TD",
    "ActorCritic",
    "AgentComparison",
    "Episode",
    "ExpectedSARSA",
    "LearningCurve",
    "MonteCarloControl",
    "MonteCarloPrediction",
    "OperatorCheck",
    "Plan",
    "Policy",
    "PolicyValues",
    "QLearning",
    "ReplayBuffer",
    "Returns",
    "RewardProcess",
    "SemiGradientSARSA",
    "SemiGradientTD",
    "StagedPlan",
    "StateFeatures",
    "backward_induction",
    "compare_agents",
    "grid_world",
    "linear_program",
    "method_tags",
    "modified_policy_iteration",
    "plot_learning_curves",
    "policy_iteration",
    "return_bound",
    "returns",
    "room_4x3",
    "running_mean",
    "value_iteration",
]
