"""
d-separation: open and blocked paths
====================================

Three nodes can be joined in three ways, and observing the one in the middle does the opposite to a collider of what it does to
a fork or a chain. In a larger graph two sets are separated when every path between them is blocked (:doc:`/theory/graphs`).
"""

import matplotlib.pyplot as plt

from novum.graphical import DAG

figure, axes = plt.subplots(3, 3, figsize=(10, 8), layout="constrained")
kinds = {"fork": [("c", "a"), ("c", "b")], "chain": [("a", "c"), ("c", "b")], "collider": [("a", "c"), ("b", "c")]}
for column, arcs in zip(axes.T, kinds.values(), strict=True):
    for ax, given in zip(column, ((), "c"), strict=False):
        DAG(arcs).d_separated("a", "b", given).plot(ax)

graph = DAG([("a", "e"), ("f", "e"), ("f", "b"), ("e", "c")])
for ax, given in zip(axes[2], ((), "c", "f"), strict=True):
    found = graph.d_separated("a", "b", given)
    print(found)
    found.plot(ax)
plt.show()
