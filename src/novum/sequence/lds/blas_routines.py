"""Addresses of the BLAS and LAPACK routines that SciPy offers to compiled code, for kernels whose matrices are large."""

import ctypes
from functools import cache
from importlib import import_module

__all__ = ["routine"]


@cache
def routine(name: str) -> int:
    """Return the address of a routine such as "dgemm", or 0 where SciPy does not show it: kernels then do without."""
    get_name = ctypes.pythonapi.PyCapsule_GetName
    get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    for module in ("scipy.linalg.cython_blas", "scipy.linalg.cython_lapack"):
        capsule = getattr(import_module(module), "__pyx_capi__", {}).get(name)
        if capsule is not None and b"int *" in get_name(capsule):  # 32-bit integers, as the kernels pass them
            return int(get_pointer(capsule, get_name(capsule)) or 0)
    return 0
