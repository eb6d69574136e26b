"""Run the example of a chapter: python -m novum.notes.run 000 8

An example is an interactive session in `examples/`, named as the chapter's page. It is run as a doctest, so that what is shown is
what is computed.
"""

import doctest
import sys
from importlib.resources import files

from novum.exceptions import ParameterError
from novum.notes.tables import chapters, page_name

__all__ = ["check", "example", "main"]

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def example(number: str, chapter: str) -> str | None:
    """Return the session of a chapter, None where there is none."""
    path = files("novum.notes") / "examples" / f"{page_name(number, chapter)}.txt"
    return path.read_text(encoding="utf-8") if path.is_file() else None


def check(name: str, session: str) -> list[str]:
    """Run a session and return what came out differently."""
    differences: list[str] = []
    test = doctest.DocTestParser().get_doctest(session, {}, name, name, 0)
    doctest.DocTestRunner(verbose=False, optionflags=FLAGS).run(test, out=differences.append)
    return differences


def main(number: str, chapter: str) -> int:
    """Print the session of a chapter and whether it still holds; return the exit status."""
    if (number, chapter) not in {c[:2] for c in chapters()}:
        raise ParameterError(f"novum.notes.run {number} {chapter}: no such chapter; novum notes lists them.")
    session = example(number, chapter)
    if session is None:
        print(f"Chapter {chapter} of {number} has no example yet; its items: novum notes {number} {chapter}.")
        return 0
    print(session)
    differences = check(page_name(number, chapter), session)
    print("".join(differences) if differences else "Computed just now, every line as shown.")
    return 1 if differences else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python -m novum.notes.run SET CHAPTER, e.g. python -m novum.notes.run 000 8")
    try:
        sys.exit(main(*sys.argv[1:]))
    except ParameterError as error:
        sys.exit(str(error))
