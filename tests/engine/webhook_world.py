"""A test world with webhooks and a dispatcher that tests run by hand."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from crossway.adapters.webhooks.sender import HttpWebhookSender
from crossway.adapters.webhooks.signing import StandardSigner
from crossway.api.schemas.events import render_events
from crossway.domain.webhooks import Delivery, Endpoint
from crossway.engine.webhook_dispatcher import WebhookDispatcher
from crossway.ports.webhook_repository import DeliveryFilter
from crossway.ports.webhooks import EventRenderer, WebhookServices
from crossway.usecases.developers import deliveries, webhooks
from crossway.usecases.developers.webhooks import WebhookUpdate
from tests.harness import Harness

CHAINS = ("BASE_MAINNET", "ARBITRUM_MAINNET")


class WebhookWorld(Harness):
    """A world whose clock starts at the machine's time, which receivers compare with."""

    def __init__(
        self,
        url: str,
        limit_seconds: float = 10,
        max_concurrent: int = 32,
        reached: Callable[[str], object] = lambda step: None,
        draw: EventRenderer = render_events,
    ) -> None:
        super().__init__(url, reached, CHAINS)
        self.machine.seconds = time.time()
        self.sender = HttpWebhookSender(loopback=True, limit_seconds=limit_seconds)
        webhook_services = WebhookServices(draw, self.sender, StandardSigner())
        self.services = replace(self.services, webhooks=webhook_services)
        self.dispatcher = WebhookDispatcher(
            self.services, max_concurrent, random_fraction=lambda: 0.0
        )

    def create_webhook(self, url: str, **more: Any) -> webhooks.WebhookWithSecret:
        return webhooks.create_webhook(self.services, self.caller, WebhookUpdate(url=url, **more))

    def deliver(self) -> None:
        """Send everything that is due now."""
        while self.dispatcher.run_once():
            pass

    def advance_and_deliver(self, seconds: float) -> None:
        """Let time pass, then send everything that is due."""
        self.machine.seconds += seconds
        self.deliver()

    def get_webhook(self, webhook_id: int) -> Endpoint:
        return webhooks.get_webhook(self.services, self.caller, webhook_id)

    def list_deliveries(self, webhook_id: int) -> list[Delivery]:
        """Oldest first."""
        filters = DeliveryFilter(webhook_id=webhook_id)
        page = deliveries.list_deliveries(self.services, self.caller, filters, 100)
        return [delivery for delivery, _ in reversed(page)]

    def close(self) -> None:
        self.dispatcher.stop()
        self.sender.close()
        self.sender.close()
        self.store.close()
