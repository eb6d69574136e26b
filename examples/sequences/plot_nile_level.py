"""
Kalman filter: the level of the Nile seen through noise
=======================================================

A local-level model with its two variances learned by maximum likelihood; the level given all years, with its band, also where
twenty years are lost; and the ten years after (:doc:`/theory/linear_dynamical_systems`).
"""

import matplotlib.pyplot as plt

from novum.datasets import load_nile
from novum.sequence import LinearDynamicalSystem

flow = load_nile()["volume"]
model = LinearDynamicalSystem.local_level().fit(flow)
print(model.observation_covariance_, model.transition_covariance_, model.log_likelihood_)
gap = flow.copy()
gap.loc[1891:1910] = float("nan")

figure, axes = plt.subplots(1, 3, figsize=(15, 4), layout="constrained", sharey=True)
model.smooth(flow).plot(axes[0])
axes[0].set_title("the level given all years, 95%")
model.smooth(gap).plot(axes[1])
axes[1].set_title("twenty years lost: the band says so")
model.forecast(flow, 10, level=0.5).plot(axes[2])
axes[2].set_title("ten years ahead, 50%")
plt.show()
