"""The instruction levels of the build: reported truly, and refused where they cannot run."""

import os
import subprocess
import sys

import pytest

from novum import _core

BYTES = {"x86-64-v4": 64, "x86-64-v3": 32, "default": 16}
build = _core.runtime.build


def imported(**environment):
    """Return what a process with these variables says of the core."""
    code = "from novum import _core; print(_core.runtime.build.simd_bytes())"
    return subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True
    )


def test_the_level_that_runs_is_one_that_was_compiled():
    levels = build.levels()
    assert levels in (list(BYTES), [build.simd_level()])  # all, or this machine's own
    assert build.simd_bytes() <= BYTES[build.simd_level()]


@pytest.mark.skipif(
    sys.platform != "linux" or build.levels() == ["default"], reason="one level serves all processors here"
)
def test_a_width_that_was_not_compiled_is_refused():
    own = BYTES[build.simd_level()]
    assert imported(NOVUM_SIMD_BYTES=str(own)).stdout.strip() == str(own)
    narrow = imported(NOVUM_SIMD_BYTES="16")
    if len(build.levels()) > 1:
        assert narrow.stdout.strip() == "16"
    else:
        assert "ImportError: this build of novum has kernels for one instruction level alone" in narrow.stderr
        assert "NOVUM_SIMD_BYTES=16 requests another" in narrow.stderr


@pytest.mark.levels
@pytest.mark.parametrize("width", ["16", "32"])
def test_narrow_kernels_can_be_requested(width):
    assert imported(NOVUM_SIMD_BYTES=width).stdout.strip() == width
