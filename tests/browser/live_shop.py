"""A shop on real chains of this machine, whose payers' pages are open to a browser."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.routing import Mount

from crossway.api.rate_limits import IpRateLimiter
from crossway.domain.intent import Intent
from crossway.domain.payment_links import PaymentLink
from crossway.payer.app import create_pages
from crossway.usecases.payers import links
from crossway.usecases.payers.link_fields import LinkRequest
from crossway.usecases.payments.checkout_urls import checkout_url
from tests.browser.conftest import serving
from tests.chains.service import Hands, RealWorld, profile_of
from tests.processes import free_port


@dataclass
class LiveShop:
    """The shop, with the chains' hands by name."""

    world: RealWorld[Any]
    url: str

    def ask(self, name: str, source: str, to: str, **more: Any) -> Intent:
        """A new payment of 25 dollars."""
        return self.world.ask(name, source, to, **more)

    def page(self, intent: Intent, lang: str = "en") -> str:
        return f"{checkout_url(self.world.services, self.url, intent.id)}?lang={lang}"

    def link(self, to: str, **more: Any) -> PaymentLink:
        """A link for payments in dollars to this chain."""
        hands = self.world.hands[to]
        facts = {"title": "Coffee", "destination_chain": to, "token_out": hands.token}
        request = LinkRequest(**(facts | {"recipient": hands.wallet("a shop")} | more))
        return links.create(self.world.services, self.world.caller, request)


@contextmanager
def open_shop(folder: Path, hands: Mapping[str, Hands]) -> Iterator[LiveShop]:
    """A shop with an engine, as `crossway serve` runs it on these chains."""
    profile = profile_of(folder, hands.values(), poll_seconds=0.3)
    world = RealWorld(folder, hands, profile)
    pages = create_pages(IpRateLimiter(), world.services)
    world.service.run_engine()
    try:
        with serving(Starlette(routes=[Mount("/pay", pages)]), free_port()) as url:
            yield LiveShop(world, url)
    finally:
        world.close()
