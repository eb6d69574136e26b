import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
import threadpoolctl
_pool = ThreadPoolExecutor(2)
_c = None
def thread_count(n_jobs=None):
    return 2
def map_ordered(function, items, n_threads):
    return _pool.map(function, items) if n_threads > 1 else map(function, items)
@contextmanager
def single_blas():
    global _c
    if _c is None:
        import scipy.linalg
        _c = threadpoolctl.ThreadpoolController()
    with _c.limit(limits=1, user_api="blas"):
        yield
