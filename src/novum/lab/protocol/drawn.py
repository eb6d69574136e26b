"""What a page that travels as a file keeps of arrays that are only drawn: lines to a tenth of a pixel, long rows in four bytes.

Numbers that are read (values, tables, short arrays) keep all of their digits.
"""

from base64 import b64decode, b64encode
from math import floor, log10, prod
from typing import Any

import numpy as np

__all__ = ["lightened"]

DIGITS = 4  # after the first one of a line's extent: an error of at most half of 1e-4 of it
READ = 64  # numbers of an array that keeps all digits
OF_BANDS = ("x", "low", "high")


def lightened(events: list[list[Any]]) -> list[list[Any]]:
    """Return the events of a run with drawn arrays made smaller."""
    made = []
    for kind, content in events:
        arrays = content.get("arrays")
        light = (
            {**content, "arrays": {name: light_entry(entry) for name, entry in arrays.items()}} if arrays else content
        )
        made.append([kind, light])
    return made


def light_entry(entry: dict[str, Any]) -> dict[str, Any]:
    """Return an entry of `arrays`, smaller where it is only drawn."""
    if entry["t"] == "f8" and prod(entry["s"]) > READ:
        numbers = np.frombuffer(b64decode(entry["b"]), "<f8").astype("<f4")
        return {**entry, "t": "f4", "b": b64encode(numbers.tobytes()).decode()}
    if entry["t"] == "json" and isinstance(entry["v"], list):
        return {**entry, "v": [light_line(item) if isinstance(item, dict) else item for item in entry["v"]]}
    return entry


def light_line(item: dict[str, Any]) -> dict[str, Any]:
    """Return a line (points `p`) or a band with short numbers; anything else as it is."""
    if "p" in item and isinstance(item["p"], list):
        columns = [shortened(list(column)) for column in zip(*item["p"], strict=True)]
        return {**item, "p": [list(point) for point in zip(*columns, strict=True)]}
    if all(isinstance(item.get(name), list) for name in OF_BANDS):
        return {**item, **{name: shortened(item[name]) for name in OF_BANDS}}
    return item


def shortened(values: list[float | None]) -> list[float | None]:
    """Return coordinates with as many decimals as their extent can show."""
    known = [value for value in values if value is not None]
    extent = max(known, default=0.0) - min(known, default=0.0)
    if not extent > 0:
        return values
    decimals = DIGITS - floor(log10(extent))
    return [None if value is None else round(value, decimals) for value in values]
