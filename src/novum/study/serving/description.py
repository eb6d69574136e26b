"""What the server takes and gives, as an OpenAPI document: from the columns of the model, so that it cannot fall behind."""

from typing import Any

from novum import __version__
from novum.study.data.schema import Schema
from novum.study.data.task import CLASSIFICATION
from novum.study.serving.formats import CSV, JSON, LINES

__all__ = ["openapi_document", "row_schema", "schema_document"]

MOST_LEVELS = 100  # that an enumeration lists


def cell_schema(role: str, levels: list[str], written: bool) -> dict[str, Any]:
    """Return the JSON schema of a cell."""
    if role == "number":
        return {"type": ["number", "boolean", *(["string"] if written else []), "null"]}
    if role == "date":
        return {"type": ["string", "null"], "description": "a date as 2021-12-31"}
    if role == "category" and len(levels) <= MOST_LEVELS:
        return {"enum": [*levels, None]}
    return {"type": ["string", "null"]}


def row_schema(schema: Schema) -> dict[str, Any]:
    """Return the JSON schema of a row."""
    forms = schema.forms or [[] for _ in schema.names]
    cells = zip(schema.names, schema.roles, schema.levels, forms)
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(schema.names),
        "properties": {name: cell_schema(role, levels, bool(form)) for name, role, levels, form in cells},
    }


def schema_document(schema: Schema, usual: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of the model in plain words of JSON."""
    return {
        "target": schema.target,
        "task": schema.task,
        "classes": list(schema.labels),
        "columns": [
            {"name": name, "kind": role, **({"values": levels} if role == "category" else {})}
            for name, role, levels in zip(schema.names, schema.roles, schema.levels)
        ],
        "example": usual,
    }


def answer_schema(schema: Schema) -> dict[str, Any]:
    """Return the JSON schema of one prediction."""
    share = {"type": "number", "minimum": 0, "maximum": 1}
    if schema.task == CLASSIFICATION:
        parts: dict[str, Any] = {
            "predicted": {"type": ["string", "integer", "number", "boolean"]},
            "probabilities": {"type": "object", "additionalProperties": share},
            "set": {"type": "array", "items": {"type": "string"}},
        }
    else:
        parts = {name: {"type": "number"} for name in ("predicted", "lower", "upper")}
    return {"type": "object", "required": ["predicted"], "properties": parts}


def body_of(schema: Schema, usual: dict[str, Any], most_rows: int, options: dict[str, Any]) -> dict[str, Any]:
    """Return the description of the body of a request."""
    rows = {"type": "array", "minItems": 1, "maxItems": most_rows, "items": {"$ref": "#/components/schemas/Row"}}
    content = {
        "schema": {
            "type": "object",
            "additionalProperties": False,
            "required": ["rows"],
            "properties": {"rows": rows, **options},
        },
        "example": {"rows": [usual]},
    }
    text = {"schema": {"type": "string"}}  # rows alone; the options stand in the address
    return {"required": True, "content": {JSON: content, LINES: text, CSV: text}}


def in_address(options: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the options as they stand in the address, for bodies of rows alone."""
    return [{"name": name, "in": "query", "required": False, "schema": kind} for name, kind in options.items()]


def responses(done: dict[str, Any]) -> dict[str, Any]:
    """Return the responses that a request may get."""
    text = {"schema": {"type": "string"}}
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    errors = {
        "400": "The body is no JSON or CSV.",
        "401": "The server asks for a token, and the request has none or another.",
        "408": "The body did not come in time.",
        "413": "The body or the number of rows is too large.",
        "415": "The body is not said to be JSON, lines of JSON or CSV.",
        "422": "A row or an option does not fit; the error names it.",
        "503": "Too much to do; try again later.",
    }
    return {
        "200": {"description": "Done.", "content": {JSON: {"schema": done}, LINES: text, CSV: text}},
        **{status: {"description": words, "content": error} for status, words in errors.items()},
    }


def openapi_document(schema: Schema, usual: dict[str, Any], most_rows: int, most_explained: int) -> dict[str, Any]:
    """Return the OpenAPI 3.1 document of the server."""
    level = {"type": "number", "minimum": 0.5, "exclusiveMaximum": 1, "default": 0.9}
    flag = {"type": "boolean", "default": False}
    text = {"schema": {"type": "string"}}
    plain = {"200": {"description": "Done.", "content": {"application/json": {"schema": {"type": "object"}}}}}
    predicted = {
        "type": "object",
        "properties": {
            "target": {"type": "string"},
            "predictions": {"type": "array", "items": answer_schema(schema)},
            "notes": {"type": "array", "items": {"type": "string"}},
            "drift": {"type": "array", "items": {"type": "string"}},
        },
    }
    for_predict = {"proba": flag, "interval": flag, "level": level, "unseen": flag}
    for_explain = {"class": {"type": "string"}, "level": level, "unseen": flag}
    explained = {"type": "object", "properties": {"explanations": {"type": "array", "items": {"type": "object"}}}}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": f"Predictions of {schema.target}",
            "version": __version__,
            "description": "A model that novum study kept. Rows go in as JSON, lines of JSON or CSV, predictions come out.",
        },
        "paths": {
            "/predict": {
                "post": {
                    "summary": f"Predict {schema.target}",
                    "operationId": "predict",
                    "parameters": in_address(for_predict),
                    "requestBody": body_of(schema, usual, most_rows, for_predict),
                    "responses": responses(predicted),
                }
            },
            "/explain": {
                "post": {
                    "summary": "What every column adds to a prediction",
                    "operationId": "explain",
                    "parameters": in_address(for_explain),
                    "requestBody": body_of(schema, usual, most_explained, for_explain),
                    "responses": responses(explained),
                }
            },
            "/schema": {"get": {"summary": "The columns", "operationId": "schema", "responses": plain}},
            "/health": {"get": {"summary": "Whether it runs", "operationId": "health", "responses": plain}},
            "/ready": {"get": {"summary": "Whether to send requests", "operationId": "ready", "responses": plain}},
            "/metrics": {
                "get": {
                    "summary": "Counts in the text format of Prometheus",
                    "operationId": "metrics",
                    "responses": {"200": {"description": "Done.", "content": {"text/plain": text}}},
                }
            },
        },
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {
                "Row": row_schema(schema),
                "Error": {
                    "type": "object",
                    "required": ["error"],
                    "properties": {"error": {"type": "string"}},
                },
            },
        },
    }
