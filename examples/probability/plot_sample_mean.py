"""
Law of large numbers and central limit theorem: the mean of many
================================================================

Waiting times are far from normal. Their mean settles at the true one, its error is about normal long before, and the likelihood
of the rate, drawn as a posterior on a grid, is what both look like from the side of the parameter (:doc:`/theory/estimation`).
"""

import matplotlib.pyplot as plt
import numpy as np

from novum.distributions import Exponential, Gamma, posterior_grid
from novum.teaching import mean_paths, standardized_means

waiting = Exponential(rate=0.5)
figure, axes = plt.subplots(1, 3, figsize=(12.5, 3.8), layout="constrained")
mean_paths(waiting, n=3000, n_paths=12, random_state=0).plot(axes[0])
axes[0].set_title("law of large numbers")
for n in (1, 5, 50):
    print(f"means of {n}: distance from the normal {standardized_means(waiting, n, 4000, random_state=0).distance:.3f}")
standardized_means(waiting, 30, 4000, random_state=0).plot(axes[1])
axes[1].set_title("central limit theorem")

# %%
data = waiting.sample(25, random_state=2)
posterior = posterior_grid(
    lambda x, rate: Exponential(rate).log_prob(x), data, {"rate": np.linspace(0.01, 1.5, 600)}, prior=Gamma(2.0, 2.0)
)
posterior.plot(axes[2])
axes[2].axvline(0.5, color="#d1495b", ls="--", lw=1)
axes[2].set_title("posterior of the rate, 25 waiting times")
print(posterior, Gamma(2.0, 2.0).update(data, likelihood=Exponential))
plt.show()
