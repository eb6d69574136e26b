"""Decisions over time: processes, plans, and agents that learn from experience."""

from novum.reinforcement.agent_comparison import compare_agents
from novum.reinforcement.deep.actor_critic import ActorCritic
from novum.reinforcement.deep.dqn import DQN
from novum.reinforcement.deep.reinforce import REINFORCE
from novum.reinforcement.games.self_play import self_play
from novum.reinforcement.linear.features import StateFeatures
from novum.reinforcement.linear.semi_gradient import SemiGradientSARSA, SemiGradientTD
from novum.reinforcement.mdp import MDP
from novum.reinforcement.policies import Policy
from novum.reinforcement.worlds.grids import grid_world, room_4x3

__all__ = [
    "DQN",
    "MDP",
    "REINFORCE",
    "ActorCritic",
    "Policy",
    "SemiGradientSARSA",
    "SemiGradientTD",
    "StateFeatures",
    "compare_agents",
    "grid_world",
    "room_4x3",
    "self_play",
]
