"""The examples of the OpenAPI document: valid, whole, and what the service really answers."""

import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import jsonschema
import pytest

from crossway.api.openapi.examples import load_examples
from tests.api.example_walk import walked
from tests.api.test_documentation import document, operations, resolve
from tests.api.walks import Walk, recorded

__all__ = ["document"]
JSON = "application/json"
# By status, what is said without a recorded answer, as every operation says it alike.
ALIKE = {"401", "409", "413", "422", "429"}


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walk]:
    with walked(tmp_path_factory.mktemp("walk")) as taken:
        yield taken


def strict(document: dict[str, Any]) -> dict[str, Any]:
    """The document's components with objects that have no further members."""
    components: dict[str, Any] = deepcopy(document["components"])
    schemas = components["schemas"]
    for name in schemas:
        schemas[name] = whole(schemas, schemas[name])
    for schema in schemas.values():
        if "properties" in schema:
            schema.setdefault("additionalProperties", False)
    return components


def whole(schemas: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """A schema with the members of the one that it extends."""
    if "allOf" not in schema:
        return schema
    base, more = schema["allOf"]
    extended = whole(schemas, schemas[base["$ref"].rpartition("/")[2]])
    properties = {**extended["properties"], **more["properties"]}
    required = [*extended.get("required", ()), *more.get("required", ())]
    return {"type": "object", "properties": properties, "required": required}


def complaints(document: dict[str, Any], schema: Any, example: Any) -> list[str]:
    """What a schema of the document does not allow in an example."""
    whole = {**schema, "components": strict(document)}
    validator = jsonschema.Draft202012Validator(
        whole, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
    )
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(example)]


def test_every_answer_has_a_whole_example_that_its_schema_allows(document: dict[str, Any]) -> None:
    checked = 0
    for method, path, operation in operations(document):
        for status, response in operation["responses"].items():
            for kind, media_type in response.get("content", {}).items():
                assert "example" in media_type, (method, path, status)
                if kind == JSON:
                    found = complaints(document, media_type["schema"], media_type["example"])
                    assert found == [], (method, path, status)
                    checked += 1
    assert checked > 400


def test_every_request_has_an_example_that_its_schema_allows(document: dict[str, Any]) -> None:
    for method, path, operation in operations(document):
        for parameter in operation["parameters"]:
            where = (method, path, parameter["name"])
            if parameter.get("example") is None:
                assert not parameter.get("required"), where
            else:
                found = complaints(document, parameter["schema"], parameter["example"])
                assert found == [], where
        body = operation.get("requestBody", {"content": {}})["content"].get(JSON)
        if body is not None and operation.get("security") != []:
            assert complaints(document, body["schema"], body["example"]) == [], (method, path)


def test_every_error_of_an_operation_is_one_that_it_gave(document: dict[str, Any]) -> None:
    """But for the few that look alike everywhere."""
    examples = load_examples()["operations"]
    for _, _, operation in operations(document):
        name = operation["operationId"]
        documented = {*operation["responses"]} - ALIKE
        assert documented <= {*examples[name]["answers"]} | {"200"}, name
        assert {*examples[name]["answers"]} - ALIKE <= documented, name


def test_the_recorded_examples_are_what_the_service_answers(walk: Walk) -> None:
    now, kept = recorded(walk), load_examples()
    assert {*now["operations"]} == {*kept["operations"]}
    assert {*now["events"]} == {*kept["events"]}
    for name, example in now["operations"].items():
        assert shape(example) == shape(kept["operations"][name]), name
    assert now["alike"] == kept["alike"]
    for name, event in now["events"].items():
        assert shape(event) == shape(kept["events"][name]), name


def shape(value: Any, key: str = "") -> Any:
    """What two walks have in common: members and their kinds, and texts but for their numbers."""
    if isinstance(value, dict):
        return {name: shape(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [shape(value[0], key)] if value else []
    if isinstance(value, str) and key in ("message", "error", "code"):
        return re.sub(r"[0-9]+", "0", value)
    return type(value).__name__ if isinstance(value, bool | str) else "number or null"


def test_every_event_has_the_form_that_the_document_tells(
    walk: Walk, document: dict[str, Any]
) -> None:
    seen = {event["type"]: event for event in walk.receiver.events}
    assert len(seen) > 7
    for kind, event in seen.items():
        operation = resolve(document, document["webhooks"][kind]["post"])
        schema = operation["requestBody"]["content"][JSON]["schema"]
        assert complaints(document, schema, event) == [], kind
        for request in walk.receiver.requests:
            for header in operation["parameters"]:
                value = request.headers[header["name"]]
                assert re.fullmatch(header["schema"]["pattern"], value), header["name"]


def test_every_event_type_is_described(document: dict[str, Any]) -> None:
    kinds = {*document["webhooks"]}
    assert kinds == {*document["components"]["schemas"]["EventType"]["enum"]}
    for webhook in document["webhooks"].values():
        operation = resolve(document, webhook["post"])
        assert {*operation["responses"]} == {"2XX", "default"}
        assert re.fullmatch("on([A-Z][a-z]+)+", operation["operationId"])
        content = operation["requestBody"]["content"][JSON]
        if "example" in content:
            assert complaints(document, content["schema"], content["example"]) == []
