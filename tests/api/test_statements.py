"""wire.md §1: statements about every answer, of every recorded example of every operation.

That the service answers as its examples is what test_examples.py shows.
"""

import re
from collections.abc import Iterator
from typing import Any

from crossway.api.openapi.examples import load_examples
from crossway.domain.error_codes import CATALOGUE, ErrorCode

INSTANT = re.compile(r"\d{4}-\d\d-\d\dT")
WHOLE_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
MICRO_USD = ("fees_in_usd", "app_fee_in_usd", "total_amount_in_usd")
# The three shapes of service.md §Errors, by what a body has beside its machine-readable members.
SHAPES = ({"statusCode", "message"}, {"success", "message"}, {"error"})
# What service.md says in words of its own.
SPECIFIED = ("Token addresses are required", "A live key cannot be used with test networks")
MACHINE_READABLE = {"code", "param", "params", "kyc"}


def answers() -> Iterator[tuple[str, int, Any]]:
    """Every recorded answer: its operation, status and body."""
    for name, example in load_examples()["operations"].items():
        for status, body in example["answers"].items():
            yield name, int(status), body


def errors() -> Iterator[tuple[str, int, Any]]:
    return ((name, status, body) for name, status, body in answers() if status >= 400)


def members(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every text and number in a body with the name of its member."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from members(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from members(inner, name)
    else:
        yield name, value


def test_every_instant_is_utc_with_milliseconds_and_ends_of_intents_are_whole_seconds() -> None:
    found = set()
    for operation, status, body in answers():
        for name, value in members(body):
            if isinstance(value, str) and INSTANT.match(value):
                found.add(name)
                assert WHOLE_INSTANT.fullmatch(value), (operation, status, name, value)
    assert {"created_at", "createdAt", "expires_at", "expiresAt", "lastUpdated", "now"} <= found
    intent = load_examples()["operations"]["createIntent"]["answers"]["201"]
    assert intent["expires_at"].endswith(".000Z")


def test_usd_amounts_of_intents_are_whole_micro_usd_as_texts() -> None:
    found = [
        (name, value)
        for _, _, body in answers()
        for name, value in members(body)
        if name in MICRO_USD
    ]
    assert {name for name, _ in found} == set(MICRO_USD)
    assert [one for one in found if not re.fullmatch("[0-9]+", str(one[1]))] == []
    assert {type(value) for _, value in found} == {str}


def test_every_error_has_one_of_three_shapes_and_a_code_of_the_catalogue() -> None:
    seen = []
    for operation, status, body in errors():
        where = (operation, status, body)
        shape = body.keys() - MACHINE_READABLE
        assert shape in SHAPES, where
        assert body.get("statusCode", status) == status, where
        assert body.get("success", False) is False, where
        assert status in CATALOGUE[ErrorCode(body["code"])][0], where
        seen.append(shape)
    assert [shape for shape in SHAPES if shape not in seen] == []


def test_a_refused_field_is_param_and_its_sentence_names_it() -> None:
    named = 0
    for operation, status, body in errors():
        where = (operation, status, body)
        if "params" in body:
            assert len(body["params"]) > 1, where
            assert "param" not in body, where
        fields = body.get("params", [body["param"]] if "param" in body else [])
        for field in fields:
            sentences = body.get("message", body.get("error"))
            # Names of header fields have no case.
            named_there = field.casefold() in sentences.casefold()
            assert named_there or sentences.startswith(SPECIFIED), where
            named += 1
        if body["code"] in ("parameter_missing", "parameter_unknown", "parameter_repeated"):
            assert fields, where
    assert named > 30
