"""A world whose events leave, with a dispatcher that a test lets work."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from crossway.adapters.webhooks.sender import HttpSender
from crossway.adapters.webhooks.signing import StandardSigner
from crossway.api.schemas.announcements import present
from crossway.domain.webhooks import Delivery, Endpoint
from crossway.engine.deliveries import Dispatcher
from crossway.ports.webhook_records import DeliveryFilter
from crossway.ports.webhooks import Outgoing, Presenter
from crossway.usecases.developers import deliveries, webhooks
from crossway.usecases.developers.webhooks import WebhookChange
from tests.world import World

CHAINS = ("BASE_MAINNET", "ARBITRUM_MAINNET")


class TellingWorld(World):
    """A world whose clock begins at the machine's time, as receivers compare with theirs."""

    def __init__(
        self,
        url: str,
        limit_seconds: float = 10,
        at_once: int = 32,
        reached: Callable[[str], object] = lambda step: None,
        draw: Presenter = present,
    ) -> None:
        super().__init__(url, reached, CHAINS)
        self.hand.seconds = time.time()
        self.sender = HttpSender(loopback=True, limit_seconds=limit_seconds)
        outgoing = Outgoing(draw, self.sender, StandardSigner())
        self.services = replace(self.services, outgoing=outgoing)
        self.dispatcher = Dispatcher(self.services, at_once, chance=lambda: 0.0)

    def webhook(self, url: str, **more: Any) -> webhooks.Told:
        return webhooks.create(self.services, self.caller, WebhookChange(url=url, **more))

    def deliver(self) -> None:
        """Everything that is due now, to the end."""
        while self.dispatcher.round():
            pass

    def later(self, seconds: float) -> None:
        """Let time pass, then send what is due."""
        self.hand.seconds += seconds
        self.deliver()

    def endpoint(self, webhook_id: int) -> Endpoint:
        return webhooks.get(self.services, self.caller, webhook_id)

    def deliveries(self, webhook_id: int) -> list[Delivery]:
        """Oldest first."""
        wanted = DeliveryFilter(webhook_id=webhook_id)
        found = deliveries.page(self.services, self.caller, wanted, 100)
        return [delivery for delivery, _ in reversed(found)]

    def close(self) -> None:
        self.dispatcher.stop()
        self.sender.close()
        self.store.close()
