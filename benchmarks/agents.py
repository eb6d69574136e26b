"""DQN and PPO on CartPole-v1 against Stable-Baselines3 with the settings of its zoo; one thread of PyTorch, one seed a run.

A size is the number of steps; the quality is the mean return of 100 episodes of the trained agent (475 counts as solved).
"""

import warnings

import gymnasium
import numpy as np

from benchmarks.harness import Case
from novum.reinforcement import DQN, ActorCritic


def ours(make):
    return lambda n: make().set_params(total_steps=n).fit("CartPole-v1").evaluate("CartPole-v1", 100).totals


def theirs(method):
    def run(n):
        import torch
        from stable_baselines3 import DQN, PPO
        from stable_baselines3.common.env_util import make_vec_env
        from stable_baselines3.common.evaluation import evaluate_policy

        torch.set_num_threads(1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if method == "PPO":
                agent = PPO(
                    "MlpPolicy",
                    make_vec_env("CartPole-v1", 8, seed=0),
                    n_steps=32,
                    batch_size=256,
                    gae_lambda=0.8,
                    gamma=0.98,
                    n_epochs=20,
                    ent_coef=0.0,
                    learning_rate=lambda left: 1e-3 * left,
                    clip_range=lambda left: 0.2 * left,
                    seed=0,
                    device="cpu",
                )
            else:
                agent = DQN(
                    "MlpPolicy",
                    make_vec_env("CartPole-v1", 1, seed=0),
                    learning_rate=2.3e-3,
                    batch_size=64,
                    buffer_size=100_000,
                    learning_starts=1000,
                    gamma=0.99,
                    target_update_interval=10,
                    train_freq=256,
                    gradient_steps=128,
                    exploration_fraction=0.16,
                    exploration_final_eps=0.04,
                    policy_kwargs={"net_arch": [256, 256]},
                    seed=0,
                    device="cpu",
                )
            agent.learn(n)
            returns, _ = evaluate_policy(agent, gymnasium.make("CartPole-v1"), 100, return_episode_rewards=True)
        return np.array(returns)

    return run


def mean_return(returns, _):
    return round(float(returns.mean()), 1)


CASES = [
    Case(
        "PPO, CartPole-v1",
        lambda n: n,
        {"novum": ours(lambda: ActorCritic(device="cpu", random_state=0)), "Stable-Baselines3": theirs("PPO")},
        mean_return,
        (25_000, 50_000, 100_000),
        {"Stable-Baselines3": 1.0},
    ),
    Case(
        "DQN, CartPole-v1",
        lambda n: n,
        {"novum": ours(lambda: DQN(device="cpu", random_state=0)), "Stable-Baselines3": theirs("DQN")},
        mean_return,
        (25_000, 50_000),
        {"Stable-Baselines3": 1.0},
    ),
]
