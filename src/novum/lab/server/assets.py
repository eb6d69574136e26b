"""The files of the page, known by name when the server starts: no path of a request is ever opened."""

import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["LANGUAGES", "File", "built_files", "recorded_runs", "scene_words", "words_in"]

HERE = Path(__file__).parents[1]
LANGUAGES = ("en", "it")
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".json": "application/json",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
}


class File(NamedTuple):
    """A file as it is sent."""

    path: Path
    kind: str

    def read(self) -> tuple[bytes, str]:
        """Return the bytes and what tells them from another version's."""
        content = self.path.read_bytes()
        return content, f'"{hashlib.sha256(content).hexdigest()[:32]}"'


def built_files() -> dict[str, File]:
    """Return the built page, by the names under which its parts are asked for."""
    return {
        path.name: File(path, TYPES[path.suffix])
        for path in sorted((HERE / "assets").glob("*"))
        if path.is_file() and path.suffix in TYPES
    }


def recorded_runs() -> dict[str, File]:
    """Return the runs that are shipped, by the name of their file."""
    return {path.name: File(path, TYPES[".json"]) for path in sorted((HERE / "recorded").glob("*.json"))}


def flat(prefix: str, entry: Any) -> dict[str, str]:
    """Return nested words as keys with points."""
    if isinstance(entry, str):
        return {prefix: entry}
    return {key: text for name, part in entry.items() for key, text in flat(f"{prefix}.{name}", part).items()}


def scene_words(language: str, name: str) -> dict[str, str]:
    """Return the words of one scene in one language."""
    (path,) = (HERE / "words" / language).rglob(f"{name}.json")
    return flat(f"scene.{name}", json.loads(path.read_text(encoding="utf-8")))


@lru_cache(maxsize=4)
def words_in(language: str) -> dict[str, str]:
    """Return every text of a language by its key: those of the shell, and those of every scene."""
    made: dict[str, str] = {}
    for path in sorted((HERE / "words" / language).rglob("*.json")):
        if path.stem in ("shell", "analyst"):
            made |= json.loads(path.read_text(encoding="utf-8"))
        else:
            made |= scene_words(language, path.stem)
    return made
