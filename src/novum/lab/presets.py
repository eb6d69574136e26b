"""Rows that several scenes begin with: calls of public functions, by the names that their words have."""

from novum.lab.calls import Call
from novum.lab.points import Preset

__all__ = ["BLOBS", "CIRCLES", "CLOUDS", "EVEN", "LINE", "MOONS", "SINE", "TOUCHING", "XOR"]

BLOBS_FUNCTION, BOX = "sklearn.datasets.make_blobs", (-2.6, 2.6)


def blobs(n: int, noise: float, seed: int) -> Call:
    """Return five clouds at random places."""
    return Call(BLOBS_FUNCTION, n, centers=5, cluster_std=noise, center_box=BOX, random_state=seed)


def clouds(n: int, noise: float, seed: int) -> Call:
    """Return two clouds far from each other."""
    return Call(BLOBS_FUNCTION, n, centers=[[-2.0, -1.0], [2.0, 1.0]], cluster_std=noise, random_state=seed)


def touching(n: int, noise: float, seed: int) -> Call:
    """Return two clouds that reach into each other."""
    return Call(BLOBS_FUNCTION, n, centers=[[-0.8, -0.5], [0.8, 0.5]], cluster_std=noise, random_state=seed)


def xor(n: int, noise: float, seed: int) -> Call:
    """Return four clouds, those across from each other of one class."""
    corners = [[-1.5, -1.5], [1.5, -1.5], [1.5, 1.5], [-1.5, 1.5]]
    return Call(BLOBS_FUNCTION, n, centers=corners, cluster_std=noise, random_state=seed)


def moons(n: int, noise: float, seed: int) -> Call:
    """Return two half rings inside each other."""
    return Call("sklearn.datasets.make_moons", n, noise=noise / 4, random_state=seed)


def circles(n: int, noise: float, seed: int) -> Call:
    """Return a ring around another."""
    return Call("sklearn.datasets.make_circles", n, factor=0.4, noise=noise / 6, random_state=seed)


def line(n: int, noise: float, seed: int) -> Call:
    """Return points about a line."""
    return Call("novum.datasets.make_line", n, noise=noise, random_state=seed, return_X_y=True)


def sine(n: int, noise: float, seed: int) -> Call:
    """Return points about one wave of a sine."""
    return Call("novum.datasets.make_sine", n, noise=noise, random_state=seed, return_X_y=True)


def even(n: int, noise: float, seed: int) -> Call:
    """Return points evenly over a square: clouds without width at places drawn there."""
    return Call(BLOBS_FUNCTION, n, centers=n, cluster_std=0.0, center_box=BOX, random_state=seed)


BLOBS = {"blobs": Preset(blobs)}
CLOUDS = {"clouds": Preset(clouds)}
TOUCHING = {"touching": Preset(touching)}
XOR = {"xor": Preset(xor)}
MOONS = {"moons": Preset(moons, ((-2.0, 3.0), (-1.5, 2.0)))}
EVEN = {"even": Preset(even)}
CIRCLES = {"circles": Preset(circles, ((-2.0, 2.0), (-1.5, 1.5)))}
LINE = {"line": Preset(line, ((-1.0, 1.0), (-1.5, 1.5)))}
SINE = {"sine": Preset(sine, ((0.0, 1.0), (-2.0, 2.0)))}
