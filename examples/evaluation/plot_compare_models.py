"""
Comparing models: which differences are real?
=============================================

Left: ten-fold scores of two learners and the p-value of their paired t-test; the training sets overlap, and the corrected
test is less sure (:doc:`/theory/comparing_models`). Right: four learners on 14 data sets as a critical-difference diagram; those
joined by a bar cannot be distinguished.
"""

import matplotlib.pyplot as plt

from novum.datasets import load_tenfold_scores
from novum.evaluation import compare, paired_test

A, B = load_tenfold_scores().data.T
result = compare({"A": A, "B": B})
print(result.sentence())

figure, axes = plt.subplots(1, 3, figsize=(14, 3.6), layout="constrained")
paired_test(A, B, "paired_t").plot(axes[0])
paired_test(A, B, "corrected_t").plot(axes[1])

# %%
# Areas under the ROC curve of four variants of a tree learner (Demsar, JMLR 7, 2006).
scores = {
    "plain": [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.0, 0.940, 0.619, 0.972, 0.957],
    "leaf size": [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.0, 0.962, 0.666, 0.981, 0.978],
    "pruning": [0.771, 0.590, 0.968, 0.654, 0.886, 0.916, 0.609, 0.563, 0.866, 1.0, 0.965, 0.614, 0.9751, 0.946],
    "both": [0.798, 0.569, 0.967, 0.657, 0.898, 0.931, 0.685, 0.625, 0.875, 1.0, 0.962, 0.669, 0.975, 0.970],
}
many = compare(scores, design="data sets", significance=0.1)
print(many)
many.plot(axes[2])
plt.show()
