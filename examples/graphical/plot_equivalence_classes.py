"""
Markov equivalence: graphs that say the same
============================================

The 25 directed graphs over three nodes make 11 different statements about independence. Members of a class have the same skeleton
and the same colliders whose parents are not joined, so data alone cannot tell them apart (:doc:`/theory/graphs`).
"""

import matplotlib.pyplot as plt

from novum.graphical import DAG

classes = DAG.equivalence_classes("ABC")
print(classes)
classes.plot(plt.figure(figsize=(8, 14), layout="constrained"))
plt.show()
