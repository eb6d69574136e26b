"""python -m benchmarks.devices [family ...]: run the cases of all families on the GPU that is there, or of those named."""

import sys
from importlib import import_module
from pkgutil import iter_modules

import torch

from benchmarks import devices
from benchmarks.devices.harness import HEAD, device, line

families = sys.argv[1:] or [m.name for m in iter_modules(devices.__path__) if m.name not in ("harness", "__main__")]
print(torch.cuda.get_device_name() if device().type == "cuda" else "no GPU: the processor's own times, without meaning")
print(HEAD)
for family in families:
    for case in import_module(f"benchmarks.devices.{family}").CASES:
        print(line(case), flush=True)
