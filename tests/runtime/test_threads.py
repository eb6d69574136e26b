import multiprocessing
import os
import subprocess
import sys
import textwrap
import threading
import time

import joblib
import numpy as np
import pytest
from forking import fork_and_run, forks
from threadpoolctl import threadpool_limits

from novum import _core
from novum.runtime import pool
from novum.runtime import threads as _threads
from novum.runtime.blas import libraries, single_blas
from novum.runtime.pool import map_ordered
from novum.runtime.threads import thread_count


def square(x):
    time.sleep(0.001 * (x % 3))
    return x * x


# ---------------------------------------------------------------------------------------------------- thread_count


def test_count_follows_n_jobs():
    assert thread_count(3) == 3
    assert thread_count(-1) == joblib.effective_n_jobs(-1)
    with pytest.raises(ValueError, match="n_jobs == 0"):
        thread_count(0)


def test_default_is_bounded_by_processors_and_limits(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(_threads, "_processors", lambda: 8)
    monkeypatch.setattr(_threads, "openmp_threads", list)
    assert thread_count() == 8
    monkeypatch.setenv("OMP_NUM_THREADS", "5,2")
    assert thread_count() == 5
    with joblib.parallel_config(n_jobs=2):
        assert thread_count() == 2
    monkeypatch.setenv("OMP_NUM_THREADS", "not a number")
    assert thread_count() == 8


def test_default_follows_threadpoolctl():
    import sklearn.utils._openmp_helpers  # noqa: F401  loads OpenMP

    with threadpool_limits(1):
        assert thread_count() == 1
    with threadpool_limits(1, user_api="blas"):  # BLAS is not what our threads use
        assert thread_count() == min(_threads._processors(), _threads._openmp_limit())


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="needs affinity")
def test_default_follows_affinity():
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        assert thread_count() == 1
    finally:
        os.sched_setaffinity(0, before)


def test_one_inside_a_block_function():
    assert list(map_ordered(lambda _: thread_count(4), range(4), 2)) == [1] * 4
    assert list(map_ordered(lambda _: thread_count(4), range(4), 1)) == [1] * 4
    assert thread_count(4) == 4


def test_one_inside_a_joblib_thread(monkeypatch):
    monkeypatch.setattr(_threads, "_processors", lambda: 8)
    assert joblib.Parallel(2, backend="threading")(joblib.delayed(thread_count)() for _ in range(3)) == [1] * 3


def test_one_inside_a_dask_task():
    dask = pytest.importorskip("dask")
    distributed = pytest.importorskip("distributed")
    for scheduler in ("threads", "synchronous"):
        assert dask.delayed(thread_count)(4).compute(scheduler=scheduler) == 1
    with (
        distributed.LocalCluster(1, processes=False, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        assert client.submit(thread_count, 4).result() == 1
        assert thread_count(4) == 4  # the process hosts the worker, but this thread runs no task


# ---------------------------------------------------------------------------------------------------- map_ordered


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("n_items", [0, 1, 3, 40])
def test_results_keep_the_order(n_threads, n_items):
    assert list(map_ordered(square, iter(range(n_items)), n_threads)) == [x * x for x in range(n_items)]


def test_uses_as_many_threads_as_requested_and_reuses_them():
    barrier = threading.Barrier(3, timeout=10)  # passes only when three run at once

    def meet(_):
        barrier.wait()
        return threading.current_thread().name

    first = set(map_ordered(meet, range(6), 3))
    assert set(map_ordered(meet, range(6), 3)) == first
    assert len(first) == 3


def test_looks_ahead_by_a_bounded_number_of_items():
    taken = []

    def items():
        for x in range(100):
            taken.append(x)
            yield x

    results = map_ordered(abs, items(), 2)
    for k in range(10):
        next(results)
        assert len(taken) <= k + 1 + 2 * pool.LOOK_AHEAD
    results.close()
    assert len(taken) < 20


def test_nested_maps_run_in_the_calling_thread():
    def outer(_):
        here = threading.get_ident()
        return all(ident == here for ident in map_ordered(lambda _: threading.get_ident(), range(3), 4))

    assert all(map_ordered(outer, range(6), 2))


def test_first_failure_in_order_is_raised_and_the_rest_is_not_begun():
    begun = []

    def fails(x):
        begun.append(x)
        if x == 3:
            time.sleep(0.02)
            raise ValueError("three")
        if x == 4:
            raise KeyError("four")
        return x

    results = map_ordered(fails, range(1000), 2)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="three"):
        next(results)
    assert len(begun) <= 3 + 2 * pool.LOOK_AHEAD + 2
    assert list(map_ordered(abs, [-1], 2)) == [1]  # the pool survives


def test_failing_items_propagate():
    def items():
        yield 1
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        list(map_ordered(abs, items(), 2))


def test_nothing_runs_on_after_the_caller_stops():
    active = []

    def slow(x):
        active.append(x)
        time.sleep(0.02)
        active.remove(x)
        return x

    results = map_ordered(slow, range(100), 2)
    next(results)
    results.close()
    assert active == []


def test_keyboard_interrupt_leaves_a_usable_pool():
    """A real SIGINT, in a process of its own: the interrupt is raised at once and the next pass works."""
    code = """
        import os, signal, threading, time
        from novum.runtime.pool import map_ordered
        active = []
        def slow(x):
            active.append(x)
            try:  # the interrupt is raised wherever the main thread is: here, when it works on an item
                time.sleep(0.05)
            finally:
                active.remove(x)
            return x
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            list(map_ordered(slow, range(1000), 2))
        except KeyboardInterrupt:
            assert active == [], active
            assert list(map_ordered(abs, [-1, -2], 2)) == [1, 2]
            print("interrupted")
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60)
    assert done.stdout == "interrupted\n", done.stderr


# ---------------------------------------------------------------------------------------------------- fork


def child_work():
    product = np.ones((300, 300)) @ np.ones((300, 300))
    assert product[0, 0] == 300
    assert _core.runtime.threads.forked()
    assert thread_count(4) == 1
    assert list(map_ordered(square, range(10), 3)) == [x * x for x in range(10)]
    with single_blas():
        assert {library.num_threads for library in libraries("blas")} == {1}


@forks
@pytest.mark.filterwarnings(
    "ignore:.*multi-threaded.*fork:DeprecationWarning"
)  # Python 3.12 and later: that is what is tested
def test_fork_after_the_pool_was_used():
    list(map_ordered(square, range(10), 3))
    assert not _core.runtime.threads.forked()
    assert fork_and_run(child_work) == 0
    process = multiprocessing.get_context("fork").Process(target=child_work)
    process.start()
    process.join(30)
    assert process.exitcode == 0
    assert not _core.runtime.threads.forked()
    assert list(map_ordered(square, range(10), 3)) == [x * x for x in range(10)]


@forks
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_fork_in_the_middle_of_a_pass():
    results = map_ordered(square, range(20), 2)
    head = [next(results), next(results)]

    def finish():
        assert head + list(results) == [x * x for x in range(20)]

    assert fork_and_run(finish) == 0
    finish()


@forks
def test_a_forked_child_exits_normally():
    """Interpreter shutdown in the child joins pool threads: those of the parent must not be waited for."""
    code = """
        import os, sys, warnings
        warnings.simplefilter("ignore")
        from novum.runtime.pool import map_ordered
        list(map_ordered(abs, range(8), 2))
        pid = os.fork()
        if pid == 0:
            list(map_ordered(abs, range(8), 2))
            sys.exit(7)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60)
    assert done.stdout == "7\n", done.stderr


def test_a_blas_on_openmp_does_not_take_the_threads_over_blocks_with_it(monkeypatch):
    from types import SimpleNamespace

    from novum.runtime import blas

    class Runtime:
        filepath, num_threads = "openmp", 3

    class OnOpenMP(SimpleNamespace):
        num_threads = property(lambda self: Runtime.num_threads)

        def set_num_threads(self, n):  # as OpenBLAS built on OpenMP does
            Runtime.num_threads = n

    found = {"openmp": [Runtime], "blas": [OnOpenMP(filepath="blas", threading_layer="openmp")]}
    monkeypatch.setattr(blas._libraries, "get", found.get)
    monkeypatch.setattr(blas, "_single_blas", blas._SingleBlas())  # one that has not looked yet
    monkeypatch.setattr(_threads, "_processors", lambda: 8)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert thread_count() == 3
    with single_blas(), single_blas():
        assert Runtime.num_threads == 1 and thread_count() == 3
    assert Runtime.num_threads == 3 and thread_count() == 3


# ---------------------------------------------------------------------------------------------------- signals


def test_a_signal_counts_its_posts():
    signal = _core.runtime.threads.Signal()
    signal.post()
    signal.post()
    assert signal.wait(0.0) and signal.wait(10.0)
    start = time.perf_counter()
    assert not signal.wait(0.02)
    assert time.perf_counter() - start >= 0.02


@pytest.mark.parametrize("pause", [0.0, 0.01])
def test_a_signal_wakes_those_who_spin_and_those_who_sleep(pause):
    requested, answered, seen = _core.runtime.threads.Signal(), _core.runtime.threads.Signal(), []

    def serve():
        while requested.wait(10.0) and len(seen) < 20:
            seen.append(len(seen))
            answered.post()

    threads = [threading.Thread(target=serve) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(20):
        time.sleep(pause)
        requested.post()
        assert answered.wait(10.0)
    for _ in threads:
        requested.post()
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()
    assert seen == list(range(20))


@pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity") or len(os.sched_getaffinity(0)) < 2, reason="needs two processors"
)
def test_threads_wake_beside_the_caller_and_may_then_go_anywhere():
    both = threading.Barrier(2, timeout=10)

    def where(_):
        both.wait()
        return threading.get_native_id()

    for _ in range(3):
        time.sleep(0.01)  # the thread of the pool falls asleep
        threads = list(map_ordered(where, range(2), 2))
        assert len(set(threads)) == 2
        assert [os.sched_getaffinity(thread) for thread in threads] == 2 * [os.sched_getaffinity(0)]
