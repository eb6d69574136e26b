"""The part of JSON Schema that the protocol uses."""

import re

KINDS = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "null": type(None),
    "integer": int,
    "number": (int, float),
}


def problems(value, schema, at="$"):
    """Return what of a value is not as the schema says."""
    if "anyOf" in schema:
        found = [problems(value, one, at) for one in schema["anyOf"]]
        return [] if [] in found else min(found, key=len)
    if "const" in schema and value != schema["const"]:
        return [f"{at} is {value!r}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{at} is {value!r}"]
    kind = schema.get("type")
    if kind and (not isinstance(value, KINDS[kind]) or (isinstance(value, bool) and kind in ("integer", "number"))):
        return [f"{at} is no {kind}"]
    made = []
    if kind in ("integer", "number") and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        made.append(f"{at} is {value}")
    if kind == "string" and not re.search(schema.get("pattern", ""), value):
        made.append(f"{at} is {value!r}")
    if kind == "array":
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            made.append(f"{at} has {len(value)} items")
        for place, item in enumerate(value):
            prefix = schema.get("prefixItems", [])
            made += problems(item, prefix[place] if place < len(prefix) else schema.get("items", {}), f"{at}[{place}]")
    if kind == "object":
        made += [f"{at} lacks {name}" for name in schema.get("required", []) if name not in value]
        for name, item in value.items():
            own = schema.get("properties", {}).get(name)
            rest = schema.get("additionalProperties", {})
            if own is None and rest is False:
                made.append(f"{at} has {name}")
            else:
                made += problems(
                    item, own if own is not None else rest if isinstance(rest, dict) else {}, f"{at}.{name}"
                )
    return made
