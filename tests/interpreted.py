"""Triton kernels without a GPU: its interpreter runs them on tensors of the processor, a program after the other.

Within `interpreted()` engines choose their kernels for all tensors. Triton decides when it is first imported whether it
interprets, so this file is imported before. Rounding is that of NumPy: what the matrix units of a GPU add to it,
`benchmarks/devices` compares there.
"""

import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

import numpy as np
import pytest

from novum.runtime import devices

if "triton" not in sys.modules:
    os.environ["TRITON_INTERPRET"] = "1"


@contextmanager
def interpreted() -> Iterator[None]:
    """Run kernels on tensors of the processor; skip the test where there is no Triton, or one that compiles."""
    if importlib.util.find_spec("triton") is None:
        pytest.skip("Triton is not installed: its kernels are compared with PyTorch where it is")
    import torch
    from triton import language
    from triton.runtime import interpreter

    if not isinstance(language.zeros, interpreter.InterpretedFunction):
        pytest.skip("Triton was imported to compile before its interpreter could be asked for")
    plain = interpreter._patch_lang_tensor

    def whole_numbers(tensor, scope):  # NumPy makes no number of an array of one cell any more
        plain(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: self.handle.data.item())

    convert, dot = interpreter._convert_float, interpreter.InterpreterBuilder.create_dot

    def rounded(values, before, after, mode):  # it cuts digits off where a GPU rounds
        if (before, after) != (language.float32, language.bfloat16):
            return convert(values, before, after, mode)
        cells = torch.from_numpy(np.ascontiguousarray(values)).bfloat16()
        return cells.view(torch.uint16).numpy()

    def single(handle):  # it multiplies the bits of bfloat16 as whole numbers
        if handle.dtype.scalar != language.bfloat16:
            return handle
        cells = convert(handle.data, language.bfloat16, language.float32, None)
        return interpreter.TensorHandle(cells.view(np.float32).reshape(handle.data.shape), language.float32)

    with (
        mock.patch.object(interpreter, "_patch_lang_tensor", whole_numbers),
        mock.patch.object(interpreter, "_convert_float", rounded),
        mock.patch.object(
            interpreter.InterpreterBuilder,
            "create_dot",
            lambda self, a, b, *rest: dot(self, single(a), single(b), *rest),
        ),
        mock.patch.object(devices, "runs_kernels", lambda tensor: True),
    ):
        yield
