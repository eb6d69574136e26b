"""Networks as ONNX files, which other runtimes read."""

from pathlib import Path
from typing import Any

from novum.base.fitted import check_is_fitted
from novum.runtime.devices import needs_torch

__all__ = ["write_onnx"]


def write_onnx(estimator: Any, path: Any) -> Path:
    """Write the network of a fitted estimator over arrays: input `X` with any number of rows, output `scores`.

    Scores are what `module_` gives: logits of the classes, or targets in units of their standard deviation from their mean.
    """
    check_is_fitted(estimator)
    owner = type(estimator).__name__
    torch = needs_torch(f"{owner}.to_onnx")
    try:
        import onnxscript  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"{owner}.to_onnx needs the packages of PyTorch's exporter: pip install onnx onnxscript"
        ) from error
    module = estimator.module_
    first = next(module.parameters())
    rows = torch.zeros(2, *estimator._row_shape(), dtype=first.dtype, device=first.device)
    file = Path(path)
    torch.onnx.export(
        module,
        (rows,),
        str(file),
        input_names=["X"],
        output_names=["scores"],
        dynamo=True,
        verbose=False,
        external_data=False,
        dynamic_shapes=({0: torch.export.Dim("rows")},),
    )
    return file
