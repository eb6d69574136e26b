"""Write the type stubs of the compiled core from the binary, or (--check) compare them with what is committed."""

import filecmp
import subprocess
import sys
import tempfile
from pathlib import Path

COMMITTED = Path(__file__).parents[1] / "src" / "novum" / "_core"


def generate(folder: Path) -> None:
    """Write the stubs of novum._core into `folder`/_core."""
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "novum._core", "-r", "-O", str(folder)]
    subprocess.run(command, check=True)


def differences() -> list[str]:
    """Return the names of stubs that differ from the binary."""
    with tempfile.TemporaryDirectory() as folder:
        generate(Path(folder))
        written = Path(folder, "_core")
        fresh = {str(path.relative_to(written)) for path in written.rglob("*.pyi")}
        known = {str(path.relative_to(COMMITTED)) for path in COMMITTED.rglob("*.pyi")}
        _, changed, missing = filecmp.cmpfiles(written, COMMITTED, fresh & known, shallow=False)
        return sorted({*changed, *missing, *(fresh ^ known)})


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(f"stubs differ from the binary: {', '.join(d)}; run make stubs" if (d := differences()) else 0)
    generate(COMMITTED.parent)
