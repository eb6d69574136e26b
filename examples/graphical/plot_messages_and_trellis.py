"""
Message passing: a chain and its trellis
========================================

Sum-product sends two messages along every edge of a factor graph; their product at a variable is its marginal. Max-product keeps
the best predecessor of every state, and the best path is read backwards (:doc:`/theory/networks`).
"""

import matplotlib.pyplot as plt
import numpy as np

from novum.graphical import FactorGraph

stay, emission = np.array([[0.8, 0.2], [0.3, 0.7]]), np.array([[0.9, 0.1], [0.2, 0.8]])
weather = ("sun", "rain")
factors = {"p": (("day 1",), [0.6, 0.4])}
factors |= {f"t{i}": ((f"day {i}", f"day {i + 1}"), stay) for i in range(1, 6)}
factors |= {f"e{i}": ((f"day {i}",), emission[:, seen]) for i, seen in enumerate((0, 1, 0, 1, 1, 0), 1)}
chain = FactorGraph(factors, {f"day {i}": weather for i in range(1, 7)})
print(chain.max_product())

small = FactorGraph({name: factors[name] for name in ("p", "t1", "t2")}, {f"day {i}": weather for i in (1, 2, 3)})
figure, (top, bottom) = plt.subplots(2, 1, figsize=(11, 6), layout="constrained")
small.sum_product({"day 3": "rain"}).plot(top)
chain.max_product().plot(bottom)
plt.show()
