"""
Value iteration on the 4 x 3 grid
=================================

Utilities and arrows, the regimes of the step reward, policy iteration's zig-zag, and an episode (:doc:`/theory/reinforcement`).
"""

import matplotlib.pyplot as plt

from novum.reinforcement import policy_iteration, room_4x3, value_iteration
from novum.teaching import policy_regimes

room = room_4x3(step_reward=-0.04)
plan = value_iteration(room)
print(plan)

figure, axes = plt.subplots(1, 3, figsize=(14, 4), layout="constrained")
room.plot(plan, axes[0])
policy_regimes(room_4x3).plot(axes[1])
policy_iteration(room).plot_improvement(axes[2])
room.rollout(plan.policy, random_state=0).plot_frames()
plt.show()
