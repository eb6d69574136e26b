"""Clusterings side by side, silhouettes, dendrogram from children_, mixtures by BIC."""

import numpy as np
from scipy.cluster.hierarchy import dendrogram
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans, MiniBatchKMeans, SpectralClustering
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score, silhouette_samples, silhouette_score
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler

X, y = make_blobs(150, centers=3, cluster_std=0.6, random_state=0)
X = StandardScaler().fit_transform(X)
for model in (
    KMeans(3, n_init=3, random_state=0),
    MiniBatchKMeans(3, random_state=0),
    DBSCAN(eps=0.4),
    SpectralClustering(3, random_state=0),
):
    labels = model.fit_predict(X)
    assert adjusted_rand_score(y, labels) > 0.8 and silhouette_score(X, labels) > 0.4
silhouette_samples(X, labels)
tree = AgglomerativeClustering(distance_threshold=0, n_clusters=None).fit(X)
counts = np.zeros(tree.children_.shape[0])
for i, merge in enumerate(tree.children_):
    counts[i] = sum(1 if child < len(X) else counts[child - len(X)] for child in merge)
dendrogram(np.column_stack([tree.children_, tree.distances_, counts]).astype(float), no_plot=True)
search = GridSearchCV(
    GaussianMixture(random_state=0), {"n_components": [1, 3]}, scoring=lambda est, X: -est.bic(X)
).fit(X)
assert search.best_params_ == {"n_components": 3}
BayesianGaussianMixture(n_components=5, random_state=0, max_iter=500).fit(X).sample(3)
