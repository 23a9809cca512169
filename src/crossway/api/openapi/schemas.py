"""Walks over the JSON schemas of an OpenAPI document, and makes each as short as it can be."""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

Node = dict[str, Any]
_METHODS = ("get", "post", "patch", "put", "delete")
# The format of a text is told by its examples.
_FORMATS: Final = (
    ("date-time", re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")),
    ("uuid", re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")),
    ("uri", re.compile(r"https?://\S+")),
)


def operations(document: Node) -> Iterator[tuple[str, str, Node]]:
    """Method in upper case, path and operation of everything that can be called."""
    for path, item in document["paths"].items():
        for method in _METHODS:
            if method in item:
                yield method.upper(), path, item[method]


def compact(document: Node) -> None:
    """Shorten every schema of a document and give its texts their formats."""
    for root in _roots(document):
        walk(root, _compact_one)


def visit_all(document: Node, visit: Callable[[Node], None]) -> None:
    """Visit every schema of a document, an inner one after the one around it."""
    for root in _roots(document):
        walk(root, visit)


def walk(schema: Node, visit: Callable[[Node], None]) -> None:
    """Visit a schema and every schema inside it."""
    visit(schema)
    for inner in (*schema.get("properties", {}).values(), *_lists(schema)):
        walk(inner, visit)
    for name in ("items", "additionalProperties"):
        if isinstance(schema.get(name), dict):
            walk(schema[name], visit)


def reference(kind: str, name: str) -> dict[str, str]:
    """A reference to a component of a kind, such as `schemas`."""
    return {"$ref": f"#/components/{kind}/{name}"}


def _lists(schema: Node) -> Iterator[Node]:
    for name in ("anyOf", "oneOf", "allOf"):
        yield from schema.get(name, ())


def _roots(document: Node) -> Iterator[Node]:
    yield from document["components"]["schemas"].values()
    for _, _, operation in operations(document):
        for parameter in operation.get("parameters", ()):
            yield parameter["schema"]
        for holder in (operation.get("requestBody", {}), *operation["responses"].values()):
            for media_type in holder.get("content", {}).values():
                if "schema" in media_type:
                    yield media_type["schema"]


def _compact_one(schema: Node) -> None:
    """Drop titles, which repeat names, write `null` as a second type, and add the format."""
    if isinstance(schema.get("title"), str):
        del schema["title"]
    if schema.get("default", "") is None:
        del schema["default"]
    options = schema.get("anyOf", [])
    if len(options) == 2 and options[1] == {"type": "null"} and "type" in options[0]:
        del schema["anyOf"]
        schema.update({**options[0], **schema})
        schema["type"] = [options[0]["type"], "null"]
    if "string" in (schema.get("type"), *_types(schema)) and not {"format", "pattern"} & {*schema}:
        examples = [one for one in schema.get("examples", ()) if isinstance(one, str)]
        for name, pattern in _FORMATS:
            if examples and all(map(pattern.fullmatch, examples)):
                schema["format"] = name


def _types(schema: Node) -> list[str]:
    types = schema.get("type")
    return types if isinstance(types, list) else []
