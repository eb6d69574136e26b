"""Trees of clusters against brute force, SciPy and the notes' numbers."""

import numpy as np
import pytest
import scipy.cluster.hierarchy as reference
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics import adjusted_rand_score

from novum.cluster import (
    DBSCAN,
    HDBSCAN,
    AgglomerativeClustering,
    DivisiveClustering,
    SpectralClustering,
    linkage,
    plot_dendrogram,
    ward_tree,
    within_cluster_error,
)
from novum.exceptions import DataError, DataWarning, NotConverged, ParameterError
from novum.report.style import shade
from novum.teaching import cluster_distance

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3))
METHODS = ("single", "complete", "average", "weighted", "ward", "centroid", "median")
BETWEEN = {"single": np.min, "complete": np.max, "average": np.mean}


def merged_by_definition(rows, name):
    """Return the heights of merges of the closest two clusters, every distance from the rows themselves."""
    clusters, heights = [[i] for i in range(len(rows))], []
    while len(clusters) > 1:
        best = (np.inf, 0, 0)
        for i in range(len(clusters)):
            for j in range(i):
                a, b = rows[clusters[i]], rows[clusters[j]]
                if name in BETWEEN:
                    d = BETWEEN[name](np.linalg.norm(a[:, None] - b[None], axis=2))
                else:
                    d = np.linalg.norm(a.mean(0) - b.mean(0))
                    d *= np.sqrt(2 * len(a) * len(b) / (len(a) + len(b))) if name == "ward" else 1.0
                best = min(best, (d, i, j))
        d, i, j = best
        heights.append(d)
        clusters[j] = clusters[j] + clusters.pop(i)
    return heights


@pytest.mark.notes("004", "hierarchical-clustering")
@pytest.mark.notes("000-c", "agglomerative")
@pytest.mark.notes("000-c", "linkages")
@pytest.mark.notes("004", "linkage")
@pytest.mark.parametrize("name", ["single", "complete", "average", "centroid", "ward"])
def test_the_definition(name):
    rows = X[:24]
    assert_allclose(linkage(rows, name)[:, 2], merged_by_definition(rows, name), rtol=1e-10)


@pytest.mark.notes("004", "hierarchical-clustering")
@pytest.mark.notes("000-c", "agglomerative")
@pytest.mark.notes("000-c", "linkages")
@pytest.mark.notes("004", "linkage")
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("n", [2, 3, 70, 333])
def test_scipy_agrees(name, n):
    rows = RNG.normal(size=(n, 4))
    assert_allclose(linkage(rows, name), reference.linkage(rows, name), rtol=1e-9, atol=1e-9)
    assert_allclose(linkage(pdist(rows), name), reference.linkage(rows, name), rtol=1e-9, atol=1e-9)


@pytest.mark.notes("004", "hierarchical-clustering")
@pytest.mark.parametrize(
    ("name", "heights"),
    [
        ("single", [1, 2, 4, 5]),
        ("complete", [1, 3, 5, 12]),
        ("average", [1, 2.5, 5, 49 / 6]),
        ("centroid", [1, 2.5, 5, 49 / 6]),
    ],
)
def test_004_heights(name, heights):
    rows = np.array([[0.0], [1], [3], [7], [12]])
    assert_allclose(linkage(rows, name)[:, 2], heights, rtol=1e-12)
    model = AgglomerativeClustering(2, linkage=name, compute_distances=True).fit(rows)
    assert_allclose(model.distances_, heights, rtol=1e-12)


@pytest.mark.notes("000-c", "agglomerative")
@pytest.mark.parametrize(
    ("name", "heights", "alone"),
    [
        ("single", [1, 2, 3, 4], 1),
        ("complete", [1, 3, 4, 10], 2),
        ("average", [1, 2.5, 4, 20 / 3], 2),
        ("centroid", [1, 2.5, 4, 20 / 3], 2),
    ],
)
def test_000_heights_and_cut(name, heights, alone):
    rows = np.array([[0.0], [1], [3], [6], [10]])
    model = AgglomerativeClustering(2, linkage=name, compute_distances=True).fit(rows)
    assert_allclose(model.distances_, heights, rtol=1e-12)
    assert (model.labels_ == model.labels_[-1]).sum() == alone and model.labels_[0] == model.labels_[2]


@pytest.mark.notes("000-c", "linkages")
def test_000_distances_between_clusters():
    found = [cluster_distance([[0], [1]], [[3], [6]], name) for name in ("single", "complete", "average", "centroid")]
    assert found == [2.0, 6.0, 4.0, 4.0]
    assert cluster_distance([[0], [1]], [[3], [6]], lambda d: float(np.median(d))) == 4.0
    assert cluster_distance([[0], [1], [5]], [[6]], "average") == 4.0  # of 6, 5 and 1: not the one in the middle


@pytest.mark.notes("004", "linkage")
def test_004_distances_between_clusters():
    A, B = [[0], [1], [3]], [[7], [12]]
    assert cluster_distance(A, B, "single") == 4 and cluster_distance(A, B, "complete") == 12
    assert_allclose([cluster_distance(A, B, name) for name in ("average", "centroid")], 49 / 6)
    assert cluster_distance(A, B, "single", "sqeuclidean") == 16
    rows = np.concatenate([A, B]).astype(float)
    assert_allclose(cluster_distance(A, B, "ward"), linkage(rows, "ward")[-1, 2])


@pytest.mark.parametrize("d", [2, 3, 12])
def test_single_linkage_by_rounds_and_by_prim(d):
    rows = RNG.uniform(size=(2000, d)).round(2)  # with ties
    expected = reference.linkage(rows, "single")[:, 2]
    assert_allclose(linkage(rows, "single")[:, 2], expected, atol=1e-9)
    other = linkage(rows[:300], "single", "manhattan")[:, 2]
    assert_allclose(other, reference.linkage(pdist(rows[:300], "cityblock"), "single")[:, 2], atol=1e-9)


def test_single_linkage_needs_no_matrix():
    rows = RNG.normal(size=(30_000, 2))  # a matrix of distances would take 7 GB
    tree = linkage(rows, "single")
    assert len(tree) == 29_999 and (np.diff(tree[:, 2]) >= 0).all() and tree[-1, 3] == 30_000


@pytest.mark.parametrize("name", METHODS)
def test_cuts(name):
    tree = linkage(X, name)
    ours = tree.cut(n_clusters=5)
    assert len(np.unique(ours)) == 5
    if name not in ("centroid", "median"):
        assert adjusted_rand_score(ours, reference.fcluster(np.asarray(tree), 5, "maxclust")) == 1
    height = float(np.median(tree[:, 2]))
    assert (
        adjusted_rand_score(
            tree.cut(height=height), reference.fcluster(np.asarray(tree), height * (1 - 1e-12), "distance")
        )
        == 1
    )
    assert (
        adjusted_rand_score(tree.cut(inconsistency=1.0), reference.fcluster(np.asarray(tree), 1.0, "inconsistent")) == 1
    )
    with pytest.raises(ParameterError, match="exactly one"):
        tree.cut()


@pytest.mark.parametrize("name", ["ward", "average", "complete", "single"])
def test_a_full_graph_constrains_nothing(name):
    free = AgglomerativeClustering(4, linkage=name, compute_distances=True).fit(X)
    bound = AgglomerativeClustering(4, linkage=name, connectivity=np.ones((90, 90)), compute_distances=True).fit(X)
    assert_allclose(bound.distances_, free.distances_, rtol=1e-9)
    assert adjusted_rand_score(bound.labels_, free.labels_) == 1


def test_a_chain_merges_neighbors_only():
    rows = np.array([[0.0], [10], [0.1], [10.1]])
    chain = np.diag(np.ones(3), 1)
    model = AgglomerativeClustering(2, connectivity=chain, linkage="complete").fit(rows)
    assert (np.diff(model.labels_) != 0).sum() == 1  # rows of one cluster are next to each other
    with pytest.warns(UserWarning, match="connected components"):
        AgglomerativeClustering(2, connectivity=np.eye(4)).fit(rows)


def test_ward_tree_and_errors():
    children, components, leaves, _, heights = ward_tree(X, return_distance=True)
    assert components == 1 and leaves == 90
    assert_array_equal(children, reference.ward(X)[:, :2])
    assert_allclose(heights, reference.ward(X)[:, 2])
    with pytest.raises(ParameterError, match="Ward can only work with euclidean"):
        AgglomerativeClustering(metric="cosine").fit(X)
    with pytest.raises(DataError, match="more clusters than samples"):
        AgglomerativeClustering(91).fit(X)
    with pytest.raises(DataError, match="should be square"):
        AgglomerativeClustering(metric="precomputed", linkage="average").fit(X)
    with pytest.raises(ParameterError, match="Unknown linkage type"):
        linkage(X, "wart")
    square = squareform(pdist(X))
    square[0, 1] += 1
    with pytest.raises(DataError, match="not symmetric"):
        linkage(square, metric="precomputed")


@pytest.mark.notes("000-c", "divisive")
@pytest.mark.parametrize("split", ["means", "farthest"])
def test_divisive(split):
    rows = np.concatenate([RNG.normal(size=(30, 2)) + shift for shift in ([0, 0], [20, 0], [0, 30], [25, 30])])
    model = DivisiveClustering(4, split=split, random_state=0).fit(rows)
    assert adjusted_rand_score(model.labels_, np.repeat(range(4), 30)) == 1
    assert_allclose(model.inertia_, within_cluster_error(rows, model.labels_).total)
    total = within_cluster_error(rows, np.zeros(120)).total
    assert_allclose(total - model.distances_.sum(), model.inertia_, rtol=1e-10)  # every split removes what it says
    assert model.children_.max() == 2 * 4 - 3
    first = DivisiveClustering(2, split=split, random_state=0).fit(
        rows
    )  # the first split halves the loosest, the whole
    assert len({(a, b) for a, b in zip(first.labels_, model.labels_)}) == 4
    loose = DivisiveClustering(3, split=split, random_state=0).fit(np.array([[-0.1], [0], [0.1], [0.2], [20], [26]]))
    assert loose.labels_.tolist() == [
        0,
        0,
        0,
        0,
        1,
        2,
    ]  # the cluster of largest error is split, not the one of most rows


def test_divisive_stops_at_equal_rows_and_heeds_weights():
    with pytest.warns(NotConverged, match=r"distinct clusters \(2\) found smaller than n_clusters \(3\)"):
        assert DivisiveClustering(3).fit(np.array([[1.0], [1], [2], [2]])).n_clusters_ == 2
    model = DivisiveClustering(2, random_state=0).fit([[0.0], [1], [10], [500]], sample_weight=[1, 1, 1, 0])
    assert model.labels_.tolist() == [0, 0, 1, 1]


@pytest.mark.notes("000-c", "plot-dendrogram")
@pytest.mark.notes("004", "dendrogram")
def test_the_drawn_tree():
    rows = np.array([[0.0], [1], [3], [7], [12]])
    ax = plot_dendrogram(linkage(rows, "complete"), n_clusters=2)
    heights = [1, 3, 5, 12]
    assert_allclose([max(line.get_ydata()) for line in ax.lines[:4]], heights)
    assert_allclose([sorted(line.get_ydata()[[0, -1]]) for line in ax.lines[:4]], [[0, 0], [0, 1], [0, 0], [3, 5]])
    left, _, _, right = ax.lines[3].get_xdata()
    assert left == ax.lines[1].get_xdata()[1:3].mean() or right == ax.lines[1].get_xdata()[1:3].mean()
    assert 5 < ax.lines[4].get_ydata()[0] < 12  # the cut
    assert len({line.get_color() for line in ax.lines[:3]}) == 2 and ax.lines[3].get_color() == shade(ax, 0.55)
    assert sorted(text.get_text() for text in ax.get_xticklabels()) == list("01234")
    model = AgglomerativeClustering(2, compute_distances=True).fit(rows)
    assert len(plot_dendrogram(model, height=4.0).lines) == 5
    with pytest.raises(ParameterError, match="compute_distances=True"):
        plot_dendrogram(AgglomerativeClustering(2).fit(rows))


def test_matrices_that_are_not_what_they_should_be():
    D = np.abs(np.subtract.outer([0.0, 1, 3, 7], [0.0, 1, 3, 7]))
    with pytest.warns(DataWarning, match="uncondensed distance matrix"):
        linkage(D, "average")
    askew = D + np.tril(np.ones((4, 4)), -1)
    with pytest.warns(DataWarning, match="only what lies above its diagonal"):
        model = AgglomerativeClustering(2, metric="precomputed", linkage="average").fit(askew)
    assert model.labels_.tolist() == AgglomerativeClustering(2, linkage="average").fit(D[:, :1]).labels_.tolist()
    rounded = D + np.tril(np.full((4, 4), 1e-7), -1)  # as single precision leaves it
    assert_allclose(
        linkage(rounded, "average", metric="precomputed")[:, 2], linkage(D[:, :1], "average")[:, 2], rtol=1e-6
    )
    with pytest.raises(ParameterError, match=r"linkage\(metric='wrong'\)"):
        linkage(D[:, :2], "average", metric="wrong")


@pytest.mark.parametrize(
    "model", [AgglomerativeClustering(), DivisiveClustering(), DBSCAN(), HDBSCAN(), SpectralClustering()], ids=repr
)
def test_models_of_labels_say_why_they_predict_nothing(model):
    assert not hasattr(model, "predict") and not hasattr(model, "no_such_thing")
    with pytest.raises(AttributeError, match=r"has no attribute 'predict': it labels the rows it was fitted on"):
        model.predict([[0.0]])
