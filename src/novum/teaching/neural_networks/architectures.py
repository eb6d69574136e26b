"""Sketches of architectures: boxes and arrows of the networks that the notes draw.

A sketch is a table of boxes, each with its place and what it computes, and of arrows between them: the flow of the data.
"""

from dataclasses import dataclass
from typing import Any

from novum.exceptions import ParameterError
from novum.report.axes import drawing_axes
from novum.report.boxes import Boxes, Sketch, arrows_of, draw_boxes
from novum.report.result import Result
from novum.runtime.typing import Axes

__all__ = ["Architecture", "architecture", "plot_architecture"]

# fmt: off
SKETCHES: dict[str, Sketch] = {
    "autoencoder": Sketch(
        {
            "x": (0, 0, "input x"), "encoder": (2, 0, "encoder\n$h = g(Wx + b)$"), "code": (4, 0, "code z\n(narrow)"),
            "decoder": (6, 0, "decoder"), "y": (8, 0, "output $\\hat x$"), "loss": (4, -1, "$|x - \\hat x|^2$"),
        },
        "x > encoder > code > decoder > y > loss, x > loss",
    ),
    "stacked": Sketch(
        {
            "x1": (0, 0, "x"), "e1": (2, 0, "encoder 1"), "d1": (4, 0, "decoder 1"), "y1": (6, 0, "$\\hat x$"),
            "h1": (0, 1, "codes 1"), "e2": (2, 1, "encoder 2"), "d2": (4, 1, "decoder 2"),
            "y2": (6, 1, "$\\hat h_1$"), "x3": (0, 2, "x"), "s1": (2, 2, "encoder 1"), "s2": (4, 2, "encoder 2"),
            "head": (6, 2, "head"),
        },
        "x1 > e1 > d1 > y1, e1 > h1, h1 > e2 > d2 > y2, x3 > s1 > s2 > head",
    ),
    "cnn": Sketch(
        {
            "image": (0, 0, "image"), "conv1": (2, 0, "convolution\nfilters, ReLU"), "pool1": (4, 0, "max pooling"),
            "conv2": (6, 0, "convolution"), "pool2": (8, 0, "max pooling"), "dense": (10, 0, "dense"),
            "classes": (12, 0, "softmax"),
        },
        "image > conv1 > pool1 > conv2 > pool2 > dense > classes",
    ),
    "lstm": Sketch(
        {
            "h0": (4, -1, "$h_{t-1}$"), "x": (6, -1, "$x_t$"), "both": (5, 0, "$[h_{t-1}, x_t]$"),
            "c0": (0, 4, "$c_{t-1}$"), "f": (2, 1, "forget gate\n$f = \\sigma$"),
            "i": (4, 1, "input gate\n$i = \\sigma$"), "g": (6, 1, "candidate\n$g = \\tanh$"),
            "o": (8, 1, "output gate\n$o = \\sigma$"), "keep": (2, 4, "$f * c_{t-1}$"), "new": (5, 2.5, "$i * g$"),
            "c": (5, 4, "$c_t$ = sum"), "h": (8, 3, "$h_t = o * \\tanh c_t$"),
        },
        "h0 > both, x > both, both > f, both > i, both > g, both > o, c0 > keep, f > keep, i > new, g > new, "
        "keep > c, new > c, c > h, o > h",
    ),
    "seq2seq": Sketch(
        {
            "x1": (0, 0, "$x_1$"), "x2": (2, 0, "$x_2$"), "x3": (4, 0, "$x_3$"), "m1": (0, 1, "encoder\n$m_1$"),
            "m2": (2, 1, "encoder\n$m_2$"), "m3": (4, 1, "encoder\n$m_3$"),
            "a": (2, 2.2, "attention\n$\\sum_j a_j m_j$"), "start": (7, 0, "START"), "s1": (7, 1, "decoder\n$s_1$"),
            "y1": (7, 3.4, "$y_1$"), "y1in": (9, 0, "$y_1$"), "s2": (9, 1, "decoder\n$s_2$"), "end": (9, 3.4, "END"),
            "q1": (7, 2.2, "combine"), "q2": (9, 2.2, "combine"),
        },
        "x1 > m1 > m2 > m3 > s1 > s2, x2 > m2, x3 > m3, m1 > a, m2 > a, m3 > a, start > s1, y1in > s2, "
        "s1 > q1 > y1, s2 > q2 > end, a > q1, a > q2",
    ),
    "transformer": Sketch(
        {
            "x": (0, 0, "input symbols"), "xe": (0, 1, "embedding\n+ positions"), "ea": (0, 2.5, "self-attention"),
            "en": (0, 3.5, "add, normalise"), "ef": (0, 4.5, "feed-forward"), "em": (0, 5.5, "add, normalise"),
            "y": (4, 0, "START, outputs"), "ye": (4, 1, "embedding\n+ positions"),
            "da": (4, 2.5, "masked\nself-attention"), "dn": (4, 3.5, "add, normalise"),
            "dc": (4, 4.5, "attention\nto the encoder"), "dm": (4, 5.5, "add, normalise"),
            "df": (4, 6.5, "feed-forward"), "dl": (4, 7.5, "add, normalise"), "linear": (4, 9, "linear"),
            "softmax": (4, 10, "softmax"),
        },
        "x > xe > ea > en > ef > em > dc, xe > en, en > em, "
        "y > ye > da > dn > dc > dm > df > dl > linear > softmax, ye > dn, dn > dm, dm > dl",
    ),
    "gan": Sketch(
        {
            "z": (0, 0, "noise z"), "generator": (2, 0, "generator\n(forger)"), "fake": (4, 0, "G(z)"),
            "real": (4, 1.2, "data x"), "discriminator": (6, 0.6, "discriminator\n(detective)"),
            "verdict": (8, 0.6, "real or\ngenerated?"),
        },
        "z > generator > fake > discriminator > verdict, real > discriminator, verdict > generator, "
        "verdict > discriminator",
    ),
    "gnn": Sketch(
        {
            "u": (0, 0, "node u\n$h_u$"), "v": (0, 1, "neighbor v\n$h_v$"), "w": (0, 2, "neighbor w\n$h_w$"),
            "aggregate": (2.5, 1.5, "aggregate\nmean, sum, max"), "update": (5, 0.7, "$g(W h_u + U m)$"),
            "new": (7.5, 0.7, "next layer\n$h_u'$"),
        },
        "v > aggregate, w > aggregate, aggregate > update, u > update, update > new",
    ),
}
# fmt: on


@dataclass(eq=False, repr=False)
class Architecture(Result):
    """Boxes and arrows of one kind of network.

    Attributes
    ----------
    kind : str
    boxes : dict of str to tuple
        (column, row, words) of every box.
    arrows : list of tuple
        Names of the boxes from and to which data flow.
    """

    kind: str
    boxes: Boxes
    arrows: list[tuple[str, str]]

    def _result_columns(self) -> dict[str, Any]:
        return {"from": [a for a, _ in self.arrows], "to": [b for _, b in self.arrows]}

    def _result_scalars(self) -> dict[str, Any]:
        return {"kind": self.kind}

    def _result_picture(self, ax: Any) -> None:
        draw_boxes(ax, self.boxes, self.arrows, self.kind)


def architecture(kind: str) -> Architecture:
    """Return the boxes and arrows of a kind of network: see `plot_architecture`."""
    if kind not in SKETCHES:
        raise ParameterError(
            f"plot_architecture: kind={kind!r} must be one of {', '.join(map(repr, sorted(SKETCHES)))}."
        )
    boxes, text = SKETCHES[kind]
    return Architecture(kind, boxes, arrows_of(text))


def plot_architecture(kind: str, ax: Axes | None = None) -> Axes:
    """Draw the sketch of a kind of network; return the axes.

    Parameters
    ----------
    kind : {"autoencoder", "stacked", "cnn", "lstm", "seq2seq", "transformer", "gan", "gnn"}
    ax : matplotlib axes, default=None

    Examples
    --------
    >>> from novum.teaching import plot_architecture
    >>> len(plot_architecture("lstm").patches)
    12
    """
    return architecture(kind).plot(drawing_axes(ax))
