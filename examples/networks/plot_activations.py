"""
Activation functions with their derivatives
===========================================

Sigmoid and hyperbolic tangent are flat far from zero, where their derivatives vanish; the rectifier is not, on one side
(:doc:`/theory/backpropagation`).
"""

import matplotlib.pyplot as plt

from novum.activations import relu, sigmoid, tanh
from novum.teaching import plot_activations

plot_activations([sigmoid, tanh, relu])
print(sigmoid.derivative([0.0, 5.0]).round(4).tolist())
plt.show()
