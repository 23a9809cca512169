"""Events for the JavaScript client: verification of signatures, and the resumed stream."""

import json
from base64 import b64encode
from datetime import UTC, datetime, timedelta

from tests.client.failing_server import failing_server
from tests.client.javascript_programs import Programs
from tests.client.test_events import BODY, SECRET, signed

STREAM = {"content-type": "text/event-stream"}


def verify(programs: Programs, *received: tuple[bytes, dict[str, str], str]) -> list[str]:
    """For each webhook, its event's id or the name of the error."""
    asked = [
        {"body": b64encode(body).decode(), "headers": headers, "secret": secret}
        for body, headers, secret in received
    ]
    told: list[str] = json.loads(programs.run("verify.js", json.dumps(asked)))
    return told


def test_a_signed_delivery_is_verified_also_while_a_secret_is_rotated(programs: Programs) -> None:
    both = signed(**{"Webhook-Signature": f"v1,AAAA {signed()['Webhook-Signature']}"})
    lower = {name.lower(): value for name, value in signed().items()}
    received = [(BODY, headers, SECRET) for headers in (signed(), both, lower)]
    assert verify(programs, *received) == ["evt_1"] * 3


def test_other_deliveries_fail_verification(programs: Programs) -> None:
    late = datetime.now(UTC) - timedelta(minutes=6)
    early = datetime.now(UTC) + timedelta(minutes=6)
    refused = [
        (BODY, {}),
        (BODY, signed(b"{}")),
        (BODY, signed(at=late)),
        (BODY, signed(at=early)),
        (BODY, signed(**{"Webhook-Id": "evt_2"})),
        (BODY, signed(**{"Webhook-Signature": "v1"})),
        (BODY, signed(**{"Webhook-Signature": "v1,***"})),
        (BODY, signed(**{"Webhook-Timestamp": "soon"})),
        (b"\xff", signed()),
        (b"\xef\xbb\xbf" + BODY, signed()),
        (b"no JSON", signed(b"no JSON")),
    ]
    told = verify(programs, *[(body, headers, SECRET) for body, headers in refused])
    assert told == ["SignatureVerificationError"] * len(refused)


def test_a_secret_that_is_none_is_a_mistake_of_the_program(programs: Programs) -> None:
    secrets = ("", "whsec_", "whsec_é")
    told = verify(programs, *[(BODY, signed(), secret) for secret in secrets])
    assert told == ["TypeError"] * 3


def message(event_id: str) -> bytes:
    """An event as the stream has it, after a heartbeat. Its note has separators of Unicode, which
    end no line."""
    note = json.dumps({"id": event_id, "note": "first\u2028second\x85third"}, ensure_ascii=False)
    return f": heartbeat\n\nid: {event_id}\r\ndata: {note}\n\n".encode()


def test_a_broken_stream_is_resumed_after_its_last_event(programs: Programs) -> None:
    planned = (
        (200, STREAM, message("evt_1")),
        None,
        (503, {}, {}),
        (200, STREAM, message("evt_2") + message("evt_3")),
        (401, {}, {"message": "Unauthorized"}),
    )
    with failing_server(*planned) as server:
        told = json.loads(programs.run("stream.js", server.url))
    assert told["events"] == ["evt_1", "evt_2", "evt_3"]
    assert told["error"] == "Unauthorized"
    assert told["waits"] == [500, 2000, 4000, 500]
    last = [headers.get("last-event-id") for _, _, headers in server.requests]
    assert last == [None, "evt_1", "evt_1", "evt_1", "evt_3"]
    assert {path for _, path, _ in server.requests} == {"/api/v1/events"}


def test_a_stream_that_keeps_breaking_ends(programs: Programs) -> None:
    with failing_server(None, None, None) as server:
        told = json.loads(programs.run("stream.js", server.url))
    assert (told["events"], told["error"]) == ([], "APIConnectionError")
    assert len(server.requests) == 3
