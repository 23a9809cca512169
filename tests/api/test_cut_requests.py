"""wire.md §1, A request that was cut off: real connections that end inside a body."""

import json
import socket
from collections.abc import Iterator
from itertools import count
from urllib.parse import urlencode

import httpx
import pytest

from crossway.bootstrap import Service
from tests.api.conftest import INTENT, Api, listening
from tests.api.test_kyc import CORRIDOR, PNG, kyc_state, new_email, requirements, sent_document
from tests.processes import wait_until

JSON = json.dumps(INTENT).encode()
_ids = count(1)


@pytest.fixture(scope="module")
def port(service: Service) -> Iterator[int]:
    with listening(service.services) as port:
        yield port


def cut(api: Api, port: int, path: str, head: str, sent: bytes, half: bool = False) -> None:
    """Send part of a request and close the connection, or only our `half` of it; returns when the
    server is done with the request."""
    name = f"cut-{next(_ids)}"
    fields = f"Host: crossway.test\r\nAuthorization: Bearer {api.secret}\r\nX-Request-Id: {name}"
    log = api.service.services.process.request_log
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        start = f"POST /api/v1{path} HTTP/1.1\r\n{fields}\r\n{head}\r\n\r\n"
        connection.sendall(start.encode() + sent)
        if half:
            connection.shutdown(socket.SHUT_WR)
            wait_until("the server hung up", lambda: connection.recv(65_536) == b"")
    wait_until("the request ended", lambda: any(e.request_id == name for e in [*log.entries]))


def chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


LENGTH = f"Content-Length: {len(JSON)}"
CHUNKED = "Transfer-Encoding: chunked"
CUTS = {
    "before the body": (LENGTH, b""),
    "inside the body": (LENGTH, JSON[:40]),
    "a length above what is sent": (f"Content-Length: {len(JSON) + 1}", JSON),
    "inside a chunk": (CHUNKED, chunk(JSON)[:40]),
    "before the last chunk": (CHUNKED, chunk(JSON)),
    "between two chunks": (CHUNKED, chunk(JSON[:40])),
}


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("where", CUTS)
def test_a_cut_request_leaves_nothing(api: Api, port: int, where: str, half: bool) -> None:
    head, sent = CUTS[where]
    head += "\r\nContent-Type: application/json\r\nIdempotency-Key: order"
    cut(api, port, "/intents", head, sent, half)
    with api.service.services.store.read() as unit:
        assert unit.api_keys.get_idempotency_slot(api.owner, "order") is None
    assert api.get("/intents").json()["total"] == 0
    whole = api.post("/intents", INTENT, Idempotency_Key="order")
    assert whole.status_code == 201
    assert "idempotent-replayed" not in whole.headers


def test_a_whole_body_in_chunks_is_taken(api: Api, port: int) -> None:
    url, parts = f"http://127.0.0.1:{port}/api/v1/intents", iter((JSON[:40], JSON[40:]))
    headers = api.headers(**{"Content-Type": "application/json"})
    assert httpx.post(url, content=parts, headers=headers).status_code == 201
    assert api.get("/intents").json()["total"] == 1


@pytest.mark.parametrize(
    ("head", "sent"),
    [(f"Content-Length: {len(PNG) + 1000}", PNG + bytes(100)), (CHUNKED, chunk(PNG + bytes(100)))],
)
def test_a_cut_document_is_not_stored(api: Api, port: int, head: str, sent: bytes) -> None:
    email = new_email()
    key = next(o["key"] for o in requirements(api, "advanced") if o["type"] == "document")
    query = urlencode({**CORRIDOR, "userEmail": email, "key": key})
    before = kyc_state(api, email)
    head += "\r\nContent-Type: image/png\r\nIdempotency-Key: document"
    cut(api, port, f"/ramp/kyc/documents?{query}", head, sent)
    assert kyc_state(api, email) == before
    services = api.service.services
    with services.store.read() as unit:
        index = services.vault.blind_index(email)
        assert unit.kyc_customers.find(api.owner, index) is None
    sent_whole = sent_document(api, PNG, "image/png", userEmail=email, key=key)
    assert sent_whole.status_code == 200
    with services.store.read() as unit:
        assert unit.kyc_customers.find(api.owner, index) is not None
