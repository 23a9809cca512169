"""Malformed requests to payer pages get a page, never a server error."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient
from starlette.types import Scope

from crossway.payer.app import create_pages
from crossway.ports.services import Services
from tests.harness import Harness
from tests.payer.conftest import Payer

NONSENSE = (
    "", "0", "-1", "9" * 60, "NaN", "1e400", "null", "[]", "{}", "'", '";--', "<script>", "\u202e",
    "a" * 5_000, "%", "%00", "\x00", "..%2f..%2fetc%2fpasswd", "\U0001f4a9", "\u0663", "pl_",
)  # fmt: skip


class Open:
    """A rate limiter that never limits."""

    def wait_seconds(self, services: Services, scope: Scope, what: str, per_minute: int) -> int:
        return 0

    def wait_for(self, name: str, per_minute: int) -> int:
        return 0

    def find_address(self, services: Services, scope: Scope) -> str:
        return ""


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Payer]:
    world = Harness(f"sqlite:///{tmp_path / 'crossway.db'}")
    app = Starlette(routes=[Mount("/pay", create_pages(Open(), world.services))])
    with TestClient(app, base_url="https://pay.test", raise_server_exceptions=False) as http:
        yield Payer(http, world)


@pytest.mark.parametrize("text", NONSENSE, ids=range(len(NONSENSE)))
def test_malformed_requests_are_answered(asked: Payer, text: str) -> None:
    link, intent = asked.create_link(), asked.world.create_intent()
    quoted = text.replace("\x00", "%00").replace("?", "%3F").replace("#", "%23")
    paths = ("", "/l", "/logo", "/assets")
    answers = [asked.get(f"{path}/{quoted}") for path in paths]
    answers += [asked.get(f"/{quoted}/live"), asked.get(f"/l/{quoted}/poster")]
    answers.append(asked.get(f"/l/{link.id}", lang=text, amount=text, way=text))
    answers += [
        asked.submit_form(link, **{field: text})
        for field in ("nonce", "amount", "method", "refund")
    ]
    assert [answer.status_code for answer in answers if answer.status_code >= 500] == []
    assert all("Traceback" not in answer.text for answer in answers)
    assert asked.get_page(intent)
