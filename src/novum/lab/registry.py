"""All scenes, found in the folder `scenes`: a file is a scene, a folder a family."""

from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from novum.lab.scene import FAMILIES, Scene
from novum.notes.tables import chapters, ledger

__all__ = ["catalogue", "chapter_titles", "row_of", "scene_named", "scenes"]

FOLDER = Path(__file__).parent / "scenes"


@lru_cache(maxsize=1)
def scenes() -> dict[str, Scene]:
    """Return every scene by its name, family by family."""
    found: dict[str, Scene] = {}
    for family in FAMILIES:
        for path in sorted((FOLDER / family).glob("[!_]*.py")):
            module = import_module(f"novum.lab.scenes.{family}.{path.stem}")
            (cls,) = (
                value
                for value in vars(module).values()
                if isinstance(value, type) and issubclass(value, Scene) and value.__module__ == module.__name__
            )
            found[cls.name] = checked(cls(), family)
    return found


def checked(scene: Scene, family: str) -> Scene:
    """Return a scene whose declarations hold together, or raise."""
    if scene.family != family:
        raise ValueError(f"the scene {scene.name} says family {scene.family!r} and lies in {family!r}")
    for key in scene.rows:
        row_of(key)
    ids = [view["id"] for view in scene.views]
    if len(set(ids)) < len(ids):
        raise ValueError(f"the scene {scene.name} has two views with one id: {', '.join(ids)}")
    return scene


def scene_named(name: Any) -> Scene | None:
    """Return a scene by its name; None for any other name."""
    return scenes().get(name) if isinstance(name, str) else None


@lru_cache(maxsize=1)
def rows_by_key() -> dict[str, Any]:
    """Return the items of the notes by source, chapter and name: "000-c/18/kmeans"."""
    return {f"{row.source}/{row.chapter}/{row.item}": row for row in ledger()}


def row_of(key: str) -> Any:
    """Return the item of the notes that a scene names, or raise where there is none."""
    if key not in rows_by_key():
        raise KeyError(f"the notes have no item {key!r}")
    return rows_by_key()[key]


@lru_cache(maxsize=1)
def chapter_titles() -> list[dict[str, str]]:
    """Return the chapters that scenes belong to, in order, by source."""
    used = {(row.source, row.chapter): row.notes for scene in scenes().values() for row in map(row_of, scene.rows)}
    titles = {(chapter.notes, chapter.chapter): chapter.title for chapter in chapters()}
    order = {key: place for place, key in enumerate(titles)}
    return [
        {"source": source, "chapter": chapter, "title": titles[notes, chapter]}
        for (source, chapter), notes in sorted(used.items(), key=lambda item: order[item[1], item[0][1]])
    ]


def catalogue() -> list[dict[str, Any]]:
    """Return the entries of all scenes as the page reads them."""
    return [
        {
            **scene.described(),
            "rows": [{"id": key, "title": row_of(key).name, "chapter": row_of(key).chapter} for key in scene.rows],
        }
        for scene in scenes().values()
    ]
