"""python -m novum.patch script.py [arguments]: run a script with novum's classes and say which it used."""

import runpy
import sys
from pathlib import Path

from novum.patch import patch, used

USAGE = "usage: python -m novum.patch script.py [arguments of the script]"


def main(arguments: list[str]) -> int:
    """Run the script that the first argument names."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE, file=sys.stderr)
        return 0 if arguments else 2
    script = Path(arguments[0])
    if not script.is_file():
        print(f"novum.patch: {script}: no such file.", file=sys.stderr)
        return 2
    available = len(patch())
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
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
