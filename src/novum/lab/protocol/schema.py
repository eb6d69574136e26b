"""The protocol as JSON Schema: an entry of the catalogue and the four kinds of events.

web/src/protocol/types.ts says the same for the page; the tests hold every run of every scene to it.
"""

from typing import Any

from novum.lab.controls import LARGEST_SEED
from novum.lab.protocol.digest import VERSION
from novum.lab.views import KINDS

__all__ = ["CATALOGUE_ENTRY", "EVENTS"]

Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}
COUNT: Schema = {"type": "integer", "minimum": 0}
NUMBER: Schema = {"type": "number"}
NOTHING: Schema = {"type": "null"}


def record(required: dict[str, Schema], optional: dict[str, Schema] | None = None, *, more: bool = False) -> Schema:
    """Return the schema of an object with these fields and no others, unless `more`."""
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": more,
    }


def either(*schemas: Schema) -> Schema:
    return {"anyOf": list(schemas)}


def listed(item: Schema, **more: Any) -> Schema:
    return {"type": "array", "items": item, **more}


ARRAY = either(
    record({"t": {"enum": ["f4", "f8", "u1", "i4"]}, "s": listed(COUNT), "b": TEXT}),
    record({"t": {"const": "json"}, "v": {}}),
)
ARRAYS: Schema = {"type": "object", "additionalProperties": ARRAY}
STATE: Schema = record({"seed": {"type": "integer", "minimum": 0, "maximum": LARGEST_SEED}}, more=True)
SAY = either(NOTHING, {"type": "array", "prefixItems": [TEXT, {"type": "object"}], "minItems": 2, "maxItems": 2})

CONTROL = record(
    {
        "name": TEXT,
        "kind": {"enum": ["slider", "number", "choice", "toggle", "text", "matrix", "table", "graph"]},
        "default": {},
    },
    more=True,
)
POINTS = record(
    {
        "kind": {"enum": ["plain", "classes", "xy", "picture"]},
        "classes": COUNT,
        "presets": listed(TEXT, minItems=1),
        "limit": COUNT,
        "n": CONTROL,
        "noise": either(NOTHING, CONTROL),
        "domain": listed(listed(NUMBER, minItems=2, maxItems=2), minItems=2, maxItems=2),
    }
)
CATALOGUE_ENTRY = record(
    {
        "name": TEXT,
        "family": TEXT,
        "rows": listed(record({"id": TEXT, "title": TEXT, "chapter": TEXT}), minItems=1),
        "deep": {"type": "boolean"},
        "limit": COUNT,
        "controls": listed(CONTROL, minItems=1),
        "points": either(NOTHING, POINTS),
        "views": listed(record({"kind": {"enum": list(KINDS)}, "id": TEXT}, more=True), minItems=1),
        "parts": listed(TEXT),
        "rising": {"enum": [None, "up", "down"]},
        "shown": TEXT,
    }
)
EVENTS: dict[str, Schema] = {
    "head": record(
        {
            "v": {"const": VERSION},
            "scene": TEXT,
            "state": STATE,
            "digest": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
            "novum": TEXT,
            "frames": either(NOTHING, COUNT),
            "arrays": ARRAYS,
        },
        {"scene_info": CATALOGUE_ENTRY},
    ),
    "frame": record(
        {
            "n": COUNT,
            "part": TEXT,
            "values": {"type": "object", "additionalProperties": either(NOTHING, NUMBER)},
            "arrays": ARRAYS,
            "say": SAY,
            "ms": NUMBER,
        }
    ),
    "end": record(
        {
            "frames": COUNT,
            "ms": NUMBER,
            "stopped": {"enum": [None, "limit", "passes"]},
            "kept": {"enum": ["all", "thinned"]},
        }
    ),
    "refused": record({"sentence": TEXT, "control": either(NOTHING, TEXT)}),
}
