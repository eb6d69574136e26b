"""How many clusters: silhouettes, elbow, gap, stability, the table of all; agreement of two clusterings; spectral clustering."""

from collections import Counter

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse
from numpy.testing import assert_allclose
from sklearn import metrics as peer
from sklearn.datasets import make_blobs, make_circles

from novum.cluster import (
    AgglomerativeClustering,
    KMeans,
    SpectralClustering,
    choose_clusters,
    clustering_agreement,
    elbow,
    gap_statistic,
    silhouette_samples,
    silhouette_score,
    spectral_clustering,
    within_cluster_error,
)
from novum.cluster.spectral_embedding import embedding_of
from novum.datasets import make_kmeans_failures
from novum.exceptions import DataError, DataWarning, ParameterError
from novum.kernels import WeisfeilerLehman
from novum.mixture import BayesianGaussianMixture, GaussianMixture

RNG = np.random.default_rng(0)
LINE = np.array([[1.0], [2], [3], [8], [9], [10]])


@pytest.mark.notes("000-c", "silhouette")
def test_000_silhouettes():
    labels = [0, 0, 0, 1, 1, 1]
    usual = [0.8125, 6 / 7, 0.75, 0.75, 6 / 7, 0.8125]
    assert_allclose(silhouette_samples(LINE, labels), usual, rtol=1e-12)
    assert_allclose(silhouette_score(LINE, labels), 0.806548, atol=5e-7)
    assert_allclose(silhouette_score(LINE, labels, divisor="all"), 0.871032, atol=5e-7)
    X, labels = RNG.normal(size=(40, 3)), RNG.integers(4, size=40)
    distance = np.linalg.norm(X[:, None] - X[None], axis=2)
    for divisor, less in (("others", 1), ("all", 0)):
        for i in range(40):
            same = labels == labels[i]
            a = distance[i, same].sum() / (same.sum() - less)
            b = min(distance[i, labels == c].mean() for c in set(labels) - {labels[i]})
            found = silhouette_samples(X, labels, divisor=divisor)[i]
            assert_allclose(found, (b - a) / max(a, b), rtol=1e-12)


@pytest.mark.notes("000-c", "silhouette")
@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "manhattan", "cosine", "chebyshev"])
@pytest.mark.parametrize("n", [7, 300])
def test_scikit_learn_agrees(metric, n):
    X, labels = RNG.normal(size=(n, 5)), RNG.integers(3, size=n)
    labels[:3] = [0, 1, 2]
    assert_allclose(
        silhouette_samples(X, labels, metric=metric), peer.silhouette_samples(X, labels, metric=metric), atol=1e-12
    )
    matrix = peer.pairwise_distances(X, metric=metric)
    np.fill_diagonal(matrix, 0)
    theirs = peer.silhouette_samples(X, labels, metric=metric)
    assert_allclose(silhouette_samples(matrix, labels, metric="precomputed"), theirs, atol=1e-9)
    with pytest.raises(DataError, match="Number of labels is 1"):
        silhouette_samples(X, np.zeros(n))


@pytest.mark.notes("000-c", "elbow")
@pytest.mark.notes("000-c", "plot-elbow")
def test_000_elbow():
    found = elbow(LINE, max_clusters=6, random_state=0)
    assert_allclose(found.error, [77.5, 4, 2.5, 1, 0.5, 0], atol=1e-12)
    assert found.best == 2
    ax = found.plot()
    assert_allclose(ax.lines[0].get_xydata(), np.column_stack([np.arange(1, 7), found.error]))
    assert ax.get_xlabel() and ax.get_ylabel()
    assert ax.lines[1].get_xdata()[0] == 2 and ax.lines[1].get_ydata()[0] == 4  # the bend is ringed
    below = [
        (1 - x) - e / 77.5 for x, e in zip(np.linspace(0, 1, 6), found.error)
    ]  # heights under the chord of the unit square
    assert_allclose(found.below_chord, np.array(below) / np.sqrt(2), atol=1e-12)
    tree = elbow(LINE, AgglomerativeClustering(), max_clusters=4)
    assert_allclose(tree.error, [within_cluster_error(LINE, labels).total for labels in tree.labels])


@pytest.mark.notes("000-c", "plot-silhouette")
def test_000_the_mean_silhouette_is_largest_at_two():
    choice = choose_clusters(LINE, max_clusters=5, criteria=["silhouette"], random_state=0)
    assert_allclose(choice.values["silhouette"][1:], [0.806548, 0.478904, 0.166667, 0.083333], atol=5e-7)
    ax = choice.plot()[0]
    assert_allclose(ax.lines[0].get_xdata(), [1, 2, 3, 4, 5])
    assert_allclose(ax.lines[0].get_ydata()[1:], choice.values["silhouette"][1:])
    rng = np.random.default_rng(0)
    X, labels = (
        rng.normal(size=(30, 2)),
        rng.integers(3, size=30),
    )  # some rows are nearer to others
    D = np.sqrt(((X[:, None] - X) ** 2).sum(-1))
    literal = []
    for i in range(30):
        a = D[i, labels == labels[i]].sum() / ((labels == labels[i]).sum() - 1)
        b = min(D[i, labels == k].mean() for k in range(3) if k != labels[i])
        literal.append((b - a) / max(a, b))
    assert_allclose(silhouette_samples(X, labels), literal, rtol=1e-10)
    assert min(literal) < -0.1 and silhouette_score(X, labels) == pytest.approx(np.mean(literal))
    assert ax.lines[1].get_xdata()[0] == 2 and choice.best == {"silhouette": 2}


def test_gap_by_its_formula_and_on_one_cluster():
    X = make_blobs(120, 2, centers=[[0, 0], [10, 0], [0, 10]], random_state=0)[0]
    found = gap_statistic(X, max_clusters=5, n_references=8, random_state=0)
    assert found.best == 3
    assert_allclose(found.gap, found.reference - found.log_error)
    assert_allclose(found.log_error[0], np.log(within_cluster_error(X, np.zeros(120)).total))
    for rule in ("global", "first"):
        assert gap_statistic(RNG.uniform(size=(150, 2)), max_clusters=4, rule=rule, random_state=1).best == 1
    bars = found.plot().containers[0].lines[2][0].get_segments()
    assert_allclose([s[1][1] - s[0][1] for s in bars], 2 * found.error)
    with pytest.raises(ParameterError, match="n_references=1"):
        gap_statistic(X, n_references=1)


def test_all_criteria_in_one_table():
    X = make_blobs(150, 2, centers=[[0, 0], [12, 0], [0, 12]], random_state=1)[0]
    models = [GaussianMixture(), BayesianGaussianMixture()]
    choice = choose_clusters(X, max_clusters=5, models=models, n_resamples=4, random_state=0)
    assert set(choice.best) == {"elbow", "silhouette", "gap", "stability", "bic", "elbo"}
    assert choice.consensus == 3 and choice.best["silhouette"] == choice.best["stability"] == choice.best["bic"] == 3
    assert_allclose(choice.values["stability"][2], 1.0)
    assert_allclose(choice.values["bic"][0], GaussianMixture(1).fit(X).bic(X))
    assert "consensus 3" in repr(choice) and next(iter(choice.to_frame().columns)) == "n_clusters"
    assert len(choice.plot()) == 6
    with pytest.raises(ParameterError, match="'bend' is none of"):
        choose_clusters(X, criteria=["bend"])
    with pytest.raises(ParameterError, match=r"give models=\[BayesianGaussianMixture\(\)\]"):
        choose_clusters(X, criteria=["elbow", "elbo"], models=[GaussianMixture()])
    with pytest.raises(ParameterError, match="KMeans has neither bic nor elbo_"):
        choose_clusters(X, max_clusters=2, criteria=["elbo"], models=[KMeans()])
    four = choose_clusters(X, max_clusters=3, n_resamples=2, random_state=0)
    assert list(four.best) == ["elbow", "silhouette", "gap", "stability"]
    with pytest.raises(ParameterError, match="only 6 rows"):
        elbow(LINE, max_clusters=7)


def test_agreement_and_its_intervals():
    a, b = RNG.integers(3, size=400), RNG.integers(4, size=400)
    b = np.where(RNG.uniform(size=400) < 0.6, a, b)
    found = clustering_agreement(a, b, n_resamples=300, random_state=0)
    value = dict(zip(found.scoring, found.value))
    assert_allclose(value["Rand"], peer.rand_score(a, b))
    assert_allclose(value["adjusted Rand"], peer.adjusted_rand_score(a, b))
    assert_allclose(value["mutual information"], peer.normalized_mutual_info_score(a, b))
    assert_allclose(value["Fowlkes-Mallows"], peer.fowlkes_mallows_score(a, b))
    assert (found.low < found.value).all() and (found.value < found.high).all()
    assert (clustering_agreement(a, a + 5, n_resamples=50).value == 1).all()
    narrow, wide = (clustering_agreement(a, b, level=level, n_resamples=300, random_state=0) for level in (0.5, 0.99))
    assert ((wide.high - wide.low) > (narrow.high - narrow.low)).all()


SUCCEEDS = {
    "stretched": AgglomerativeClustering(2, linkage="single"),
    "unequal_spread": GaussianMixture(2, random_state=0),
    "unequal_size": GaussianMixture(2, random_state=0),
    "outliers": "trimmed",
    "scales": "scaled",
}


@pytest.mark.parametrize("kind", SUCCEEDS)
def test_where_k_means_fails_another_succeeds(kind):
    from sklearn.preprocessing import StandardScaler

    from novum.cluster import HDBSCAN, KMedoids

    X, y = make_kmeans_failures(kind, 300, random_state=0, return_X_y=True)
    usual = peer.adjusted_rand_score(KMeans(2, n_init=5, random_state=0).fit(X).labels_, y)
    method = SUCCEEDS[kind]
    if method == "scaled":
        labels = KMedoids(2, random_state=0).fit(StandardScaler().fit_transform(X)).labels_
    elif method == "trimmed":
        labels = HDBSCAN(min_cluster_size=20).fit(X).labels_  # the far rows are noise
    else:
        labels = method.fit_predict(X)
    assert usual < 0.8 < peer.adjusted_rand_score(labels, y)


@pytest.mark.notes("000-c", "graph-clustering")
def test_000_nodes_and_graphs():
    nx = pytest.importorskip("networkx")
    graph = nx.Graph()
    for block in (range(8), range(8, 14), range(14, 24)):
        graph.add_weighted_edges_from((i, j, 2.0) for i in block for j in block if i < j)
    graph.add_weighted_edges_from([(0, 8, 0.1), (9, 14, 0.1)])
    labels = SpectralClustering(3, random_state=0).fit(graph).labels_
    assert peer.adjusted_rand_score(labels, np.repeat([0, 1, 2], [8, 6, 10])) == 1
    weak = graph.copy()
    weak.add_weighted_edges_from(
        (i, j, 50.0) for i in range(8) for j in range(8, 14)
    )  # weights decide which blocks are one
    joined = SpectralClustering(2, random_state=0).fit(weak).labels_
    assert peer.adjusted_rand_score(joined, np.repeat([0, 1], [14, 10])) == 1
    A = nx.to_numpy_array(graph)
    degrees = np.diag(A.sum(axis=0))
    vectors = embedding_of(A, 3, None, 0.0, 0)  # of the least eigenvalues of (D - A) v = lambda D v
    values = np.einsum("ij,ij->j", vectors, (degrees - A) @ vectors) / np.einsum("ij,ij->j", vectors, degrees @ vectors)
    assert_allclose((degrees - A) @ vectors, degrees @ vectors * values, atol=1e-10)
    assert_allclose(values, scipy.linalg.eigh(degrees - A, degrees, eigvals_only=True)[:3], atol=1e-10)
    assert_allclose(np.abs(embedding_of(scipy.sparse.csr_matrix(A), 3, None, 0.0, 0)), np.abs(vectors), atol=1e-8)
    graphs = [nx.path_graph(n) for n in range(5, 12)] + [nx.complete_graph(n) for n in range(5, 12)]
    found = SpectralClustering(2, random_state=0).fit(graphs).labels_
    assert peer.adjusted_rand_score(found, np.repeat([0, 1], 7)) == 1
    # kinds of graphs by the patterns around their nodes: a label names those of a node and its neighbors one round before
    graphs = [nx.cycle_graph(n) for n in range(6, 12)] + [nx.ladder_graph(n) for n in range(4, 10)]
    counts = []
    for one in graphs:
        seen, labels = Counter(), dict.fromkeys(one, "")
        for _ in range(3):
            seen.update(labels.values())
            labels = {v: f"({labels[v]}:{','.join(sorted(labels[u] for u in one[v]))})" for v in one}
        counts.append(seen)
    K = np.array([[sum(a[name] * b[name] for name in a) for b in counts] for a in counts])
    assert_allclose(WeisfeilerLehman(max_iter=2)(graphs), K, rtol=1e-12)
    cosine = K / np.sqrt(np.outer(K.diagonal(), K.diagonal()))
    kinds = AgglomerativeClustering(2, metric="precomputed", linkage="average").fit(1 - cosine).labels_
    assert peer.adjusted_rand_score(kinds, np.repeat([0, 1], 6)) == 1


@pytest.mark.parametrize("assign", ["kmeans", "discretize", "cluster_qr"])
def test_rings(assign):
    X, y = make_circles(300, factor=0.4, noise=0.03, random_state=0)
    model = SpectralClustering(2, affinity="nearest_neighbors", assign_labels=assign, random_state=0)
    with pytest.warns(DataWarning, match="not fully connected"):
        labels = model.fit(X).labels_
    assert peer.adjusted_rand_score(labels, y) == 1
    affinity = np.exp(-20 * peer.pairwise_distances(X))
    assert peer.adjusted_rand_score(spectral_clustering(affinity, n_clusters=2, random_state=0), y) > 0.9


def test_large_matrices_are_solved_like_small_ones():
    X, y = make_blobs(1700, 3, centers=3, random_state=2)
    for affinity in ("rbf", "nearest_neighbors"):
        model = SpectralClustering(3, affinity=affinity, gamma=0.02, n_neighbors=60, random_state=0)
        with pytest.warns(DataWarning) if affinity == "nearest_neighbors" else np.errstate():
            assert peer.adjusted_rand_score(model.fit(X).labels_, y) > 0.98


def test_graphs_and_affinities_that_mean_nothing_are_refused():
    nx = pytest.importorskip("networkx")
    with pytest.raises(DataError, match="the graph has no nodes"):
        SpectralClustering(2).fit(nx.Graph())
    with pytest.raises(DataError, match="graph 1 has no nodes"):
        SpectralClustering(2).fit([nx.path_graph(3), nx.Graph(), nx.path_graph(4)])
    graph = nx.path_graph(6)
    for weight in (np.nan, np.inf):
        graph[0][1]["weight"] = weight
        with pytest.raises(DataError, match="some affinities are NaN or infinite"):
            SpectralClustering(2).fit(graph)
    graph[0][1]["weight"] = -1.0
    with pytest.warns(DataWarning, match=r"some affinities are negative \(least -1\)"):
        SpectralClustering(2, random_state=0).fit(graph)
