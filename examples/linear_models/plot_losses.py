"""
Loss functions: squared, absolute, Huber; hinge, logistic, exponential
======================================================================

What a residual costs in regression, and what a margin costs in classification (:doc:`/theory/losses`).
"""

import matplotlib.pyplot as plt

from novum.losses import AbsoluteLoss, ExponentialLoss, HingeLoss, HuberLoss, LogisticLoss, SquaredLoss
from novum.teaching import plot_losses

figure, (residuals, margins) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
plot_losses([SquaredLoss(), AbsoluteLoss(), HuberLoss(1.0)], ax=residuals)
plot_losses([HingeLoss(), LogisticLoss(), ExponentialLoss()], ax=margins)
residuals.set_ylim(0, 4)
margins.set_ylim(0, 4)
plt.show()
