"""What is drawn for every item of the notes that is a picture: `PICTURES`, its name to a caption and one public call.

The calls make their own figures, as a reader's would; `drawn(name)` returns the figure. `tools/contact_sheets.py` puts
them side by side, and `test_references.py` compares them with `references/`.
"""

import warnings
from collections.abc import Callable
from typing import Any

from drawings.rows_beliefs import BELIEFS
from drawings.rows_learners import LEARNERS
from drawings.rows_models import MODELS
from matplotlib import pyplot

__all__ = ["PICTURES", "drawn"]

PICTURES: dict[str, tuple[str, Callable[[], Any]]] = {**MODELS, **BELIEFS, **LEARNERS}


def drawn(name: str, style: str = "default") -> Any:
    """Return the figure of an item of the notes, in a style of matplotlib's; the caller closes it."""
    before = set(pyplot.get_fignums())
    with pyplot.style.context(style), warnings.catch_warnings():
        warnings.simplefilter("error")
        PICTURES[name][1]()
        (number,) = set(pyplot.get_fignums()) - before
        figure = pyplot.figure(number)
        figure.canvas.draw()
    return figure
