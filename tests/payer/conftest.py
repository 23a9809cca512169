"""Fixtures for tests of payer pages, requested as by a browser."""

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
from crossway.usecases.payments.checkout_urls import create_token
from tests.harness import Harness


@dataclass
class Payer:
    """A payer: has a link and no API key."""

    http: TestClient
    world: Harness

    def get_page(self, intent: Intent, lang: str = "en", **more: str) -> str:
        """The page of a payment."""
        name = create_token(self.world.services, intent.id)
        answer = self.get(f"/{name}", lang=lang, **more)
        assert answer.status_code == 200, answer.text
        return str(answer.text)

    def get(self, path: str, **query: str) -> Any:
        return self.http.get(f"/pay{path}", params=query)

    def create_link(self, **more: Any) -> PaymentLink:
        """A payment link without a fixed amount."""
        to = "ARBITRUM_MAINNET"
        params = {"title": "Coffee", "destination_chain": to}
        params["recipient"] = self.world.wallet(to, "shop")
        return links.create(self.world.services, self.world.caller, LinkRequest(**(params | more)))

    def submit_form(self, link: PaymentLink, nonce: str = "n" * 20, **changed: str) -> Any:
        """Submit the form for 25 USDC from Base."""
        fields = {"nonce": nonce, "amount": "25", "method": "BASE_MAINNET:USDC"}
        fields["refund"] = self.world.wallet("BASE_MAINNET", "payer")
        return self.http.post(f"/pay/l/{link.id}", data=fields | changed)


def new_test_client(services: Services) -> TestClient:
    """A test client of the payer pages, mounted as in the single process, with a new rate
    limiter."""
    app = Starlette(routes=[Mount("/pay", create_pages(IpRateLimiter(), services))])
    return TestClient(app, base_url="https://pay.test", follow_redirects=False)


@pytest.fixture
def payer(tmp_path: Path) -> Iterator[Payer]:
    world = Harness(f"sqlite:///{tmp_path / 'crossway.db'}")
    with new_test_client(world.services) as http:
        yield Payer(http, world)


def state_on_page(page: str) -> str:
    """The payment state in a page's `data-state` attribute."""
    hits = re.search(r'data-state="(\w+)"', page)
    assert hits is not None
    return hits.group(1)
