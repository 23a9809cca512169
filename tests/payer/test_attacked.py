"""Nonsense at payers' pages is answered with a page, never with a failure."""

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
    """A turnstile that lets everybody through."""

    def wait_seconds(self, services: Services, scope: Scope, what: str, per_minute: int) -> int:
        return 0

    def wait_for(self, name: str, per_minute: int) -> int:
        return 0


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Payer]:
    world = Harness(f"sqlite:///{tmp_path / 'crossway.db'}")
    app = Starlette(routes=[Mount("/pay", create_pages(Open(), world.services))])
    with TestClient(app, base_url="https://pay.test", raise_server_exceptions=False) as http:
        yield Payer(http, world)


@pytest.mark.parametrize("text", NONSENSE, ids=range(len(NONSENSE)))
def test_whatever_is_sent_is_answered(asked: Payer, text: str) -> None:
    link, intent = asked.link(), asked.world.pay()
    quoted = text.replace("\x00", "%00").replace("?", "%3F").replace("#", "%23")
    paths = ("", "/l", "/logo", "/assets")
    answers = [asked.get(f"{path}/{quoted}") for path in paths]
    answers += [asked.get(f"/{quoted}/live"), asked.get(f"/l/{quoted}/poster")]
    answers.append(asked.get(f"/l/{link.id}", lang=text, amount=text, way=text))
    answers += [asked.send(link, **{field: text}) for field in ("nonce", "amount", "way", "refund")]
    assert [one.status_code for one in answers if one.status_code >= 500] == []
    assert all("Traceback" not in one.text for one in answers)
    assert asked.page(intent)
