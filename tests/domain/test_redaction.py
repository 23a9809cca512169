"""Redaction of logs and stored requests."""

import json
import time

import pytest

from crossway.domain.redaction import MAX_BODY_CHARACTERS, mask_body, redact

KEY = "cr_live_abcdEFGHijklMNOPqrstUVWXyz012345"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"key {KEY}!", "key cr_live_abcd…!"),
        # A secret is URL-safe base64: `-` and `_` are part of it, anywhere.
        ("key cr_live_a-cd-FGH_jklMN-Pqrst_VWX-!", "key cr_live_a-cd…!"),
        ("key cr_test_----____abcd-efgh, next", "key cr_test_----…, next"),
        ("shown cr_test_abcd stays", "shown cr_test_abcd stays"),
        (f"Authorization: Bearer {KEY}", "Authorization: Bearer cr_live_abcd…"),
        ("bearer eyJhbGciOi.x-y_z, next", "bearer …, next"),
        ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw==", "whsec_…"),
        ("whsec_Mf/Q9r+GKY/qrTw+UPD== whsec_a-b_c=", "whsec_… whsec_…"),
        ("postgresql+psycopg://crossway:p%40ss@db:5432/x", "postgresql+psycopg://crossway:…@db:5432/x"),
        ("to ada.lovelace+1@mail.example.org: no", "to [e-mail]: no"),
        ("userEmail=ada%40mail.example.org&x=1", "userEmail=[e-mail]&x=1"),
        ('{"e":"ada@mail.example"}', '{"e":"[e-mail]"}'),
        ("Zm9vYmFyYmF6Zm9vYmFyYmF6Zm9vYmFyYmF6Zm9vYmE=", "…"),
        ("wallet 0x833589fCD6eDb6E08f4c7C32D4f71b5", "wallet 0x833589fCD6eDb6E08f4c7C32D4f71b5"),
        ("at 12:30 user @home", "at 12:30 user @home"),
    ],
)  # fmt: skip
def test_secrets_and_email_addresses_are_redacted(text: str, left: str) -> None:
    assert redact(text) == left
    assert redact(left) == left


def test_only_harmless_body_fields_are_kept() -> None:
    body = {
        "amount": "25",
        "userEmail": "ada@mail.example",
        "fields": {"phoneNumber": "+254700000000", "list": [1, 2]},
        "metadata": {"customer": "Ada Lovelace"},
        "secret": "whsec_abc",
        "newThing": 12,
        "flag": True,
        "orders": [{"id": 1, "paymentInstructions": {"accountName": "Ada"}}],
    }
    masked = json.loads(mask_body(json.dumps(body).encode()))
    assert masked == {
        "amount": "25",
        "userEmail": "…",
        "fields": "…",
        "metadata": "…",
        "secret": "…",
        "newThing": "…",
        "flag": True,
        "orders": [{"id": 1, "paymentInstructions": "…"}],
    }


def test_harmless_fields_are_redacted_too() -> None:
    message = f"userEmail: ada@mail.example has no {KEY}"
    masked = mask_body(json.dumps({"message": message}).encode())
    assert json.loads(masked) == {"message": "userEmail: [e-mail] has no cr_live_abcd…"}


@pytest.mark.parametrize("body", [b"\xff\xfe", b"user=ada@mail.example", b"{", b"[" * 100_000])
def test_a_body_that_is_not_json_is_reduced_to_its_length(body: bytes) -> None:
    assert mask_body(body) == f"({len(body)} bytes that are not JSON)"


@pytest.mark.parametrize(("body", "kept"), [(b"", ""), (b'"secret"', "…"), (b"12", "…")])
def test_a_body_that_is_not_an_object_is_masked(body: bytes, kept: str) -> None:
    assert mask_body(body) == kept


def test_a_lone_surrogate_is_replaced() -> None:
    masked = mask_body(b'{"type":"\\ud800","\\udfff":1}')
    assert masked.encode() == '{"type":"?","?":"…"}'.encode()


def test_bodies_are_truncated_to_4_kib() -> None:
    deep: object = 1
    for _ in range(60):
        deep = {"order": deep}
    for value in (deep, {"message": "é" * 9_000}, {"orders": [{"message": "x" * 90}] * 500}):
        assert len(mask_body(json.dumps(value).encode()).encode()) <= MAX_BODY_CHARACTERS


def test_a_long_word_is_redacted_in_linear_time() -> None:
    started = time.process_time()
    for word in ("a" * 200_000, "a%40" * 50_000, "://a" * 50_000, "a." * 100_000, "-" * 200_000):
        redact(word)
    assert time.process_time() - started < 2
