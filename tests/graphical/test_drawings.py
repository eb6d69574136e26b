"""Drawings: where nodes are put, what is filled, colored and written, and whose figures they are."""

import io
from functools import partial

import numpy as np
import pytest
from artists import arcs, canvas
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from novum.datasets import load_fuel_gauge, load_gene_network
from novum.exceptions import ParameterError
from novum.graphical import DAG, BayesianNetwork, FactorGraph, LinearGaussian, MarkovNetwork, UndirectedGraph
from novum.graphical.plots.graphs import BLOCKED, OBSERVED, OPEN
from novum.graphical.plots.layout import layered_layout, spring_layout

FIVE = DAG([("a", "e"), ("f", "e"), ("f", "b"), ("e", "c")])


def texts(ax):
    return {text.get_text(): text for text in ax.texts}


def arrows(ax):
    return [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]


def fill(text):
    return to_hex(text.get_bbox_patch().get_facecolor())


def rendered(ax):
    """The pixels; every drawing must survive being drawn."""
    figure = ax.figure
    figure.savefig(io.BytesIO(), dpi=30)
    return figure


def chain(n=5, states=3):
    rng = np.random.default_rng(0)
    return FactorGraph({f"f{i}": ((f"x{i}", f"x{i + 1}"), rng.random((states, states))) for i in range(n)})


def test_layers_point_down_and_boxes_do_not_touch():
    rng = np.random.default_rng(0)
    for _ in range(20):
        n = int(rng.integers(2, 25))
        dag = DAG([(i, j) for j in range(n) for i in range(j) if rng.random() < 2 / n], range(n))
        sizes = {node: (float(rng.uniform(0.4, 2)), 0.5) for node in dag.nodes}
        parts = UndirectedGraph(dag.arcs, dag.nodes).components()
        layout = layered_layout(dag.parents, dag.order, sizes, parts)
        at = layout.at
        assert set(at) == set(dag.nodes) and all(at[p][1] > at[c][1] for p, c in dag.arcs)
        for a in dag.nodes:
            for b in range(a):
                same_row = abs(at[a][1] - at[b][1]) < 1e-9
                assert not same_row or abs(at[a][0] - at[b][0]) >= (sizes[a][0] + sizes[b][0]) / 2
        assert layout == layered_layout(dag.parents, dag.order, sizes, parts)


def test_crossings_that_can_be_avoided_are_avoided():
    dag = DAG([("a", "z"), ("b", "y"), ("c", "x")], nodes="abcxyz").with_arc("a", "y").with_arc("b", "x")
    at = layered_layout(dag.parents, dag.order, dict.fromkeys(dag.nodes, (0.5, 0.5)), [dag.nodes]).at
    for p, c in dag.arcs:
        for q, d in dag.arcs:
            assert (at[p][0] - at[q][0]) * (at[c][0] - at[d][0]) >= -1e-9


@pytest.mark.notes("000-b", "plot-factor-graph")
def test_undirected_distances_on_paper():
    path = spring_layout({i: [j for j in (i - 1, i + 1) if 0 <= j < 6] for i in range(6)}, 2.0)
    np.testing.assert_allclose([path[i + 1][0] - path[i][0] for i in range(5)], 2.0, atol=1e-6)
    assert max(abs(y) for _, y in path.values()) < 1e-6
    star = spring_layout({0: [*range(1, 8)], **{i: [0] for i in range(1, 8)}}, 1.0)
    points = np.array(list(star.values()))
    apart = np.linalg.norm(points[:, None] - points[None], axis=2) + 10 * np.eye(8)
    assert apart.min() > 0.3
    parts = spring_layout({"a": ["b"], "b": ["a"], "c": ["d"], "d": ["c"]}, 1.0)  # two edges, two apart
    away = {pair: np.hypot(*np.subtract(parts[pair[0]], parts[pair[1]])) for pair in ("ab", "cd", "ac", "ad", "bc")}
    assert max(away["ab"], away["cd"]) < 1.2 and 1.5 < min(away["ac"], away["ad"], away["bc"]) < 2.5
    assert spring_layout({"a": []}, 1.0) == {"a": (0.0, 0.0)} and spring_layout({}, 1.0) == {}


@pytest.mark.notes("000-b", "plot-bn")
def test_a_network_with_evidence_and_tables():
    car = load_fuel_gauge()
    ax = car.plot(evidence={"gauge": "empty"}, tables=True)
    rendered(ax)
    found = texts(ax)
    assert ax.get_title() == "fuel gauge" and not ax.axison and len(arrows(ax)) == 2
    assert fill(found["gauge\n= empty"]) == OBSERVED and fill(found["fuel"]) == "#ffffff"
    assert set(arcs(ax, ["fuel", "battery", "gauge\n= empty"])) == {
        ("fuel", "gauge\n= empty"),
        ("battery", "gauge\n= empty"),
    }
    below = found["gauge\n= empty"].get_position()[1]
    assert all(found[name].get_position()[1] > below for name in ("fuel", "battery"))  # causes stand above
    table = next(text for text in found if text.startswith("battery  fuel"))
    lines = [line.split() for line in table.split("\n")]
    assert lines[0] == ["battery", "fuel", *car.states["gauge"]]
    for *parents, first, second in lines[1:]:
        share = car.query("gauge", dict(zip(("battery", "fuel"), parents)))
        assert [float(first), float(second)] == pytest.approx([share[state] for state in car.states["gauge"]], abs=1e-4)
    assert (
        lines[2] == ["flat", "full", ".8", ".2"]
        and found[table].get_position()[0] > found["gauge\n= empty"].get_position()[0]
    )
    only = texts(car.plot(evidence=["fuel", "gauge"], tables="fuel"))
    assert len(only) == 4 and fill(only["fuel"]) == fill(only["gauge"]) == OBSERVED
    mine = Figure().subplots()
    assert car.plot(mine) is mine and car.dag.plot(observed="fuel").figure is not mine.figure
    with pytest.raises(ParameterError, match=r"BayesianNetwork.plot: no node 'oil'"):
        car.plot(evidence={"oil": "low"})
    with pytest.raises(ParameterError, match="no tables yet"):
        BayesianNetwork(car.dag).plot(tables=True)
    rendered(DAG((), ["x$_", "$y$", "long name of a node"]).plot())
    rendered(DAG().plot())


@pytest.mark.notes("000-b", "plot-cpt")
def test_tables_with_nested_headers():
    car = load_fuel_gauge()
    frame = car.table_frame("gauge")
    assert frame.columns.names == ["battery", "fuel"] and frame.index.name == "gauge"
    assert frame.loc["empty", ("flat", "full")] == 0.8 and np.allclose(frame.sum(), 1)
    assert car.table_frame("fuel").loc["full", "p"] == 0.9
    ax = car.plot_table("gauge")
    rendered(ax)
    assert ax.get_title() == "P(gauge | battery, fuel)"
    words = [text.get_text() for text in ax.texts]
    assert words.count("flat") == words.count("charged") == 1 and words.count("empty") == 3
    place = {text: text.get_position() for text in ax.texts}
    first = min(x for x, _ in place.values())
    states = {t.get_text(): y for t, (x, y) in place.items() if x == first and t.get_text() in car.states["gauge"]}
    head = {
        y: sorted((x, t.get_text()) for t, (px, y2) in place.items() if y2 == y for x in [px] if px > first)
        for y in {y for t, (x, y) in place.items() if x == first and t.get_text() in ("battery", "fuel")}
    }
    batteries, fuels = head[max(head)], head[min(head)]
    for text, (x, y) in place.items():
        if x > first and y in states.values():
            battery = min(batteries, key=lambda cell: abs(cell[0] - x))[1]
            fuel = min(fuels, key=lambda cell: abs(cell[0] - x))[1]
            state = next(name for name, height in states.items() if height == y)
            assert float(text.get_text()) == pytest.approx(frame.loc[state, (battery, fuel)]), (battery, fuel, state)
    left, right = ax.get_xlim()
    rules = [line.get_xdata() for line in ax.lines if line.get_ydata()[0] == line.get_ydata()[1]]
    assert len(rules) == 3 and all(list(x) == [left, right] for x in rules) and left == 0
    assert all(left < x < right for x, _ in place.values())
    assert words[-1] == ".8" and words.count(".2") == 3
    symbols = [text.get_text() for text in car.plot_table("gauge", symbol="θ").texts]
    assert "θ(full | flat, empty)" in symbols and "θ(empty)" in [
        t.get_text() for t in car.plot_table("fuel", symbol="θ").texts
    ]
    real = BayesianNetwork({"x": []}, {"x": LinearGaussian(0, (), 1)})
    with pytest.raises(ParameterError, match="'x' is a real variable"):
        real.table_frame("x")
    parents = [f"p{i}" for i in range(7)]
    wide = BayesianNetwork({"x": parents}, {"x": np.full((2,) * 8, 0.5), **{p: [0.5, 0.5] for p in parents}})
    with pytest.raises(ParameterError, match="has 128 columns, a picture takes 64"):
        wide.plot_table("x")
    assert "... 112 more" in next(t for t in texts(wide.plot(tables="x")) if "more" in t)


@pytest.mark.notes("000-b", "plot-dsep")
def test_open_and_blocked_paths_are_colored():
    figure = Figure()
    axes = figure.subplots(2, 3)
    for column, pairs in enumerate((["ca", "cb"], ["ac", "cb"], ["ac", "bc"])):
        for row, given in enumerate(("", "c")):
            found = DAG(map(tuple, pairs)).d_separated("a", "b", given)
            ax = found.plot(axes[row, column])
            color = BLOCKED if found else OPEN
            assert {to_hex(arrow.get_edgecolor()) for arrow in arrows(ax)} == {to_hex(color)}
            said = f"a, b given {given or 'nothing'}: {'separated' if found else 'connected'}"
            assert " ".join(ax.get_title().split()) == said  # a narrow picture has it in two lines
    rendered(axes[0, 0])
    ax = FIVE.d_separated("a", "b", given="c").plot(canvas())
    rendered(ax)
    colors = {arc: to_hex(arrow.get_edgecolor()) for arc, arrow in arcs(ax, "abcef").items()}
    on_path = {("a", "e"), ("f", "e"), ("f", "b")}  # c, seen below e, opens the way a - e - f - b
    assert colors == {arc: to_hex(OPEN if arc in on_path else "0.6") for arc in [*on_path, ("e", "c")]}
    assert fill(texts(ax)["c"]) == OBSERVED
    shut = FIVE.d_separated("a", "b").plot(canvas())
    assert {arc: to_hex(arrow.get_edgecolor()) for arc, arrow in arcs(shut, "abcef").items()} == {
        arc: to_hex(BLOCKED if arc in on_path else "0.6") for arc in [*on_path, ("e", "c")]
    }
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["open path"]


@pytest.mark.notes("000-b", "plot-equivalence-classes")
def test_the_panel_of_classes():
    axes = DAG.equivalence_classes("ABC").plot()
    assert axes.shape == (11, 6)
    panels = [[frozenset(arcs(ax, "ABC")) for ax in row if ax.texts] for row in axes]
    assert len({graph for row in panels for graph in row}) == 25  # every graph over three nodes, once

    def kind(graph):
        """Skeleton and colliders without an arrow between their parents: what equivalent graphs share."""
        pairs = {frozenset(arc) for arc in graph}
        into = {c: sorted(a for a, b in graph if b == c) for c in "ABC"}
        return frozenset(pairs), frozenset(
            (c, tuple(who)) for c, who in into.items() if len(who) == 2 and frozenset(who) not in pairs
        )

    assert all(len({kind(graph) for graph in row}) == 1 for row in panels)  # a row is a class
    assert len({kind(row[0]) for row in panels}) == 11  # and no two rows the same
    rendered(axes[0, 0])
    drawn = [[ax for ax in row if ax.texts] for row in axes]
    assert sorted(map(len, drawn)) == [1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 6] and len(arrows(axes[10, 0])) == 3
    assert DAG.equivalence_classes(4).plot().shape[0] == 16
    essential = DAG([("A", "C"), ("B", "C"), ("D", "E")]).essential_graph().plot()
    assert sorted(a.get_arrowstyle().__class__.__name__ for a in arrows(essential)) == [
        "Curve",
        "CurveFilledB",
        "CurveFilledB",
    ]


@pytest.mark.notes("000-b", "plot-factor-graph")
@pytest.mark.notes("002", "plot-message-passing")
def test_factor_graphs_and_their_messages():
    graph = FactorGraph(
        {
            "fa": (("x1", "x2"), [[1, 2], [3, 4]]),
            "fb": (("x2", "x3"), [[2, 1], [1, 3]]),
            "fc": (("x4", "x2"), [[1, 1], [2, 5]]),
        }
    )
    ax = graph.plot(observed="x1")
    rendered(ax)
    shapes = {name: t.get_bbox_patch().get_boxstyle().__class__.__name__ for name, t in texts(ax).items()}
    assert shapes["fa"] == "Square" and shapes["x1"] == "Circle" and fill(texts(ax)["x1"]) == OBSERVED
    ax = graph.sum_product().plot()
    rendered(ax)
    words = [text.get_text() for text in ax.texts]
    assert sum(word.startswith("(") for word in words) == 12 == graph.sum_product().n_messages
    fa, fb, fc = np.array([[1, 2], [3, 4]]), np.array([[2, 1], [1, 3]]), np.array([[1, 1], [2, 5]])
    to_x2 = {"fa": fa.sum(0), "fb": fb.sum(1), "fc": fc.sum(0)}  # from the leaves inwards
    product = np.prod(list(to_x2.values()), axis=0)
    out = {"x1": fa @ (product / to_x2["fa"]), "x3": (product / to_x2["fb"]) @ fb, "x4": fc @ (product / to_x2["fc"])}
    expected = [[1, 1]] * 3 + list(to_x2.values()) + [product / one for one in to_x2.values()] + list(out.values())
    drawn = sorted(tuple(map(float, word.strip("()").split(","))) for word in words if word.startswith("("))
    np.testing.assert_allclose(drawn, sorted(tuple(map(float, one)) for one in expected), rtol=5e-3)
    long = chain(80).sum_product({"x3": 1}).plot()
    assert any(text.startswith("e^") for text in texts(long)) and fill(texts(long)["x3"]) == OBSERVED
    rendered(MarkovNetwork([(("a", "b"), np.ones((2, 2)))]).plot(observed="a"))


@pytest.mark.notes("000-b", "plot-trellis")
def test_the_trellis_of_a_chain():
    graph = chain()
    best = graph.max_product()
    ax = best.plot()
    rendered(ax)
    (path,) = [line for line in ax.lines if line.get_label() == "best path"]
    assert list(path.get_ydata()) == [best.values[f"x{i}"] for i in range(6)]
    assert list(path.get_xdata()) == [*range(6)]
    assert ax.get_xlim() == (-0.5, 5.5) and ax.get_ylim() == (2.5, -0.5)  # all states in sight, the first on top
    dots = {tuple(line.get_xydata()[0]): line.get_markerfacecolor() for line in ax.lines if line.get_marker() == "o"}
    assert set(dots) == {(t, s) for t in range(6) for s in range(3)}
    assert {at for at, color in dots.items() if to_hex(color) != "#ffffff"} == set(map(tuple, path.get_xydata()))
    links = {
        tuple(map(int, line.get_ydata()))
        for line in ax.lines
        if len(line.get_xdata()) == 2 and line.get_xdata()[0] == 0
    }
    pointer = best.pointer("f0", "x1")
    assert links == {(int(pointer[s][0]), s) for s in range(3)}
    assert [tick.get_text() for tick in ax.get_xticklabels()] == [f"x{i}" for i in range(6)]
    genes = load_gene_network().to_factor_graph()
    with pytest.raises(ParameterError, match="a trellis needs a chain"):
        genes.max_product().plot()
    uneven = FactorGraph({"f": (("a", "b"), np.eye(2, 3) + 0.1), "g": (("b",), [1, 2, 3])})
    assert "state" in uneven.max_product({"b": 0}).plot().get_ylabel()
    star = FactorGraph({f"f{i}": (("hub", f"x{i}"), np.ones((2, 2))) for i in range(3)})
    with pytest.raises(ParameterError, match="a trellis needs a chain"):
        star.max_product().plot()


@pytest.mark.notes("000-b", "plot-unrolled-network")
@pytest.mark.notes("002", "plot-graphical-models")
def test_plates_dots_and_copies():
    shared = DAG([("X", "s")]).unroll(2, outside="s", parameters=False)  # a child of all copies
    assert shared.parents["s"] == ("X(1)", "X(2)") and len(shared.nodes) == 3
    graph = DAG([("X1", "X2"), ("X1", "X3")]).unroll(3)
    copies = {f"example {i}": [f"X{k}({i})" for k in (1, 2, 3)] for i in (1, 2, 3)}
    ax = graph.plot(observed=[node for nodes in copies.values() for node in nodes], plates=copies)
    rendered(ax)
    frames = [
        patch for patch in ax.patches if not isinstance(patch, FancyArrowPatch) and hasattr(patch, "get_boxstyle")
    ]
    assert len(frames) == 3 and {"example 1", "theta_X1"} <= set(texts(ax))
    wanted = {(f"theta_X{k}", f"X{k}({i})") for k in (1, 2, 3) for i in (1, 2, 3)}
    wanted |= {(f"X1({i})", f"X{k}({i})") for k in (2, 3) for i in (1, 2, 3)}
    assert set(arcs(ax, list(graph.nodes))) == wanted
    ax.figure.canvas.draw()
    for frame, nodes in zip(frames, copies.values(), strict=True):
        x, y, w, h = frame.get_x(), frame.get_y(), frame.get_width(), frame.get_height()
        inside = {
            name
            for name, t in texts(ax).items()
            if x <= t.get_position()[0] <= x + w and y <= t.get_position()[1] <= y + h
        }
        assert {name for name in inside if name in graph} == set(nodes)
        border = frame.get_window_extent()
        name = texts(ax)[next(label for label, inside in copies.items() if inside is nodes)].get_window_extent()
        assert border.y0 < name.y0 and name.x1 < border.x1  # in the lower right corner
        for node in nodes:  # with its whole box
            box = texts(ax)[node].get_bbox_patch().get_window_extent()
            assert border.x0 < box.x0 and box.x1 < border.x1 and border.y0 < box.y0 and box.y1 < border.y1
    plate = DAG([("alpha", "w"), ("w", "t"), ("x", "t"), ("sigma2", "t")])
    ax = plate.plot(observed=["x", "t"], fixed=["alpha", "sigma2"], plates={"N": ["x", "t"]})
    rendered(ax)
    assert texts(ax)["alpha"].get_bbox_patch() is None and fill(texts(ax)["x"]) == OBSERVED
    with pytest.raises(ParameterError, match="no node 'q'"):
        plate.plot(plates={"N": ["q"]})


def test_pictures_without_axes_are_pyplots_and_others_are_not():
    import matplotlib.pyplot as plt

    draw = (FIVE.plot, UndirectedGraph(["ab", "bc"], nodes="d").plot, partial(load_fuel_gauge().plot_table, "gauge"))
    for count, one in enumerate(draw, 1):
        shown = one()
        assert len(plt.get_fignums()) == count and plt.gcf() is shown.figure  # `plt.show()` and notebooks have it
    plt.close("all")
    for one in draw:
        mine = Figure().subplots()
        assert one(ax=mine) is mine and not plt.get_fignums()
