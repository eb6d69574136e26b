"""Sketches of architectures: what is drawn is the table, and the table is the network."""

import numpy as np
import pytest

from novum.exceptions import ParameterError
from novum.report.boxes import HEIGHT, WIDTH
from novum.teaching import plot_architecture
from novum.teaching.neural_networks.architectures import SKETCHES, architecture

plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def on_border(point, box):
    dx, dy = abs(point[0] - box[0]), abs(point[1] - box[1])
    inside = dx <= WIDTH / 2 + 1e-9 and dy <= HEIGHT / 2 + 1e-9
    return inside and (np.isclose(dx, WIDTH / 2) or np.isclose(dy, HEIGHT / 2))


@pytest.mark.notes("000-c", "plot-architectures")
@pytest.mark.parametrize("kind", sorted(SKETCHES))
def test_boxes_and_arrows_are_drawn_where_the_table_says(kind):
    sketch = architecture(kind)
    ax = plot_architecture(kind)
    assert len(ax.patches) == len(sketch.boxes)
    for patch, (column, row, _) in zip(ax.patches, sketch.boxes.values()):
        corner = patch.get_xy()
        np.testing.assert_allclose([corner[0] + WIDTH / 2, corner[1] + HEIGHT / 2], [column, row])
    texts = [text for text in ax.texts if text.get_text()]
    assert [(text.get_text(), *text.get_position()) for text in texts] == [
        (words, column, row) for column, row, words in sketch.boxes.values()
    ]
    arrows = [text for text in ax.texts if not text.get_text()]
    assert len(arrows) == len(sketch.arrows)
    for arrow, (a, b) in zip(arrows, sketch.arrows):
        assert on_border(arrow.xyann, sketch.boxes[a]) and on_border(arrow.xy, sketch.boxes[b])
    joined = {name for pair in sketch.arrows for name in pair}
    assert joined == set(sketch.boxes)  # nothing stands alone
    assert sketch.to_frame().shape == (len(sketch.arrows), 2)


def computed(kind, inputs, rules):
    """Run the arrows as a flow of data: each box applies its rule to what reaches it."""
    sketch = architecture(kind)
    into = {name: [a for a, b in sketch.arrows if b == name] for name in sketch.boxes}
    values = dict(inputs)
    while len(values) < len(sketch.boxes):
        ready = [n for n in sketch.boxes if n not in values and all(a in values for a in into[n])]
        for name in ready:
            values[name] = rules[name](*(values[a] for a in into[name]))
    return values


def test_the_sketch_of_the_lstm_computes_the_lstm():
    """The scalar cell of the notes: weights one half, no biases."""

    def sigmoid(a):
        return 1 / (1 + np.exp(-a))

    rules = {
        "both": lambda h, x: 0.5 * (h + x),
        "f": sigmoid,
        "i": sigmoid,
        "o": sigmoid,
        "g": np.tanh,
        "keep": lambda c, f: c * f,
        "new": lambda i, g: i * g,
        "c": lambda keep, new: keep + new,
        "h": lambda c, o: o * np.tanh(c),
    }
    h = c = 0.0
    for x, expected_h, expected_c in [(1.0, 0.174270, 0.287649), (2.0, 0.500859, 0.810271)]:
        values = computed("lstm", {"h0": h, "c0": c, "x": x}, rules)
        h, c = values["h"], values["c"]
        assert (h, c) == pytest.approx((expected_h, expected_c), abs=1e-6)


def test_the_sketch_of_the_transformer_has_the_order_of_its_blocks():
    arrows = architecture("transformer").arrows
    assert ("em", "dc") in arrows and ("dn", "dc") in arrows  # the decoder attends to the encoder
    assert ("xe", "en") in arrows and ("ye", "dn") in arrows  # what a part reads is added to what it says
    names = [name for name, _ in arrows]
    assert names.index("da") < names.index("dc") < names.index("df")


def test_unknown_kinds_are_refused():
    with pytest.raises(ParameterError, match="kind='perceptron' must be one of 'autoencoder', 'cnn'"):
        plot_architecture("perceptron")
