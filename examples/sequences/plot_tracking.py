"""
Kalman filter: tracking a body in the plane
===========================================

Positions are seen with noise, velocities never. The filter knows the past, the smoother also the future: its ellipses are smaller.
How large the noises are is learned; EM climbs (:doc:`/theory/linear_dynamical_systems`).
"""

import matplotlib.pyplot as plt
import numpy as np

from novum.sequence import LinearDynamicalSystem

truth = LinearDynamicalSystem.tracking(2, process_variance=0.05, observation_variance=2.0)
truth.set_params(initial_mean=[0, 1, 0, 0.5], initial_covariance=0.1 * np.eye(4))
seen, states = truth.sample(40, random_state=3)
seen[15:20] = np.nan  # behind a wall
model = LinearDynamicalSystem.tracking(2).fit(seen)

figure, axes = plt.subplots(1, 3, figsize=(15, 4.5), layout="constrained")
for ax, found, words in ((axes[0], model.filter(seen), "so far"), (axes[1], model.smooth(seen), "afterwards")):
    found.plot(ax, pair=(0, 2), level=0.9)
    ax.plot(*states[:, [0, 2]].T, color="0.6", zorder=0, label="truth")
    ax.plot(*seen.T, "x", color="C3", markersize=4, label="seen")
    ax.set(title=f"known {words}, 90% ellipses", xlabel="east", ylabel="north")
    ax.legend(frameon=False)
em = model.set_params(algorithm="em", max_iter=300, tol=1e-5).fit(seen)
em.history_.plot(axes[2])
axes[2].set_title("EM never falls")
plt.show()
