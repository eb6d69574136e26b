"""Forked children for tests: run something in one and see how it ends."""

import os
import time

import pytest

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def fork_and_run(work):
    """Run `work` in a forked child that ends like any program; return its exit code."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    return "hung"
