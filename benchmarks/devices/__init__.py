"""Learners on one GPU next to plain PyTorch: `python -m benchmarks.devices [family ...]`; a file per family, a table per file."""
