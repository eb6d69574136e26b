"""
Distributions: densities, and a fit that an outlier cannot carry away
=====================================================================

Above: densities of a few families, drawn by ``plot``. Below: Student's t against the normal, fitted without and with three
outliers, and the t distributions between the Cauchy and the normal (:doc:`/theory/distributions`).
"""

import matplotlib.pyplot as plt
import numpy as np

from novum.distributions import Beta, Dirichlet, Gamma, MultivariateNormal, Normal, Poisson, StudentT

figure, axes = plt.subplots(3, 3, figsize=(12, 10), layout="constrained")

Normal([-2.0, 0.0, 1.0], [0.3, 1.0, 4.0]).plot(ax=axes[0, 0]).set_title("Normal")
Gamma([1.0, 2.0, 6.0], [1.0, 2.0, 3.0]).plot(ax=axes[0, 1]).set_title("Gamma")
Beta([0.6, 2.0, 5.0], [0.8, 5.0, 5.0]).plot(ax=axes[0, 2]).set_title("Beta")
axes[0, 2].set_ylim(0, 4)
Poisson([1.0, 4.0, 10.0]).plot(ax=axes[1, 0]).set_title("Poisson")
MultivariateNormal([0.0, 0.0], [[2.0, 0.9], [0.9, 1.0]]).plot(ax=axes[1, 1]).set_title("Multivariate normal")
Dirichlet([2.0, 3.0, 5.0]).plot(ax=axes[1, 2]).set_title("Dirichlet (2, 3, 5)")

# %%
# The same twenty-five numbers, then three more far out. The normal answers with its mean and its spread, the t with its
# degrees of freedom.
clean = Normal(0.0, 1.0).sample(25, random_state=3)
outliers = np.array([8.0, 9.0, 9.5])
grid = np.linspace(-5, 12, 500)
for ax, x, title in zip(axes[2], (clean, np.r_[clean, outliers]), ("without outliers", "with three outliers")):
    normal, t = Normal.fit(x), StudentT.fit(x)
    ax.hist(x, bins=np.arange(-5, 12.5, 0.5), density=True, color="0.85")
    ax.plot(grid, normal.prob(grid), color="#d1495b", label=f"normal: {normal.mean:.2f}, sd {normal.std:.2f}")
    ax.plot(grid, t.prob(grid), color="#00798c", label=f"t: {t.loc:.2f}, df {min(float(t.df), 999):.3g}")
    ax.set(title=title, xlabel="x")
    ax.legend(fontsize=8)
StudentT([0.5, 1.0, 3.0, 30.0]).plot(ax=axes[2, 2]).set_title("from heavy tails to the normal")
Normal().plot(ax=axes[2, 2], label="normal").set_xlim(-6, 6)
axes[2, 2].legend(fontsize=7, loc="upper right")
plt.show()
