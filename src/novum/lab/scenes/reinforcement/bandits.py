"""A bandit, pull by pull: what a policy believes of its arms, what it has lost, and how a person does with the same arms."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from novum.lab.calls import Call, code_of, python_script
from novum.lab.controls import Choice, Refusal, Slider, Text
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.views import bars, curve, intervals, number

ARMS = 4
LEVEL = 0.95  # of the intervals of posteriors
UPPER = {"ucb1": "ucb1", "thompson": "thompson", "exp3": "exp3-anytime"}
HAND = 1  # the stream of a person's rewards; that of the policy is 0


class BanditSteps(Scene):
    name = "bandits"
    family = "reinforcement"
    rows = ("003/16/ucb1", "003/16/thompson", "003/16/fig-regret", "003/16/exp3")
    policy = Choice(("ucb1", "kl-ucb", "thompson", "exp3", "epsilon", "greedy"), "thompson")
    exploration = Slider(0.0, 2.0, 0.1, hidden_when={"policy": ["kl-ucb", "thompson", "exp3", "greedy", "ucb1"]})
    width = Slider(0.0, 4.0, 2.0, hidden_when={"policy": ["kl-ucb", "thompson", "exp3", "greedy", "epsilon"]})
    arm1 = Slider(0.0, 1.0, 0.3)
    arm2 = Slider(0.0, 1.0, 0.5)
    arm3 = Slider(0.0, 1.0, 0.6)
    arm4 = Slider(0.0, 1.0, 0.7)
    pulls = Slider(10, 500, 150, integer=True)
    yours = Text(100)
    rising = "up"
    views = (
        intervals(middle="middle", low="low", high="high", labels="arms"),
        number("regret", r"\sum_{t=1}^{T} ( \mu^* - \mu_{a_t} )"),
        number("yours_total"),
        curve(
            series=[
                {"value": "regret", "label": "value.regret"},
                {"value": "yours_regret", "label": "value.yours_regret"},
                {"value": "lower", "label": "value.lower", "role": "bound"},
            ]
        ),
        number("upper"),
        bars(id="counts", values="counts", labels="arms", marked="newest"),
        bars(id="hand", values="hand", labels="hand_labels", domain="share", pick="yours"),
    )

    def check(self, s: State) -> None:
        if set(s.yours) - set("1234"):
            raise Refusal(
                f"yours={s.yours[:20]!r}: must be the numbers of arms, 1 to {ARMS}, one for every pull.", "yours"
            )

    def bandit(self, s: State) -> Call:
        """Return the call that makes the arms."""
        return Call("novum.bandits.BernoulliBandit", [s.arm1, s.arm2, s.arm3, s.arm4])

    def player(self, s: State) -> Any:
        """Return the policy, before its game."""
        from novum import bandits

        made: dict[str, Callable[[], Any]] = {
            "ucb1": lambda: bandits.UCB1(s.width),
            "kl-ucb": bandits.KLUCB,
            "thompson": bandits.ThompsonSampling,
            "exp3": lambda: bandits.EXP3(anytime=True),
            "epsilon": lambda: bandits.EpsilonGreedy(s.exploration),
            "greedy": bandits.Greedy,
        }
        return made[s.policy]()

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.bandits import regret_bound

        bandit = self.bandit(s)()
        player = self.player(s).reset(ARMS, random_state=s.seed)
        generator = np.random.default_rng([s.seed, 0])
        fixed, hand = {"arms": ["1", "2", "3", "4"], "share": [0.0, 1.0]}, self.hand(s, bandit)
        chosen: list[int] = []
        won = 0.0
        lost = float(bandit.regret(hand["pulled"])[-1]) if s.yours else None
        yield self.frame(
            s,
            0,
            player,
            {**fixed, **hand, "counts": np.zeros(ARMS)},
            {"regret": 0.0, "yours_total": lost},
            ("start", {}),
        )
        for n in range(1, s.pulls + 1):
            arm = player.select()
            reward = bandit.pull(arm, generator, n - 1)
            player.update(arm, reward)
            chosen.append(arm)
            won += reward
            regret = float(bandit.regret(chosen)[-1])
            values = {"regret": regret, "lower": regret_bound(bandit, n), "yours_total": lost}
            if s.policy in UPPER and n > 1:
                values["upper"] = regret_bound(bandit, n, UPPER[s.policy])
            if n <= len(s.yours):
                values["yours_regret"] = float(bandit.regret(hand["pulled"][:n])[-1])
            drawn = {**fixed, **hand, "counts": np.bincount(chosen, minlength=ARMS).astype(float), "newest": [arm]}
            said = {
                "n": n,
                "arm": arm + 1,
                "reward": reward,
                "by": float(bandit.gaps[arm]),
                "regret": regret,
                "won": won,
            }
            key = "best" if bandit.gaps[arm] == 0 else "worse"
            yield self.frame(s, n, player, drawn, values, (key, said))

    def frame(self, s: State, n: int, player: Any, drawn: Any, values: Any, say: Any) -> Frame:
        """Return the frame of a pull, with what the policy believes."""
        empty = {"yours_regret": None, "lower": None, "upper": None}
        drawn.pop("pulled")
        return Frame(n, {**empty, **values}, {"newest": [], **drawn, **belief_of(player)}, say)

    def hand(self, s: State, bandit: Any) -> dict[str, Any]:
        """Return a person's pulls: the share of them that paid, by arm."""
        generator = np.random.default_rng([s.seed, HAND])
        pulled = np.array([int(letter) - 1 for letter in s.yours], dtype=np.int64)
        paid = np.array([bandit.pull(int(arm), generator, t) for t, arm in enumerate(pulled)])
        times = np.bincount(pulled, minlength=ARMS)
        wins = np.bincount(pulled, weights=paid, minlength=ARMS)
        labels = [f"{a + 1}: {int(wins[a])}/{times[a]}" for a in range(ARMS)]
        return {"pulled": pulled, "hand": wins / np.maximum(times, 1), "hand_labels": labels}

    def script(self, s: State, n: int, part: str) -> str:
        bandit, player = self.bandit(s), self.player(s)
        return python_script(
            [
                bandit.imports,
                f"from novum.bandits import {type(player).__name__}",
                f"bandit = {bandit.code}",
                f"policy = {code_of(player)}.reset({ARMS}, random_state={s.seed})",
                f"generator = np.random.default_rng([{s.seed}, 0])",
                "arms = []",
                f"for t in range({n}):",
                "    arms.append(policy.select())",
                "    policy.update(arms[-1], bandit.pull(arms[-1], generator, t))",
                "print(float(bandit.regret(arms)[-1]) if arms else 0.0)",
            ]
        )


def belief_of(player: Any) -> dict[str, Any]:
    """Return what a policy holds of every arm: its posterior, mean and upper bound, or the probability that it is pulled."""
    if hasattr(player, "posterior"):
        known = [player.posterior(arm) for arm in range(ARMS)]
        ends = np.array([one.quantile([(1 - LEVEL) / 2, (1 + LEVEL) / 2]) for one in known])
        return {"middle": np.array([float(one.mean) for one in known]), "low": ends[:, 0], "high": ends[:, 1]}
    if hasattr(player, "probabilities"):
        p = player.probabilities()
        return {"middle": p, "low": p, "high": p}
    means = player.means
    upper = player.bounds() if hasattr(player, "bounds") else means
    return {"middle": means, "low": means, "high": np.where(np.isfinite(upper), upper, np.nan)}
