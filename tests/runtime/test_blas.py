import os
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from forking import fork_and_run, forks
from threadpoolctl import threadpool_info, threadpool_limits

from novum.runtime.blas import _single_blas, libraries, single_blas
from novum.runtime.pool import map_ordered


def blas_threads():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def test_blas_is_single_inside_and_restored_outside():
    before = blas_threads()
    with single_blas():
        assert set(blas_threads()) == {1}
        with single_blas():
            assert set(blas_threads()) == {1}
        assert set(blas_threads()) == {1}
    assert blas_threads() == before
    with pytest.raises(RuntimeError), single_blas(), single_blas():
        raise RuntimeError
    assert blas_threads() == before
    assert _single_blas.limit.depth == 0


def test_a_limit_of_the_user_survives():
    with threadpool_limits(2, user_api="blas"):
        with single_blas():
            assert set(blas_threads()) == {1}
        assert set(blas_threads()) == {2}


def test_blas_is_restored_when_the_last_thread_leaves():
    before, inside, leave = blas_threads(), threading.Barrier(2, timeout=10), threading.Event()

    def late():
        with single_blas():
            inside.wait()
            leave.wait(10)

    thread = threading.Thread(target=late)
    with single_blas():
        thread.start()
        inside.wait()
    assert set(blas_threads()) == {1}  # the other thread is still inside
    leave.set()
    thread.join()
    assert blas_threads() == before


def test_many_threads_enter_and_leave():
    before = blas_threads()

    def work(_):
        for _ in range(50):
            with single_blas():
                assert {library.num_threads for library in libraries("blas")} == {1}

    list(map_ordered(work, range(8), 4))
    assert blas_threads() == before


def test_a_blas_library_loaded_later_is_found():
    code = """
        from novum.runtime.blas import libraries, single_blas
        import numpy
        with single_blas():
            few = {library.filepath for library in libraries("blas")}
            import scipy.linalg
            with single_blas():
                many = libraries("blas")
                assert {library.num_threads for library in many} == {1}
            late = [library for library in many if library.filepath not in few]
        print(len(few) >= 1, all(library.num_threads > 1 for library in late), len(late))
    """
    env = os.environ | {"OPENBLAS_NUM_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60, env=env
    )
    assert done.stdout.startswith("True True"), done.stderr


def test_entering_is_cheap():
    def enter(times):
        start = time.perf_counter()
        for _ in range(times):
            with single_blas():
                pass
        return (time.perf_counter() - start) / times

    assert min(enter(200) for _ in range(5)) < 100e-6  # about 12 microseconds; the rest is for a loaded machine
    with single_blas():
        assert min(enter(200) for _ in range(5)) < 30e-6


@forks
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_fork_while_another_thread_keeps_blas_single():
    before, entered, leave = blas_threads(), threading.Event(), threading.Event()

    def hold():
        with single_blas():
            entered.set()
            leave.wait(30)

    def child():
        assert blas_threads() == before
        assert (np.ones((300, 300)) @ np.ones((300, 300)))[0, 0] == 300
        with single_blas():
            assert set(blas_threads()) == {1}
        assert blas_threads() == before

    thread = threading.Thread(target=hold)
    thread.start()
    entered.wait(30)
    try:
        assert fork_and_run(child) == 0
    finally:
        leave.set()
        thread.join()
    assert blas_threads() == before
