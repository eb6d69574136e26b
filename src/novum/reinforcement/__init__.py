"""Decisions over time: processes, plans, and agents that learn from experience."""

from novum.reinforcement.agent_comparison import compare_agents
from novum.reinforcement.control.adaptive import ADP
from novum.reinforcement.control.agents import SARSA, ExpectedSARSA, QLearning
from novum.reinforcement.control.monte_carlo import MonteCarloControl
from novum.reinforcement.deep.actor_critic import ActorCritic
from novum.reinforcement.deep.dqn import DQN
from novum.reinforcement.deep.reinforce import REINFORCE
from novum.reinforcement.games.self_play import self_play
from novum.reinforcement.linear.features import StateFeatures
from novum.reinforcement.linear.semi_gradient import SemiGradientSARSA, SemiGradientTD
from novum.reinforcement.mdp import MDP
from novum.reinforcement.planning.horizon import backward_induction
from novum.reinforcement.planning.policy import modified_policy_iteration, policy_iteration
from novum.reinforcement.planning.programs import linear_program
from novum.reinforcement.planning.value import value_iteration
from novum.reinforcement.policies import Policy
from novum.reinforcement.prediction.learners import TD, MonteCarloPrediction
from novum.reinforcement.schedules import Schedule
from novum.reinforcement.worlds.grids import grid_world, room_4x3
from novum.runtime.moved_names import moved_names

__all__ = [
    "ADP",
    "DQN",
    "MDP",
    "REINFORCE",
    "SARSA",
    "TD",
    "ActorCritic",
    "ExpectedSARSA",
    "MonteCarloControl",
    "MonteCarloPrediction",
    "Policy",
    "QLearning",
    "Schedule",
    "SemiGradientSARSA",
    "SemiGradientTD",
    "StateFeatures",
    "backward_induction",
    "compare_agents",
    "grid_world",
    "linear_program",
    "modified_policy_iteration",
    "policy_iteration",
    "room_4x3",
    "self_play",
    "value_iteration",
]

__getattr__ = moved_names(
    __name__,
    {
        ".agent_comparison": "AgentComparison",
        ".bellman": "OperatorCheck RewardProcess",
        ".deep.replay": "ReplayBuffer",
        ".episodes": "Episode Returns return_bound returns",
        ".games.checkers": "Checkers",
        ".games.search": "BoardValue minimax",
        ".games.self_play": "LinearEvaluation SelfPlay Tournament win_rate",
        ".games.tic_tac_toe": "ConnectFour TicTacToe",
        ".learning_curves": "LearningCurve plot_learning_curves",
        ".methods": "method_tags",
        ".planning.cost": "planning_cost",
        ".planning.evaluation": "PolicyValues",
        ".planning.horizon": "StagedPlan",
        ".planning.plan": "Plan",
        ".planning.regimes": "Regimes policy_regimes",
        ".schedules": "running_mean",
        ".worlds.classics": "cliff_walk gambler garnet inventory random_walk two_state windy_grid",
        ".worlds.games": "blackjack pixel_catch pixels_of",
    },
)
