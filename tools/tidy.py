"""Run clang-tidy over all C++ and print every finding once; `tidy.py WORD ...` takes the files whose paths have such a word."""

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
FOUND = re.compile(r"^(\S+:\d+:\d+): (?:warning|error): (.*)$", re.MULTILINE)


def configured(source: Path, folder: Path, *options: str) -> list[str]:
    """Configure a build without precompiled headers, which only the compiler that made them can read; return its own sources."""
    command = ["cmake", "-S", str(source), "-B", str(folder), "-G", "Ninja", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    command += ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON", *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    commands = json.loads((folder / "compile_commands.json").read_text())
    ours = (str(ROOT / "cpp"), str(ROOT / "bindings"))
    return sorted(each["file"] for each in commands if each["file"].startswith(ours))


def findings(file: str, folder: Path) -> list[str]:
    """Return what clang-tidy says of one file and of the headers of ours that it includes."""
    run = subprocess.run(
        [BIN / "clang-tidy", "-p", folder, "--quiet", file], capture_output=True, text=True, check=False
    )
    found = [
        f"{Path(place).relative_to(ROOT) if place.startswith(str(ROOT)) else place}: {text}"
        for place, text in FOUND.findall(run.stdout)
    ]
    return found or ([f"{file}: {run.stderr.strip()}"] if run.returncode else [])


def main(words: list[str]) -> int:
    """Print all findings; the exit status says whether there were any."""
    nanobind = subprocess.run(
        [sys.executable, "-m", "nanobind", "--cmake_dir"], capture_output=True, text=True, check=True
    )
    library, tests = ROOT / "build" / "tidy", ROOT / "build" / "tidy-tests"
    files = [
        (file, library)
        for file in configured(
            ROOT, library, f"-DPython_EXECUTABLE={sys.executable}", f"-Dnanobind_DIR={nanobind.stdout.strip()}"
        )
    ]
    files += [(file, tests) for file in configured(ROOT / "cpp" / "tests", tests) if "/tests/" in file]
    chosen = [each for each in files if not words or any(word in each[0] for word in words)]
    found: set[str] = set()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for each in pool.map(lambda task: findings(*task), chosen):
            for line in each:
                if line not in found:
                    print(line, flush=True)
                found.add(line)
    print(f"clang-tidy: {len(chosen)} files, {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
