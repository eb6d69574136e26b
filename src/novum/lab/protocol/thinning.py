"""Which of many frames are kept: those of the first hundred steps, then by powers of 1.1, and always the last."""

from collections.abc import Iterable, Iterator

from novum.lab.frames import Frame

__all__ = ["ALL", "thinned"]

ALL = 100
RATIO = 1.1


def thinned(frames: Iterable[Frame]) -> Iterator[tuple[Frame, bool]]:
    """Yield (frame, whether one before it was left out); halves of a step stay together."""
    following, shown = ALL + 1.0, 0
    left: Frame | None = None
    for frame in frames:
        if frame.n > ALL and frame.n != shown:
            if frame.n < following:
                left = frame
                continue
            following = max(following * RATIO, frame.n + 1.0)
        yield frame, left is not None
        left, shown = None, frame.n
    if left is not None:
        yield left, True
