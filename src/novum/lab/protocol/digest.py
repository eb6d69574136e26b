"""What names a run: SHA-256 of the scene, its complete state and the version of the protocol."""

import hashlib
import json
from typing import Any

__all__ = ["VERSION", "canonical", "digest"]

VERSION = 1


def canonical(value: Any) -> str:
    """Return JSON with one spelling for one value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def digest(scene: str, state: dict[str, Any]) -> str:
    """Return the digest of a run, as hexadecimal."""
    return hashlib.sha256(canonical([VERSION, scene, state]).encode()).hexdigest()
