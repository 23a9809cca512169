"""Writes a schema that has everything of another, and more, as an extension of it."""

from typing import Final

from crossway.api.openapi.schemas import Node, reference

# Fewer shared members do not make a schema the same thing and more.
_MIN_SHARED: Final = 5


def share_members(document: Node) -> None:
    """Let each schema refer to the largest one whose members it has all of."""
    schemas: dict[str, Node] = document["components"]["schemas"]
    members = {name: schema.get("properties", {}) for name, schema in schemas.items()}
    bases = {name: _find_base(name, members) for name in schemas}
    for name, base in bases.items():
        if base is not None:
            schemas[name] = _extension(schemas[name], base, members[base])


def _find_base(name: str, members: dict[str, Node]) -> str | None:
    own = members[name]
    bases = [
        other
        for other, shared in members.items()
        if _MIN_SHARED <= len(shared) < len(own)
        and all(own.get(member) == schema for member, schema in shared.items())
    ]
    return max(bases, key=lambda base: len(members[base]), default=None)


def _extension(schema: Node, base: str, shared: Node) -> Node:
    more: Node = {
        "type": "object",
        "properties": {
            name: described
            for name, described in schema["properties"].items()
            if name not in shared
        },
    }
    required = [name for name in schema.get("required", ()) if name not in shared]
    if required:
        more["required"] = required
    return {
        "type": "object",
        "description": schema["description"],
        "allOf": [reference("schemas", base), more],
    }
