"""Walks through the operations of the API that keep what was asked and answered."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.api.conftest import Api
from tests.api.ramp_requests import pass_time
from tests.receivers import Receiver

SHOP = "https://shop.example/hooks/crossway"


@dataclass
class Example:
    """What was asked of an operation, and its answers by status."""

    path: dict[str, Any] = field(default_factory=dict)
    query: dict[str, Any] = field(default_factory=dict)
    body: Any = None
    answers: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False)
class Walk:
    """A walk with one key; `examples` has what each operation was asked and answered."""

    api: Api
    receiver: Receiver
    examples: dict[str, Example] = field(default_factory=dict)
    events: dict[str, Any] = field(default_factory=dict)
    alike: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        paths = self.api.http.get("/api/openapi.json").json()["paths"]
        self.operations = {
            operation["operationId"]: (method.upper(), path)
            for path, item in paths.items()
            for method, operation in item.items()
        }

    def call(
        self,
        operation_id: str,
        expected: int = 200,
        /,
        *,
        body: Any = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        path: Mapping[str, Any] | None = None,
        **query: Any,
    ) -> Any:
        """Call an operation that is to answer with this status, and keep it as its example."""
        method, template = self.operations[operation_id]
        answer = self.api.http.request(
            method,
            f"/api{template.format(**path or {})}",
            params=query,
            **({"json": body} if body is not None else {"content": content} if content else {}),
            headers=self.api.headers(**headers or {}),
        )
        assert answer.status_code == expected, (operation_id, answer.status_code, answer.text)
        example = self.examples.setdefault(operation_id, Example())
        answered = answer.json() if answer.content else None
        if expected < 400:
            example.path, example.query, example.body = dict(path or {}), query, body
        example.answers[str(expected)] = answered
        return answered

    def pass_time(self, seconds: float = 2, times: int = 1) -> None:
        pass_time(self.api, seconds, times)
        while self.api.service.dispatcher.run_once():
            pass


def recorded(walk: Walk) -> dict[str, Any]:
    """A walk as the document keeps it: lists are shortened, and the receiver is a shop's."""
    operations = {
        name: {key: value for key, value in vars(example).items() if value not in ({}, None)}
        for name, example in sorted(walk.examples.items())
    }
    text = json.dumps({"operations": operations, "events": walk.events, "alike": walk.alike})
    result: dict[str, Any] = shortened(json.loads(text.replace(walk.receiver.url, SHOP)))
    return result


def shortened(value: Any, key: str = "") -> Any:
    """A value whose lists of objects, and maps by chain or bridge, have two entries."""
    if isinstance(value, list):
        kept = value[:2] if key not in ("steps", "fieldsRequired") else value
        return [shortened(one) for one in kept]
    if isinstance(value, dict):
        names = [*value]
        if names and all(name.isupper() for name in names):
            names = names[:2]
        return {name: shortened(value[name], name) for name in names}
    return value
