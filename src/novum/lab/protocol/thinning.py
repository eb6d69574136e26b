"""Which of many frames are kept: the first hundred, then by powers of 1.1, and always the last."""

from collections.abc import Iterable, Iterator

from novum.lab.frames import Frame

__all__ = ["ALL", "thinned"]

ALL = 100
RATIO = 1.1


def thinned(frames: Iterable[Frame]) -> Iterator[tuple[Frame, bool]]:
    """Yield (frame, whether one before it was left out); every frame counts, halves of a step too."""
    following = ALL + 1.0
    left: Frame | None = None
    for place, frame in enumerate(frames):
        if place <= ALL or place >= following:
            if place > ALL:
                following = max(following * RATIO, place + 1.0)
            yield frame, left is not None
            left = None
        else:
            left = frame
    if left is not None:
        yield left, True
