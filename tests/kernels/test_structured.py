"""Kernels of strings, sets, parts and graphs: the notes' numbers, the definitions by brute force, and what they refuse."""

import networkx as nx
import numpy as np
import pytest
from matplotlib.figure import Figure
from reference import kernels as reference

from novum.exceptions import DataError, DataWarning, ParameterError
from novum.gaussian_process import (
    GaussianProcessClassifier,
    GaussianProcessRegressor,
    SparseGaussianProcessRegressor,
)
from novum.kernel_ridge import KernelRidge
from novum.kernels import (
    RBF,
    Convolution,
    Exponential,
    Gaussian,
    KernelPerceptron,
    Linear,
    Match,
    MultipleKernelLearning,
    Polynomial,
    SetKernel,
    Spectrum,
    WeisfeilerLehman,
    White,
    wl_isomorphism_test,
)
from novum.svm import SVC

RNG = np.random.default_rng(0)
A, B = {"a", "b", "c"}, {"b", "c", "d", "e"}


def random_words(n=25, letters="abc", longest=14):
    return ["".join(RNG.choice(list(letters), RNG.integers(0, longest))) for _ in range(n)]


def random_graphs(n=12):
    graphs = []
    for seed in range(n):
        graph = nx.gnp_random_graph(int(RNG.integers(1, 12)), 0.3, seed=seed)
        nx.set_node_attributes(graph, {v: "abc"[(v + seed) % 3] for v in graph}, "label")
        graphs.append(graph)
    return graphs


@pytest.mark.notes("000-c", "match-kernel")
def test_match_is_equality_and_its_inverse_is_no_kernel():
    K = Match()(["a", "b", "a"])
    np.testing.assert_array_equal(K, [[1, 0, 1], [0, 1, 0], [1, 0, 1]])
    np.testing.assert_allclose(np.linalg.eigvalsh(K), [0, 1, 2], atol=1e-12)
    np.testing.assert_allclose(
        np.linalg.eigvalsh(1 - K), [-np.sqrt(2), 0, np.sqrt(2)], atol=1e-12
    )  # as the notes print it
    np.testing.assert_array_equal(Match()([(1, 2), "x"], ["x", (1, 2), (2, 1)]), [[0, 1, 0], [1, 0, 0]])
    np.testing.assert_array_equal(Match()(np.array([[1, 2], [1, 3], [1, 2]])), [[1, 0, 1], [0, 1, 0], [1, 0, 1]])


@pytest.mark.notes("000-c", "spectrum-kernel")
def test_spectrum_of_the_notes():
    kernel = Spectrum(3)
    assert kernel(["banana"], ["ananas"])[0, 0] == 5
    np.testing.assert_array_equal(kernel.diag(["banana", "ananas"]), [6, 6])
    assert kernel.normalized()(["banana"], ["ananas"])[0, 0] == pytest.approx(0.833333, abs=5e-7)
    assert kernel(["ABABC"], ["BABAB"])[0, 0] == 3 and kernel.diag(["ABABC", "BABAB"]).tolist() == [3, 5]
    assert kernel.normalized()(["ABABC", "BABAB"])[0, 1] == pytest.approx(0.774597, abs=5e-7)
    assert kernel(["ab"], ["abab"])[0, 0] == 0 and kernel.normalized()(["ab", "abab"]).tolist() == [[0, 0], [0, 1]]


@pytest.mark.notes("000-c", "spectrum-kernel")
@pytest.mark.parametrize("k, gaps", [(1, 0), (2, 0), (3, 0), (2, 1), (3, 2), (12, 0)])
def test_spectrum_by_all_pairs_of_words(k, gaps):
    words = random_words() + ["aäaä\U0001f600aäa", "", "abcabcabcabcabc"]
    want = np.array([[reference.spectrum(a, b, k, gaps) for b in words] for a in words], dtype=float)
    kernel = Spectrum(k, gaps)
    np.testing.assert_array_equal(kernel(words), want)
    np.testing.assert_array_equal(kernel(words[:4], words[4:]), want[:4, 4:])
    np.testing.assert_array_equal(kernel([list(word) for word in words]), want)  # tokens
    np.testing.assert_array_equal(kernel.features(words) @ kernel.features(words).T.toarray(), want)
    np.testing.assert_array_equal(kernel.diag(words), np.diag(want))


def test_long_words_of_wide_alphabets_are_distinguished():
    """Keys of 64 bits do not hold them: prefixes are numbered."""
    tokens = [RNG.integers(0, 10**6, 40).tolist() for _ in range(6)]
    tokens.append(tokens[0][3:9] + tokens[1][2:9])
    for k in (4, 6, 7):
        want = [[reference.spectrum(a, b, k) for b in tokens] for a in tokens]
        np.testing.assert_array_equal(Spectrum(k)(tokens), want)
    with pytest.raises(DataError, match=r"Spectrum: X\[1\] is int, not a string"):
        Spectrum()(["a", 3])
    with pytest.raises(DataError, match="for one object give a list of one"):
        Spectrum()("abc")
    with pytest.raises(ParameterError, match=r"Spectrum\(k=0\)"):
        Spectrum(0)(["abc"])


@pytest.mark.notes("000-c", "plot-spectrum")
def test_picture_of_shared_words():
    found = Spectrum(3).compare("banana", "ananas")
    assert (found.words, found.first, found.second, found.value) == (["ana", "nan"], [2, 1], [2, 1], 5.0)
    ax = Figure().subplots()
    found.plot(ax)
    letters = [text.get_text() for text in ax.texts]
    assert "".join(letters[:6]) == "banana" and "".join(letters[6:12]) == "ananas"
    bars = [line for line in ax.lines if line.get_linewidth() == 3]
    spans = sorted((round(line.get_xdata()[0] + 0.35), round(line.get_xdata()[1] - 0.35)) for line in bars[:3])
    assert spans == [(1, 3), (2, 4), (3, 5)]  # ana, nan, ana in banana; ban is not shared
    spans = sorted((round(line.get_xdata()[0] + 0.35), round(line.get_xdata()[1] - 0.35)) for line in bars[3:])
    assert spans == [(0, 2), (1, 3), (2, 4)]  # and in ananas; nas is not
    links = [line for line in ax.lines if line.get_linewidth() == 1]
    assert len(links) == 5 and len({line.get_color() for line in links}) == 2
    ends = sorted(tuple(line.get_xdata()) for line in links)  # from the middle of a word to that of its like
    assert ends == [(2, 1), (2, 3), (3, 2), (4, 1), (4, 3)]
    assert len({line.get_color() for line in bars}) == 2


@pytest.mark.notes("000-c", "set-kernel")
def test_sets_of_the_notes_and_all_pairs():
    kernel = SetKernel()
    assert kernel([A], [B])[0, 0] == 2
    assert kernel.normalized()([A], [B])[0, 0] == pytest.approx(2 / np.sqrt(12), rel=1e-12)
    assert kernel([["a", "a", "b"]], [["a", "b", "b"]])[0, 0] == 4  # members that repeat count as often
    points = [RNG.standard_normal((n, 2)) for n in (3, 1, 4)]
    for member in (RBF(0.7), Linear()):
        want = [[sum(member([a], [b])[0, 0] for a in x for b in z) for z in points] for x in points]
        np.testing.assert_allclose(SetKernel(member)(points), want, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(SetKernel(member)(points[:1], points), want[:1], rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(SetKernel(member).diag(points), np.diag(want), rtol=1e-12)
    assert (SetKernel(RBF(0.7))([np.zeros((0, 2)), points[0]])[0] == 0).all()  # nothing has no pairs
    assert (SetKernel(RBF(0.7))(points, [np.zeros((0, 2))]) == 0).all()
    K, dK = SetKernel(RBF(0.7))(points, eval_gradient=True)
    h = 1e-6
    numeric = (SetKernel(RBF(0.7 * np.exp(h)))(points) - SetKernel(RBF(0.7 * np.exp(-h)))(points)) / (2 * h)
    np.testing.assert_allclose(dK[:, :, 0], numeric, atol=1e-8)
    assert K.shape == (3, 3) and SetKernel(RBF(0.7)).theta == pytest.approx(np.log([0.7]))


@pytest.mark.notes("003", "set-kernel")
def test_two_to_the_size_of_the_intersection():
    kernel = Exponential(np.log(2) * SetKernel())
    assert kernel([{0, 1}], [{1, 2}])[0, 0] == pytest.approx(2, rel=1e-13)
    subsets = [{i for i in range(3) if code >> i & 1} for code in range(8)]
    K = kernel(subsets)
    np.testing.assert_allclose(K, [[2.0 ** len(a & b) for b in subsets] for a in subsets], rtol=1e-12)
    assert np.linalg.eigvalsh(K)[0] == pytest.approx(0.0557, abs=5e-5)


@pytest.mark.notes("000-c", "kernel-compose-poly")
@pytest.mark.notes("000-c", "kernel-compose-gauss")
def test_polynomial_and_gaussian_of_a_set_kernel():
    assert Polynomial(SetKernel(), degree=2, coef0=1.0)([A], [B])[0, 0] == 9
    assert Gaussian(SetKernel(), sigma=1.0)([A], [B])[0, 0] == pytest.approx(np.exp(-1.5), rel=1e-12)
    assert Gaussian(SetKernel(), sigma=2.0)([A, B])[0, 1] == pytest.approx(np.exp(-3 / 8), rel=1e-12)


@pytest.mark.notes("000-c", "decomposition-kernel")
def test_convolution_over_any_decomposition():
    def cuts(word):
        return [(word[:i], word[i:]) for i in range(1, len(word))]

    def ends(word):
        return [(prefix[-1], suffix[0]) for prefix, suffix in cuts(word)]

    assert Convolution(ends, [Match(), Match()])(["aab"], ["ab"])[0, 0] == 1
    assert Convolution(cuts)(["aab"], ["ab"])[0, 0] == 0
    words = random_words(9, "ab\u00e9", 7)
    for first, second in ((Match(), Spectrum(2)), (Spectrum(1), Spectrum(2))):
        kernel = Convolution(cuts, [first, second])
        want = [
            [sum(first([a], [c])[0, 0] * second([b], [d])[0, 0] for a, b in cuts(x) for c, d in cuts(z)) for z in words]
            for x in words
        ]
        np.testing.assert_array_equal(kernel(words), want)
    np.testing.assert_array_equal(kernel(words[:3], words[3:]), np.array(want)[:3, 3:])
    np.testing.assert_array_equal(kernel.diag(words), np.diag(want))
    grams = Convolution(lambda s: [(s[i : i + 3],) for i in range(len(s) - 2)])
    np.testing.assert_array_equal(grams(words), Spectrum(3)(words))
    nested = Convolution(lambda s: [(part,) for part in s.split()], [Spectrum(2).normalized()])
    assert nested(["ab abab", "ab"])[0, 1] == pytest.approx(1 + 2 / np.sqrt(5))
    with pytest.raises(DataError, match="tuple of 2 parts, but there are 1 kernels"):
        Convolution(cuts, [Spectrum(1)])(["abc"])


@pytest.mark.notes("000-c", "wl-kernel")
def test_graphs_of_the_notes():
    labels = dict(enumerate("aabc", 1))
    triangle, path = nx.Graph([(1, 2), (2, 3), (1, 3), (3, 4)]), nx.path_graph([1, 2, 3, 4])
    for graph in (triangle, path):
        nx.set_node_attributes(graph, labels, "label")
    kernel = WeisfeilerLehman(max_iter=2)
    assert [WeisfeilerLehman(max_iter=h)([triangle], [path])[0, 0] for h in range(3)] == [6, 9, 9]
    assert kernel.diag([triangle, path]).tolist() == [18, 14]
    assert kernel.normalized()([triangle, path])[0, 1] == pytest.approx(0.566947, abs=5e-7)
    assert WeisfeilerLehman(max_iter=2, base="binary")([triangle], [path])[0, 0] == 5
    assert kernel([nx.path_graph(4)], [nx.star_graph(3)])[0, 0] == 22


@pytest.mark.notes("000-c", "wl-kernel")
@pytest.mark.parametrize("n_iter", [0, 1, 3])
def test_graphs_by_relabelling_with_strings(n_iter):
    graphs = random_graphs()
    for base, binary in (("counts", False), ("binary", True)):
        kernel = WeisfeilerLehman(n_iter, base)
        want = reference.weisfeiler_lehman(graphs, n_iter, binary=binary)
        np.testing.assert_array_equal(kernel(graphs), want)
        np.testing.assert_array_equal(kernel(graphs[:3], graphs[3:]), want[:3, 3:])
        np.testing.assert_array_equal(kernel.diag(graphs), np.diag(want))
    plugged = WeisfeilerLehman(n_iter, SetKernel())
    np.testing.assert_array_equal(plugged(graphs), reference.weisfeiler_lehman(graphs, n_iter))
    np.testing.assert_array_equal(plugged(graphs[:3], graphs[3:]), reference.weisfeiler_lehman(graphs, n_iter)[:3, 3:])


def test_graphs_that_cannot_be_read_are_refused():
    with pytest.raises(DataError, match=r"X\[0\] is str, not a networkx graph"):
        WeisfeilerLehman()(["a"])
    with pytest.raises(ParameterError, match="base must be 'counts', 'binary' or a kernel"):
        WeisfeilerLehman(base="other")([nx.path_graph(2)])
    half = nx.path_graph(3)
    half.nodes[0]["label"] = "x"
    with pytest.warns(DataWarning, match="2 of 3 nodes have no 'label'"):
        WeisfeilerLehman()([half])


@pytest.mark.notes("000-c", "wl-test")
def test_isomorphism_test_of_the_notes():
    found = wl_isomorphism_test(nx.path_graph(4), nx.star_graph(3))
    assert not found and found.distinguished and found.round == 1
    assert sorted(found.histograms()[1][0].values()) == [2, 2] and sorted(found.histograms()[1][1].values()) == [1, 3]
    triangles = nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))
    fooled = wl_isomorphism_test(nx.cycle_graph(6), triangles)
    assert fooled and not nx.is_isomorphic(nx.cycle_graph(6), triangles)
    assert (
        len(fooled.labels) == 2 and "not distinguished in 1 round," in fooled.reason
    )  # nothing splits: no more rounds
    assert not wl_isomorphism_test(nx.path_graph(3), nx.path_graph(4))
    colored = nx.path_graph(2)
    nx.set_node_attributes(colored, "x", "label")
    plain = nx.path_graph(2)
    nx.set_node_attributes(plain, "y", "label")
    assert wl_isomorphism_test(colored, plain).round == 0
    late = [nx.path_graph(9), nx.path_graph(9)]
    for graph, place in zip(late, (0, 3)):
        nx.set_node_attributes(graph, {v: int(v == 4) for v in graph}, "label")
        graph.add_edge(place, 9)
        graph.nodes[9]["label"] = 0
    assert not wl_isomorphism_test(*late) and wl_isomorphism_test(*late).round >= 1


@pytest.mark.notes("000-c", "wl-test")
def test_isomorphic_graphs_are_never_distinguished_and_no_round_is_too_few():
    for seed in range(8):
        graph = nx.gnp_random_graph(9, 0.3, seed=seed)
        order = RNG.permutation(9)
        other = nx.Graph()
        other.add_nodes_from(sorted(graph, key=lambda v: order[v]))
        other.add_edges_from((u, v) for u, v in graph.edges)
        other = nx.relabel_nodes(other, {v: int(order[v]) for v in graph})
        assert wl_isomorphism_test(graph, other)
    ring = nx.path_graph(12)  # two paths of length 12, marked at an end or one step further: seen from far away late
    other = ring.copy()
    for graph, extra in ((ring, 1), (other, 2)):
        graph.add_edges_from([(extra, 12), (12, 13), (13, 14), (14, 15)])
    full = wl_isomorphism_test(ring, other)
    assert not full and full.round > 1 and wl_isomorphism_test(ring, other, max_iter=full.round - 1)


@pytest.mark.notes("000-c", "plot-wl")
def test_picture_of_relabelling():
    found = wl_isomorphism_test(nx.path_graph(4), nx.star_graph(3))
    assert set(found.compression(1).values()) == {(0, (0,)), (0, (0, 0)), (0, (0, 0, 0))}
    frame = found.to_frame()
    assert frame[frame["round"] == 0][["first", "second"]].to_numpy().tolist() == [[4, 4]]
    assert frame[frame["round"] == 1]["first"].sum() == 4
    ax = Figure().subplots()
    found.plot(ax)
    texts = [text.get_text() for text in ax.texts]
    drawn = [text for text in texts if text.isdigit()]
    want = [str(label) for side in (0, 1) for pair in found.labels for label in pair[side]]
    assert drawn == want and "round 1" in texts
    assert any("= 0|0,0,0" in text for text in texts)
    places = np.array([text.get_position() for text in ax.texts if text.get_text().isdigit()])
    rounds = len(found.labels)
    assert places.shape == (8 * rounds, 2)  # both graphs of four nodes, after every round
    for k, (side, step) in enumerate((side, step) for side in (0, 1) for step in range(rounds)):
        spots = places[4 * k : 4 * k + 4]
        np.testing.assert_allclose(spots - [3 * step, 0], places[4 * rounds * side : 4 * rounds * side + 4])
        assert (np.abs(spots - [3 * step, -3 * side]) <= 1 + 1e-9).all()  # a column each, the second graph below
    heads = {text.get_text(): text.get_position() for text in ax.texts if text.get_text().startswith("round")}
    assert heads == {f"round {i}": (3 * i, 1.4) for i in range(rounds)}
    edges = [segment for c in ax.collections if hasattr(c, "get_segments") for segment in c.get_segments()]
    ends = {tuple(np.round(end, 9)) for segment in edges for end in segment}
    assert ends == {tuple(np.round(place, 9)) for place in places}  # edges run between the marked nodes


def test_structured_kernels_in_the_algebra_and_in_machines_of_scikit_learn():
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.svm import SVC

    words = [word for word in random_words(40) if len(word) > 3]
    y = np.array(["ab" in word for word in words])
    kernel = 2.0 * Spectrum(2).normalized() + White(0.1)
    K, dK = kernel(words, eval_gradient=True)
    assert dK.shape == (*K.shape, 2) and kernel(words).diagonal() == pytest.approx(2.1)
    np.testing.assert_allclose(dK[:, :, 0], 2.0 * Spectrum(2).normalized()(words))
    model = SVC(kernel="precomputed", C=100.0).fit(K, y)
    assert model.score(K, y) > 0.9
    process = GaussianProcessRegressor(2.0 * Spectrum(2).normalized() + White(0.1), optimizer="fmin_l_bfgs_b")
    assert process.fit(words, y.astype(float)).predict(words[:3]).shape == (3,)
    np.testing.assert_allclose(
        kernel.distance(words[:3]) ** 2, 2 * (2.1 - kernel(words[:3])) * (1 - np.eye(3)), atol=1e-12
    )


@pytest.mark.parametrize("column", ["pandas", "polars"])
@pytest.mark.parametrize("kind", ["strings", "sets", "graphs"])
def test_columns_of_frames_are_lists_of_things(column, kind):
    library = pytest.importorskip(column)
    things, kernel = {
        "strings": (["banana", "ananas", "bandana", "zebra", "zephyr", "zest"], Spectrum(2)),
        "sets": ([{"a", "b"}, {"a", "c"}, {"a"}, {"x", "y"}, {"x"}, {"x", "z"}], SetKernel()),
        "graphs": ([nx.path_graph(k) for k in (4, 5, 6)] + [nx.star_graph(k) for k in (4, 5, 6)], WeisfeilerLehman(2)),
    }[kind]
    if column == "pandas":
        X = library.Series(things, index=range(10, 16))
    else:
        X = library.Series(things) if kind == "strings" else library.Series(things, dtype=library.Object)
    label = np.array([0, 0, 0, 1, 1, 1])
    for model in (
        SVC(kernel=kernel),
        KernelRidge(kernel=kernel),
        KernelPerceptron(kernel),
        GaussianProcessClassifier(kernel, optimizer=None),
        GaussianProcessRegressor(kernel, alpha=0.1, optimizer=None),
        MultipleKernelLearning([kernel]),
    ):
        expected = model.fit(things, label).predict(things)
        np.testing.assert_allclose(model.fit(X, label).predict(X), expected)
    weighted = KernelRidge(kernel=kernel).fit(X, label, [1, 1, 0, 1, 1, 0]).predict(X)
    np.testing.assert_allclose(
        weighted, KernelRidge(kernel=kernel).fit(things, label, [1, 1, 0, 1, 1, 0]).predict(things)
    )
    with pytest.raises(DataError, match="inducing points are vectors, and X holds things"):
        SparseGaussianProcessRegressor(kernel).fit(X, label)
