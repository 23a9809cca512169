"""The examples of requests and answers, recorded from a simulated service.

`tests.api.example_walk` records them, and a test compares them with what the service answers.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from crossway.api.openapi.operations import JSON
from crossway.api.openapi.schemas import Node, operations

FILE: Final = Path(__file__).with_name("examples.json")


@cache
def load_examples() -> dict[str, Any]:
    """`operations`: by name, `path`, `query` and `body` of a request, and `answers` by status.
    `alike`: by status, what every operation answers. `events`: by type, the event."""
    loaded: dict[str, Any] = json.loads(FILE.read_bytes())
    return loaded


def add_examples(document: Node, examples: Mapping[str, Any], alike: Mapping[str, Any]) -> None:
    """Give every operation its example: the values of a request, and a body for each status;
    `alike` has the bodies of what every operation refuses alike."""
    for _, _, operation in operations(document):
        example = examples.get(operation["operationId"], {})
        for parameter in operation.get("parameters", ()):
            if parameter["name"] in example.get("path", {}):
                parameter["example"] = example["path"][parameter["name"]]
        content = operation.get("requestBody", {}).get("content", {})
        if "body" in example:
            content[JSON]["example"] = example["body"]
        for status, body in {**alike, **example.get("answers", {})}.items():
            answered = operation["responses"].get(status, {}).get("content", {})
            for media_type in answered.values():
                media_type["example"] = body
