"""The part of JSON Schema (draft 2020-12) that the project's schemas use, in the standard library alone."""

import json
import pathlib
import re

SCHEMAS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "schema"

KNOWN = {
    "$schema", "$id", "$ref", "$defs", "title", "description", "type", "const", "enum", "required", "properties",
    "additionalProperties", "items", "minimum", "maximum", "pattern",
}
TYPES = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def load(name):
    return json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))


def faults(value, schema, root=None, where="$"):
    """Where a value does not fit, one line each."""
    root = schema if root is None else root
    unknown = set(schema) - KNOWN
    if unknown:
        raise ValueError(f"this validator does not know {sorted(unknown)}")
    if "$ref" in schema:
        target = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        return faults(value, target, root, where)
    found = []
    types = schema.get("type", list(TYPES))
    if not any(TYPES[kind](value) for kind in ([types] if isinstance(types, str) else types)):
        return [f"{where}: {value!r:.60} is not {types}"]
    if "const" in schema and value != schema["const"]:
        found.append(f"{where}: {value!r:.60} is not {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{where}: {value!r:.60} is not one of {schema['enum']}")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if value < schema.get("minimum", value) or value > schema.get("maximum", value):
            found.append(f"{where}: {value} is out of range")
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        found.append(f"{where}: {value!r:.60} does not match {schema['pattern']}")
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            found += faults(item, schema["items"], root, f"{where}[{i}]")
    if isinstance(value, dict):
        found += [f"{where}: {key!r} is missing" for key in schema.get("required", []) if key not in value]
        properties = schema.get("properties", {})
        others = schema.get("additionalProperties", True)
        for key, item in value.items():
            if key in properties:
                found += faults(item, properties[key], root, f"{where}.{key}")
            elif others is False:
                found.append(f"{where}: {key!r} is not in the schema")
            elif isinstance(others, dict):
                found += faults(item, others, root, f"{where}.{key}")
    return found
