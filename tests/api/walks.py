"""Walks through the operations of the API that keep what was asked and answered."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import Any

from fastapi.routing import APIRoute
from starlette.requests import Request

from crossway.api import errors
from crossway.domain.clients import Scope
from crossway.domain.errors import NotFound, Unreachable
from crossway.usecases.developers.idempotency import open_slot
from tests.api.conftest import Api, new_key
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
        is_json = "json" in answer.headers.get("content-type", "")
        answered = answer.json() if is_json else answer.text or None
        if expected < 400:
            example.path, example.query, example.body = dict(path or {}), query, body
        example.answers[str(expected)] = answered
        return answered

    def pass_time(self, seconds: float = 2, times: int = 1) -> None:
        pass_time(self.api, seconds, times)
        while self.api.service.dispatcher.run_once():
            pass

    def try_without_scope(self) -> None:
        """Ask everything once more with a key that has all scopes but the one needed."""
        for operation_id, (method, _) in self.operations.items():
            reads = method == "GET" or operation_id == "searchPrivately"
            needed = Scope.READ if reads else Scope.WRITE
            if operation_id == "refundIntent":
                needed = Scope.REFUND
            if operation_id.startswith("getSandbox"):
                needed = Scope.WRITE
            if operation_id not in ("receiveProviderWebhook", "downloadExport"):
                walk = Walk(self._with_scopes(frozenset(Scope) - {needed}), self.receiver)
                example = self.examples.get(operation_id, Example())
                refused = walk.call(operation_id, 403, path=example.path or None, **example.query)
                self.examples.setdefault(operation_id, Example()).answers["403"] = refused

    def try_unknown_parameters(self) -> None:
        """Where nothing else in a request can be wrong, an unknown parameter of its query is."""
        for operation_id, example in self.examples.items():
            if "400" not in example.answers and operation_id != "receiveProviderWebhook":
                self.call(operation_id, 400, path=example.path, colour="red")

    @cache  # noqa: B019
    def _with_scopes(self, scopes: frozenset[Scope]) -> Api:
        return Api(self.api.http, self.api.service, *new_key(self.api.service, scopes=scopes))

    def ask_for_failures(self) -> None:
        """What the handlers answer when the service fails, a chain gives no answer, or the
        environment is a live one and has no sandbox."""
        for route in self.api.http.app.routes[0].app.routes:
            if isinstance(route, APIRoute):
                scope: dict[str, Any] = {"type": "http", "query_string": b"", "state": {}}
                scope |= {"endpoint": route.endpoint, "route": route}
                example = self.examples[str(route.operation_id)]
                failures = [errors.unhandled_error(scope, RuntimeError("a bug"))]
                if 503 in route.responses:
                    unreachable = Unreachable("no answer")
                    failures.append(errors.upstream_unavailable(Request(scope), unreachable))
                if 404 in route.responses and "404" not in example.answers:
                    failures.append(errors.domain_error(Request(scope), NotFound("Not Found")))
                for failed in failures:
                    example.answers[str(failed.status_code)] = json.loads(failed.body)

    def try_what_is_refused_anywhere(self) -> None:
        """What every operation answers alike."""
        service, http, path = self.api.service, self.api.http, "/api/v1/sandbox/clock"
        slow = Api(http, service, *new_key(service, requests_per_minute=1))
        slow.get("/chains")
        body = b'{"advanceSeconds":1}'
        open_slot(
            service.services,
            self.api.owner,
            "busy",
            sha256(path.encode() + b"?\n" + body).hexdigest(),
        )
        self.api.post("/sandbox/clock", {"advanceSeconds": 1}, Idempotency_Key="used")
        for status, answer in {
            401: http.get("/api/v1/chains"),
            409: self.api.post("/sandbox/clock", {"advanceSeconds": 1}, Idempotency_Key="busy"),
            413: self.api.post("/sandbox/clock", {"advanceSeconds": "1" * 66_000}),
            422: self.api.post("/sandbox/clock", {"advanceSeconds": 2}, Idempotency_Key="used"),
            429: slow.get("/chains"),
        }.items():
            assert answer.status_code == status, (status, answer.text)
            self.alike[str(status)] = answer.json()


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
