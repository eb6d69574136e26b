"""The one style sheet: colors, sizes and where legends stand, for every picture.

Nothing of matplotlib's settings is changed. A figure that novum makes takes PALETTE and open frames wherever the caller has
left matplotlib's own defaults; what the caller set (style sheets, rcParams) stays. Axes that the caller gives are the
caller's: their colors are C0, C1, ... of the caller's cycle, their frame is not touched, their legend stands inside.

What is written is in the color of the axes' names, and what lies behind it in that of their ground, so that a picture
is right on light and dark paper; grays lie between the two. PALETTE is that of Okabe and Ito (Color Universal Design, 2008) in
the order of hues of matplotlib's cycle: its first six stay apart for every kind of color vision, and none is lost on
white or on black.
"""

from typing import Any
from weakref import WeakSet

__all__ = [
    "CODES",
    "DIVERGING",
    "PALETTE",
    "SEQUENTIAL",
    "SIGNED",
    "SMALL",
    "TINY",
    "class_colors",
    "colors_of",
    "dress",
    "ink",
    "is_own",
    "letters",
    "paper",
    "series",
    "shade",
]

PALETTE = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#7f6a3d", "#8f8f8f")
SEQUENTIAL = "viridis"  # of little to much
DIVERGING = "RdBu_r"  # about a middle
SIGNED = "PuOr"  # of bad to good, without red against green
CODES = 10  # classes that have a color of their own on a mesh, at most
SMALL, TINY = "small", "x-small"  # of the caller's font size
OWN: WeakSet[Any] = WeakSet()  # figures of novum's in novum's palette
DRESSED: WeakSet[Any] = WeakSet()  # their axes


def dress(figure: Any) -> None:
    """Give new axes of a figure the palette and an open frame, where the caller has set neither."""
    from matplotlib import rcParams, rcParamsDefault

    if rcParams["axes.prop_cycle"] == rcParamsDefault["axes.prop_cycle"]:
        OWN.add(figure)
    closed = [s for s in ("top", "right") if rcParams[f"axes.spines.{s}"] == rcParamsDefault[f"axes.spines.{s}"]]
    for ax in set(figure.axes) - set(DRESSED):
        DRESSED.add(ax)
        if figure in OWN:
            ax.set_prop_cycle(color=PALETTE)
        for side in closed:
            if side in ax.spines:
                ax.spines[side].set_visible(False)


def is_own(ax: Any) -> bool:
    """Return whether axes are of a figure in novum's palette."""
    return root_of(ax) in OWN


def root_of(ax: Any) -> Any:
    """Return the figure that holds axes, that of its parts if it has parts."""
    figure = ax.get_figure()
    return getattr(figure, "figure", figure) or figure


def series(ax: Any, k: int) -> str:
    """Return the color of the k-th thing of its kind on these axes, as it is now: a style may end before the picture is written."""
    from matplotlib.colors import to_hex

    return PALETTE[k % len(PALETTE)] if is_own(ax) else str(to_hex(f"C{k}"))


def colors_of(ax: Any, n: int) -> list[str]:
    """Return the colors of n things of a kind on these axes."""
    return [series(ax, k) for k in range(n)]


def ink(ax: Any) -> Any:
    """Return the color in which these axes write."""
    return ax.xaxis.label.get_color()


def paper(ax: Any) -> Any:
    """Return the color of the ground of these axes."""
    from matplotlib.colors import to_rgba

    ground = ax.get_facecolor()
    return ground if to_rgba(ground)[3] > 0 else root_of(ax).get_facecolor()


def shade(ax: Any, level: float) -> str:
    """Return a gray between what is written (0) and the ground (1)."""
    from matplotlib.colors import to_hex, to_rgb

    return str(to_hex([(1 - level) * a + level * b for a, b in zip(to_rgb(ink(ax)), to_rgb(paper(ax)))]))


def class_colors(ax: Any) -> dict[str, Any]:
    """Return what makes a scatter or a mesh show codes of classes in the colors of `series`."""
    from matplotlib.colors import ListedColormap

    return {"cmap": ListedColormap(colors_of(ax, CODES)), "vmin": 0, "vmax": CODES - 1}


def letters(ax: Any, ground: Any) -> Any:
    """Return which of ink and paper is read better on a colored ground."""
    from matplotlib.colors import to_rgb

    def lightness(color: Any) -> float:
        return float(sum(part * weight for part, weight in zip(to_rgb(color), (0.299, 0.587, 0.114))))

    return max((ink(ax), paper(ax)), key=lambda color: abs(lightness(color) - lightness(ground)))
