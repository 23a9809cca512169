"""The client has a method, a parameter and a typed field for everything that the API documents."""

import inspect
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from types import UnionType
from typing import Any, Unpack, get_args, get_origin, get_type_hints

import httpx
import orjson
import pytest

from crossway.bootstrap import Service
from crossway_client import Crossway, CrosswayError, RetryPolicy
from crossway_client.records.base import Record
from crossway_client.transport.endpoints import Resource, endpoint, iterator
from tests.api.conftest import new_test_client

VALUES: dict[Any, Any] = {
    int: 1, float: 1.5, str: "x", bool: True, bytes: b"x", Decimal: Decimal(1),
    date: date(2026, 11, 21), datetime: datetime(2026, 11, 21, tzinfo=UTC),
}  # fmt: skip
# What the client does not show: providers call it, not clients.
NOT_FOR_CLIENTS = {"POST /ramp/webhooks/{provider}"}
# Methods that send any request, or read what is no JSON.
APART = {"request", "stream", "download"}
# The client pages by itself, and by cursor alone.
PAGING = {"limit", "offset", "cursor"}


@dataclass(frozen=True)
class Call:
    """A method of the client, with the request that it sends when every parameter is given."""

    name: str
    describe: Any
    request: httpx.Request


def example(hint: Any) -> Any:
    """A value of a type."""
    kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    for kind in kinds:
        if kind in VALUES:
            return VALUES[kind]
    if get_origin(hint) is Sequence and "Mapping" in str(hint):
        return [{"x": "x"}]
    return {"x": "x"} if "Mapping" in str(hint) else ["x"]


def flatten(hints: dict[str, Any]) -> dict[str, Any]:
    """The hints of parameters, with those of keyword arguments that share a record."""
    flat: dict[str, Any] = {}
    for name, hint in hints.items():
        flat |= get_type_hints(get_args(hint)[0]) if get_origin(hint) is Unpack else {name: hint}
    return flat


def calls() -> Iterator[Call]:
    """Every method of the client; one that takes a number or an address twice."""
    sent: list[httpx.Request] = []

    def refuse(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(418, json={})

    client = Crossway(
        "cr_test_x", transport=httpx.MockTransport(refuse), retries=RetryPolicy(attempts=1)
    )
    resources = [client, *(one for one in vars(client).values() if isinstance(one, Resource))]
    for resource in resources:
        for kind in type(resource).__mro__:
            for name, member in vars(kind).items():
                if isinstance(member, endpoint | iterator) and name not in APART:
                    hints = get_type_hints(member.describe)
                    del hints["return"]
                    hints = flatten(hints)
                    given = {name: example(hint) for name, hint in hints.items()}
                    variants = [given]
                    if hints.get("intent") == int | str:
                        variants.append({**given, "intent": "0xabc"})
                    if "q" in hints:
                        variants.append({"q": "ada@example.com"})
                    for arguments in variants:
                        with suppress(CrosswayError):
                            next(getattr(resource, name)(**arguments))
                        yield Call(f"{kind.__name__}.{name}", member.describe, sent[-1])


@pytest.fixture(scope="module")
def document(service: Service) -> dict[str, Any]:
    with new_test_client(service.services) as http:
        found: dict[str, Any] = http.get("/api/openapi.json").json()
    return found


@pytest.fixture(scope="module")
def by_operation(document: dict[str, Any]) -> dict[str, list[Call]]:
    """The methods by the operation that they call, as `GET /intents/{id}`."""
    found: dict[str, list[Call]] = {name: [] for name in operations(document)}
    for call in calls():
        found[operation_of(call, list(found))].append(call)
    return found


def operations(document: dict[str, Any]) -> dict[str, Any]:
    """The operations of the document, without those that return anything but JSON."""
    return {
        f"{method.upper()} {path.removeprefix('/v1')}": operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if method in ("get", "post", "patch", "put", "delete")
        and path not in ("/v1/events", "/v1/export-files/{id}")
    }


def operation_of(call: Call, names: list[str]) -> str:
    """The operation that a request is for: the one with the fewest placeholders."""
    asked = f"{call.request.method} {call.request.url.path.removeprefix('/api/v1')}"
    fitting = [n for n in names if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", n), asked)]
    assert fitting, f"{call.name} calls {asked}, which the document does not have"
    return min(fitting, key=lambda name: name.count("{"))


def test_every_operation_has_a_method(by_operation: dict[str, list[Call]]) -> None:
    assert {name for name, found in by_operation.items() if not found} == NOT_FOR_CLIENTS


def test_every_parameter_can_be_given(
    document: dict[str, Any], by_operation: dict[str, list[Call]]
) -> None:
    missing = {}
    for name, operation in operations(document).items():
        documented = parameters(operation, document)
        taken = [body_and_query(call.request) for call in by_operation[name]]
        if lacking := documented.difference(*taken) if taken else None:
            missing[name] = lacking
    assert missing == {}


def parameters(operation: dict[str, Any], document: dict[str, Any]) -> set[str]:
    """What an operation takes in its query and its body."""
    described = [resolved(p, document) for p in operation.get("parameters", ())]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    fields = set(properties(body["schema"], document)) if body else set()
    return {p["name"] for p in described if p["in"] == "query"} - PAGING | fields


def body_and_query(request: httpx.Request) -> set[str]:
    """What a request has in its query and its body."""
    is_json = request.headers.get("content-type") == "application/json"
    return set(request.url.params) | set(orjson.loads(request.content) if is_json else ())


def test_every_field_of_every_answer_is_typed(
    document: dict[str, Any], by_operation: dict[str, list[Call]]
) -> None:
    untyped = {}
    for name, operation in operations(document).items():
        success = next(value for key, value in operation["responses"].items() if key < "300")
        schema = success.get("content", {}).get("application/json", {}).get("schema", {})
        for call in by_operation[name]:
            kind = record_of(get_type_hints(call.describe)["return"])
            if kind is not None and (lacking := sorted(untyped_fields(kind, schema, document))):
                untyped[name] = lacking
    assert untyped == {}


def properties(schema: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    """The members of an object's schema."""
    schema = resolved(schema, document)
    found = dict(schema.get("properties", {}))
    for part in schema.get("allOf", ()):
        found |= properties(part, document)
    return found


def resolved(schema: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    """A schema without references, nulls, and arrays and maps around it."""
    while True:
        if "$ref" in schema:
            node: Any = document
            for key in schema["$ref"].removeprefix("#/").split("/"):
                node = node[key]
            schema = node
        elif options := [s for s in schema.get("anyOf", ()) if s.get("type") != "null"]:
            schema = options[0]
        elif isinstance(schema.get("items"), dict):
            schema = schema["items"]
        elif isinstance(schema.get("additionalProperties"), dict) and "properties" not in schema:
            schema = schema["additionalProperties"]
        else:
            return schema


@cache
def record_of(hint: Any) -> type[Record] | None:
    """The record in a type such as `tuple[Quote, ...] | None`."""
    if isinstance(hint, type) and get_origin(hint) is None and issubclass(hint, Record):
        return hint
    return next((found for part in get_args(hint) if (found := record_of(part))), None)


def untyped_fields(
    kind: type[Record], schema: dict[str, Any], document: dict[str, Any], path: str = ""
) -> Iterator[str]:
    """Members of a schema that a record has no field for, or one without a type of its own."""
    members = properties(schema, document)
    fields = {field.alias or name: field for name, field in kind.model_fields.items()}
    # A page, or an answer whose record is one of its members.
    wrapped = [s for s in members.values() if properties(s, document).keys() & fields.keys()]
    if not members.keys() & fields.keys() - {"success"} and len(wrapped) == 1:
        members = properties(wrapped[0], document)
    for name, member in members.items():
        if name not in fields:
            yield f"{path}{name}"
        elif nested := properties(member, document):
            inner = record_of(fields[name].annotation)
            if inner is None:
                yield f"{path}{name}.{'|'.join(nested)}"
            else:
                yield from untyped_fields(inner, member, document, f"{path}{name}.")


def test_both_clients_show_their_parameters_and_texts() -> None:
    client = Crossway("cr_test_x")
    assert list(inspect.signature(client.intents.get).parameters) == ["intent", "expand"]
    assert "record number" in (client.intents.get.__doc__ or "")
