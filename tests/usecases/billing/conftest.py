"""A merchant who bills, and payers who pay, on the simulated network."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.intent import Intent, State
from crossway.domain.webhooks import OutboxEvent
from crossway.usecases.billing import invoices, subscriptions
from crossway.usecases.billing.invoice_fields import ContentRequest
from crossway.usecases.billing.invoices import InvoiceView
from crossway.usecases.billing.subscriptions import SubscriptionRequest
from crossway.usecases.payers.link_payments import CheckoutForm, pay_by_link
from tests.harness import Harness

ARBITRUM = "ARBITRUM_MAINNET"
LINE = {"description": "Hosting", "quantity": 2, "unit_amount": "5000000", "tax_bps": 1_900}


@dataclass
class Merchant:
    """A merchant of the simulated network. One line of 10 USDC with 19 % tax comes to 11.90."""

    world: Harness
    nonces: list[str] = field(default_factory=list)

    def content(self, **more: Any) -> ContentRequest:
        usual: dict[str, Any] = {
            "lines": [LINE],
            "destination_chain": ARBITRUM,
            "recipient": self.world.wallet(ARBITRUM, "shop"),
        }
        return ContentRequest(**(usual | more))

    def invoice(self, due: str | None = None, zone: str | None = None, **more: Any) -> InvoiceView:
        world = self.world
        return invoices.create(world.services, world.caller, self.content(**more), due, zone)

    def subscription(self, content: dict[str, Any] | None = None, **more: Any) -> Any:
        request = SubscriptionRequest(**({"interval": "month"} | more))
        made = self.content(**(content or {}))
        return subscriptions.create(self.world.services, self.world.caller, made, request)

    def form(self, amount: str = "", payer: str = "") -> CheckoutForm:
        self.nonces.append(f"{len(self.nonces):020}")
        refund = self.world.wallet("BASE_MAINNET", f"payer {payer}")
        return CheckoutForm(self.nonces[-1], amount, "BASE_MAINNET:USDC", refund, payer)

    def start(self, view: InvoiceView, amount: str = "", payer: str = "") -> Intent:
        return pay_by_link(self.world.services, view.link.id, self.form(amount, payer))

    def pay(self, view: InvoiceView, amount: str = "") -> Intent:
        intent = self.start(view, amount)
        self.world.deposit(intent)
        done = self.world.wait_for_state(intent, State.COMPLETED)
        self.look()
        return done

    def look(self, seconds: float = 15) -> None:
        """Let the engine do what is due."""
        self.world.pass_time(seconds, step=5)

    def view(self, view: InvoiceView) -> InvoiceView:
        return invoices.get(self.world.services, self.world.caller, view.invoice.name)

    def invoices(self) -> list[InvoiceView]:
        return invoices.list_page(self.world.services, self.world.caller, 100)

    def events(self, *types: str) -> list[OutboxEvent]:
        owner = self.world.caller.owner
        with self.world.store.read() as unit:
            since = self.world.clock.now().replace(year=2000)
            until = self.world.clock.now().replace(year=2100)
            found = unit.outbox.list_between(owner, since, until, 1_000)
        return [event for event in found if event.type in types]


@pytest.fixture
def merchant(tmp_path: Path) -> Merchant:
    return Merchant(Harness(f"sqlite:///{tmp_path / 'crossway.db'}"))
