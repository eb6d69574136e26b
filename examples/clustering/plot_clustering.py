"""
Clustering: density, dendrograms, and how many clusters there are
=================================================================

k-means cuts the moons in two by a straight line, DBSCAN follows them. A dendrogram shows every merge and the cut that leaves three
clusters. Below, four readings of the number of clusters of the same rows, each with its choice ringed (:doc:`/theory/clustering`).
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs, make_moons

from novum.cluster import (
    DBSCAN,
    KMeans,
    choose_clusters,
    elbow,
    gap_statistic,
    linkage,
    plot_dendrogram,
    silhouette_samples,
)
from novum.teaching import plot_kmeans_steps

X, _ = make_moons(300, noise=0.05, random_state=0)
figure, axes = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
for ax, name, model in zip(axes, ("k-means", "DBSCAN"), (KMeans(2, random_state=0), DBSCAN(0.2))):
    ax.scatter(*X.T, c=model.fit(X).labels_, cmap="coolwarm", s=12)
    ax.set_title(name)
rows, _ = make_blobs(40, centers=[[0, 0], [9, 0], [0, 9]], random_state=2)
plot_dendrogram(linkage(rows, "ward"), n_clusters=3, ax=axes[2])
axes[2].set_title("Ward, cut for three")

# %%
# The number of clusters, read in four ways, and the silhouette of every row.
X, _ = make_blobs(200, centers=[[0, 0], [7, 0], [0, 7], [7, 7]], random_state=1)
figure, axes = plt.subplots(2, 2, figsize=(9, 6.5), layout="constrained")
elbow(X, max_clusters=8, random_state=0).plot(axes[0, 0])
choice = choose_clusters(X, max_clusters=8, criteria=["silhouette"], random_state=0)
choice.plot(axes[0, 1])
gap_statistic(X, max_clusters=8, n_references=10, random_state=0).plot(axes[1, 0])
labels = choice.labels[choice.best["silhouette"] - 1]
s = silhouette_samples(X, labels)
order = np.lexsort((-s, labels))
axes[1, 1].bar(range(len(s)), s[order], width=1.0, color=[f"C{label}" for label in labels[order]])
axes[1, 1].set_title(f"silhouettes, mean {s.mean():.2f}")

# %%
# k-means from a bad start: assignments and means in turn.
plot_kmeans_steps(X, X[:4], n_steps=4)
plt.show()
