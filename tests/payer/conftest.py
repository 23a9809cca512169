"""The payer's pages on a world of its own, as a browser asks for them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from crossway.api.rate_limits import IpRateLimiter
from crossway.domain.intent import Intent
from crossway.domain.payment_links import PaymentLink
from crossway.payer.app import create_pages
from crossway.ports.services import Services
from crossway.usecases.payers import links
from crossway.usecases.payers.link_fields import LinkRequest
from crossway.usecases.payments.link_tokens import create_token
from tests.harness import Harness


@dataclass
class Payer:
    """Somebody with a link and no key."""

    http: TestClient
    world: Harness

    def page(self, intent: Intent, lang: str = "en", **more: str) -> str:
        """The page of a payment."""
        name = create_token(self.world.services, intent.id)
        answer = self.get(f"/{name}", lang=lang, **more)
        assert answer.status_code == 200, answer.text
        return str(answer.text)

    def get(self, path: str, **query: str) -> Any:
        return self.http.get(f"/pay{path}", params=query)

    def link(self, **more: Any) -> PaymentLink:
        """A payment link that asks each payer how much."""
        to = "ARBITRUM_MAINNET"
        asked = {"title": "Coffee", "destination_chain": to}
        asked["recipient"] = self.world.address(to, "shop")
        return links.create(self.world.services, self.world.caller, LinkRequest(**(asked | more)))

    def send(self, link: PaymentLink, nonce: str = "n" * 20, **changed: str) -> Any:
        """A filled form of 25 USDC from Base."""
        fields = {"nonce": nonce, "amount": "25", "way": "BASE_MAINNET:USDC"}
        fields["refund"] = self.world.address("BASE_MAINNET", "payer")
        return self.http.post(f"/pay/l/{link.id}", data=fields | changed)


def served(services: Services) -> TestClient:
    """The pages where the one process mounts them, with a turnstile of their own."""
    app = Starlette(routes=[Mount("/pay", create_pages(IpRateLimiter(), services))])
    return TestClient(app, base_url="https://pay.test", follow_redirects=False)


@pytest.fixture
def payer(tmp_path: Path) -> Iterator[Payer]:
    world = Harness(f"sqlite:///{tmp_path / 'crossway.db'}")
    with served(world.services) as http:
        yield Payer(http, world)


def state_of(page: str) -> str:
    """What a page says of where its payment stands, for scripts."""
    found = re.search(r'data-state="(\w+)"', page)
    assert found is not None
    return found.group(1)
