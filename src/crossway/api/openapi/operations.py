"""Completes every operation: parameters, headers, request bodies, errors and its deprecation."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from crossway.api.openapi.schemas import Node, operations, reference, walk
from crossway.api.schemas.fields import REQUIRED

JSON: Final = "application/json"
STREAM: Final = "text/event-stream"
IDEMPOTENCY_KEY: Final = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "A text that identifies this request: repeated within 24 hours with the same "
    "body, it gets the first response again and nothing is done twice.",
    "schema": {"type": "string", "pattern": "^[ -~]{1,255}$"},
    "example": "order-1001",
}
HEADERS: Final[dict[str, Node]] = {
    "RateLimit": {
        "description": "Requests left (`r`) and the seconds until the next one is free (`t`).",
        "schema": {"type": "string"},
        "example": '"default";r=249;t=0',
    },
    "RateLimit-Policy": {
        "description": "The quota of requests (`q`) in a moving window of seconds (`w`).",
        "schema": {"type": "string"},
        "example": '"default";q=250;w=60',
    },
    "X-Request-Id": {
        "description": "The request's id, yours if you sent one; name it to support.",
        "schema": {"type": "string"},
        "example": "5f8942ea98e7c86e3595b1d7",
    },
    "Idempotent-Replayed": {
        "description": "`true` where this is the stored response of an earlier request.",
        "schema": {"type": "string", "enum": ["true"]},
        "example": "true",
    },
    "Retry-After": {
        "description": "Seconds to wait before the next try.",
        "schema": {"type": "integer", "minimum": 0},
        "example": 12,
    },
    "Crossway-Missing": {
        "description": "Chains that gave no answer, comma-separated; absent where all did.",
        "schema": {"type": "string"},
        "example": "SOLANA_MAINNET",
    },
}
_ALWAYS: Final = ("RateLimit", "RateLimit-Policy", "X-Request-Id")
_RETRIED: Final = ("409", "429", "503")
_BALANCES: Final = "getBalances"


Weights = Mapping[tuple[str, str], int]


def complete_operations(document: Node, weights: Weights) -> None:
    """Complete every operation of a document as FastAPI builds it; `weights` are those of requests
    that count as several, by method and path."""
    for method, path, operation in operations(document):
        _drop_framework_errors(operation)
        _complete_parameters(operation)
        # Without an API key there is no client for whom a response could be stored.
        has_key = operation.get("security") != []
        if not has_key:
            _drop_errors_of_keys(operation)
        if method == "POST" and has_key:
            operation.setdefault("parameters", []).append(dict(IDEMPOTENCY_KEY))
        _describe_answers(document, operation)
        for status, response in operation["responses"].items():
            is_replayed = method == "POST" and has_key and status.startswith("2")
            _add_headers(operation["operationId"], status, response, is_replayed)
        if (weight := weights.get((method, path), 1)) > 1:
            operation["description"] += f"\n\nCounts as {weight} requests."
        _name_body(document, operation)
    document["components"]["headers"] = dict(HEADERS)


def share_components(document: Node) -> None:
    """Write parameters and error responses that operations share once, and refer to them."""
    _share_parameters(document)
    _share_errors(document)


def _drop_framework_errors(operation: Node) -> None:
    """Remove FastAPI's own 422 response, and document errors of streams as JSON."""
    if "HTTPValidationError" in str(operation["responses"].get("422", {})):
        del operation["responses"]["422"]
    for status, response in operation["responses"].items():
        if int(status) >= 400 and STREAM in response["content"]:
            response["content"][JSON].update(response["content"].pop(STREAM))


def _drop_errors_of_keys(operation: Node) -> None:
    """Without a key there are no scopes and no idempotency."""
    for status in ("403", "409", "422"):
        operation["responses"].pop(status, None)


def _complete_parameters(operation: Node) -> None:
    for parameter in operation.get("parameters", ()):
        schema = parameter["schema"]
        schema.pop("description", None)
        if not parameter["required"]:
            del parameter["required"]
        # A parameter of a query is there or not; null cannot be sent.
        options = [one for one in schema.pop("anyOf", []) if one != {"type": "null"}]
        if options:
            schema.update({**options[0], **schema})
        if schema.pop(REQUIRED, None):
            parameter["required"] = True
        examples = schema.pop("examples", None)
        if examples:
            parameter.setdefault("example", examples[0])


def _describe_answers(document: Node, operation: Node) -> None:
    """An answer is described by its schema, where FastAPI has nothing to say."""
    for response in operation["responses"].values():
        if response["description"] == "Successful Response":
            target = response.get("content", {}).get(JSON, {}).get("schema", {}).get("$ref", "")
            schema = document["components"]["schemas"].get(target.rpartition("/")[2], {})
            response["description"] = schema.get("description", "Done.")


def _add_headers(operation_id: str, status: str, response: Node, is_replayed: bool) -> None:
    names = [*_ALWAYS]
    if is_replayed:
        names.append("Idempotent-Replayed")
    if status in _RETRIED:
        names.append("Retry-After")
    if operation_id == _BALANCES and status == "200":
        names.append("Crossway-Missing")
    response["headers"] = {name: reference("headers", name) for name in names}


def _name_body(document: Node, operation: Node) -> None:
    """Write the schema of a JSON body among the components, under its own name."""
    content = operation.get("requestBody", {}).get("content", {}).get(JSON, {})
    name = content.get("schema", {}).get("title")
    if name:
        document["components"]["schemas"][name] = content["schema"]
        content["schema"] = reference("schemas", name)


def loosen_answers(document: Node) -> None:
    """Take from answers what binds requests only: further members may come, and the examples of
    single fields are in those of whole answers."""
    asked = {
        body["content"][JSON]["schema"].get("$ref", "").rpartition("/")[2]
        for _, _, operation in operations(document)
        if JSON in (body := operation.get("requestBody", {"content": {}}))["content"]
    }
    for name, schema in document["components"]["schemas"].items():
        if name not in asked:
            walk(schema, _loosen)


def _loosen(schema: Node) -> None:
    schema.pop("examples", None)
    if schema.get("additionalProperties") is False:
        del schema["additionalProperties"]


def _share_parameters(document: Node) -> None:
    """The most frequent parameter of each name becomes a component."""
    every = [p for _, _, operation in operations(document) for p in operation.get("parameters", ())]
    counts = Counter(repr(parameter) for parameter in every)
    shared: dict[str, Any] = {}
    for parameter in every:
        name = _component_name(parameter["name"])
        if counts[repr(parameter)] > max(1, counts[repr(shared.get(name))]):
            shared[name] = parameter
    for _, _, operation in operations(document):
        operation["parameters"] = [
            reference("parameters", name)
            if shared.get(name := _component_name(parameter["name"])) == parameter
            else parameter
            for parameter in operation.pop("parameters", ())
        ]
    document["components"]["parameters"] = dict(sorted(shared.items()))


def _share_errors(document: Node) -> None:
    """Errors that look alike in several operations become one component, named after the code or
    the message of their example."""
    every = [
        (operation, status)
        for _, _, operation in operations(document)
        for status in operation["responses"]
        if int(status) >= 400
    ]
    counts = Counter(repr(operation["responses"][status]) for operation, status in every)
    shared: dict[str, Node] = {}
    for operation, status in every:
        response = operation["responses"][status]
        if counts[repr(response)] < 2:
            continue
        body = response["content"][JSON]["example"]
        base = _component_name(str(body.get("code") or body.get("message") or body.get("error")))
        name, number = base, 1
        while shared.setdefault(name, response) != response:
            number += 1
            name = f"{base}{number}"
        operation["responses"][status] = reference("responses", name)
    document["components"]["responses"] = dict(sorted(shared.items()))


def _component_name(text: str) -> str:
    """`limit` is Limit, `Idempotency-Key` IdempotencyKey, `intent_not_found` IntentNotFound."""
    words = "".join(c if c.isalnum() else " " for c in text).split()
    return "".join(word[0].upper() + word[1:] for word in words[:8])
