"""python -m novum.patch [--device cuda] script.py [arguments]: run a script with novum's classes; say which it used, and where."""

import runpy
import sys
from pathlib import Path

from novum.exceptions import ParameterError
from novum.patch import calls, patch, used

USAGE = "usage: python -m novum.patch [--device cuda] script.py [arguments of the script]"


def main(arguments: list[str]) -> int:
    """Run the script that the arguments name."""
    device = None
    if arguments[:1] == ["--device"] and len(arguments) > 1:
        device, arguments = arguments[1], arguments[2:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE, file=sys.stderr)
        return 0 if arguments else 2
    script = Path(arguments[0])
    if not script.is_file():
        print(f"novum.patch: {script}: no such file.", file=sys.stderr)
        return 2
    try:
        available = len(patch(device=device))
    except (ParameterError, ImportError) as error:
        print(f"novum.patch: {error}", file=sys.stderr)
        return 2
    sys.argv = arguments
    sys.path[0] = str(script.resolve().parent)
    try:
        runpy.run_path(str(script), run_name="__main__")
    finally:
        found = used()
        if found:
            print("novum.patch: the script used novum for", file=sys.stderr)
            print("\n".join(f"  {line}" for line in repr(found).splitlines()), file=sys.stderr)
        else:
            print(f"novum.patch: the script used none of the {available} classes that novum has.", file=sys.stderr)
        if device is not None:
            print(f"novum.patch: where its calls ran\n{calls()!r}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
