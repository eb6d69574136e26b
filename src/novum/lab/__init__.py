"""The lab: a page where a person steps through every method, drawn from the objects of the library itself.

`novum lab` on the command line opens it. A scene is one file of `novum/lab/scenes` (docs/guide/lab.md); `record` shows the
passes of a fit of your own in a notebook.
"""

from typing import TYPE_CHECKING

from novum.runtime.lazy import lazily

if TYPE_CHECKING:
    from novum.lab.notebook import Frames, record
    from novum.lab.registry import catalogue
    from novum.lab.scene import Scene
else:
    __getattr__, __dir__ = lazily(__name__, {".notebook": "Frames record", ".registry": "catalogue", ".scene": "Scene"})

__all__ = ["Frames", "Scene", "catalogue", "record"]
