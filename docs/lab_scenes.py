"""The directive that puts a scene of the lab into a page of the documentation.

    .. novum-lab:: kmeans
       :f: 3                 the step that is shown first (default: the last)
       :state: state.json    a state that the lab saved, beside the page (default: the scene's own)
       :lang: it             the language of the scene (default: en)

At build a scene runs once for each set of options and becomes a file `_static/lab/<name>-<digest>.html`, which needs no network;
the page holds it in a frame that may run scripts and nothing else. Other builders than HTML keep the caption, which names the
command that opens it live.
"""

import hashlib
import json
import warnings
from pathlib import Path
from typing import Any, NamedTuple

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from novum.lab.controls import Refusal
from novum.lab.protocol.digest import canonical
from novum.lab.registry import scene_named, scenes
from novum.lab.server.assets import LANGUAGES, scene_words
from novum.lab.server.export import scene_page

__all__ = ["LabScene", "Shown", "setup"]

HEIGHT = "44rem"
CAPTION = {
    "en": ("Live, on your own points:", "Step through it: "),
    "it": ("Dal vivo, sui tuoi punti:", "Passo dopo passo: "),
}


class Shown(NamedTuple):
    """A scene with its options."""

    scene: str
    frame: int | None = None
    state: str = ""  # name of a file
    given: dict[str, Any] = {}
    lang: str = "en"

    @property
    def command(self) -> str:
        """The command that opens it live."""
        return f"novum lab --scene {self.scene}" + (f" --state {self.state}" if self.state else "")

    @property
    def title(self) -> str:
        """The scene's title in the language of its options."""
        return scene_words(self.lang, self.scene)[f"scene.{self.scene}.title"]

    @property
    def file_name(self) -> str:
        """The name of its file, which is another for other options."""
        options = canonical([self.frame, self.state, self.given, self.lang])
        return f"{self.scene}-{hashlib.sha256(options.encode()).hexdigest()[:12]}.html"

    def page(self) -> str:
        """Run the scene and return its page."""
        scene = scene_named(self.scene)
        assert scene is not None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a scene that stops a fit early means to
            return scene_page(scene, self.given, self.frame, self.lang, self.command)


def language(argument: str) -> str:
    """Return a language that scenes speak."""
    return directives.choice(argument, LANGUAGES)


class LabScene(SphinxDirective):
    """See the module."""

    app: Any  # of the build; `setup` puts it here
    required_arguments = 1
    option_spec = {"f": directives.nonnegative_int, "state": directives.path, "lang": language}

    def run(self) -> list[nodes.Node]:
        """Return the frame and its caption."""
        try:
            shown = self.shown()
            framed = self.framed(shown) if self.app.builder.format == "html" else []
        except Refusal as refusal:
            raise self.error(f"novum-lab: {refusal.sentence}") from refusal
        caption = nodes.paragraph(classes=["novum-lab-caption"])
        live, step = CAPTION[shown.lang]
        caption += [nodes.Text(f"{step}{shown.title}. {live} "), nodes.literal(text=shown.command)]
        return [*framed, caption]

    def shown(self) -> Shown:
        """Return what is asked for, or raise a Refusal."""
        name = self.arguments[0]
        if scene_named(name) is None:
            raise Refusal(f"{name}: scenes are {', '.join(scenes())}.")
        given, state = {}, self.options.get("state", "")
        if state:
            relative, path = self.env.relfn2path(state)
            self.env.note_dependency(relative)
            try:
                given = json.loads(Path(path).read_text(encoding="utf-8"))["state"]
            except (OSError, ValueError, KeyError, TypeError) as error:
                raise Refusal(f":state: {state}: must be a file that the lab saved.") from error
        return Shown(name, self.options.get("f"), Path(state).name, given, self.options.get("lang", "en"))

    def framed(self, shown: Shown) -> list[nodes.Node]:
        """Write the file where it is not there yet, and return the element that shows it."""
        builder = self.app.builder
        path = Path(builder.outdir) / "_static" / "lab" / shown.file_name
        if path not in WRITTEN:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(shown.page(), encoding="utf-8")
            WRITTEN.add(path)
        up = "../" * builder.get_target_uri(self.env.docname).count("/")
        title = shown.title.replace("&", "&amp;").replace('"', "&quot;")
        frame = (
            f'<iframe class="novum-lab" sandbox="allow-scripts" loading="lazy" title="{title}" '
            f'src="{up}_static/lab/{shown.file_name}" style="width:100%;height:{HEIGHT};border:0"></iframe>'
        )
        return [nodes.raw("", frame, format="html")]


WRITTEN: set[Path] = set()  # by this build


def setup(app: Any) -> dict[str, Any]:
    """Tell Sphinx of the directive."""
    LabScene.app = app
    app.add_directive("novum-lab", LabScene)
    return {"version": "1", "parallel_read_safe": True}
