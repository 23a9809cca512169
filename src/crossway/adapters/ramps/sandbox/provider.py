"""One sandbox provider behind the port of fiat ramps."""

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from crossway.adapters.ramps.sandbox import opening, orders, people, prices, webhooks
from crossway.adapters.ramps.sandbox.backoffice import Backoffice
from crossway.adapters.ramps.sandbox.behaviour import Behaviour, load, refuses
from crossway.adapters.ramps.sandbox.orders import Order, Story
from crossway.domain.channels import Channel
from crossway.domain.errors import Unreachable
from crossway.domain.fiat import Rate
from crossway.domain.identity import read_email
from crossway.domain.kyc import Standing, Tier
from crossway.domain.ramps import Direction
from crossway.ports.ramps import (
    Ask,
    Capabilities,
    Document,
    Opened,
    Opening,
    Outcome,
    Priced,
    ProviderRefused,
    Report,
)
from crossway.ports.vault import Vault

MOST_WAIT_SECONDS = 60.0


class SandboxProvider:
    """`ports.ramps.RampProvider` over the simulated network.

    It takes the user's word that an on-ramp is paid, sees the crypto of an off-ramp itself, and
    delivers after some seconds of the service's clock; it does what is due when it is asked for
    reports. Safe to share between threads and processes. `wait` is how a slow one waits.
    """

    at_once = False

    def __init__(
        self,
        capabilities: Capabilities,
        office: Backoffice,
        rates: Mapping[str, Rate],
        vault: Vault,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = capabilities.name
        self.capabilities = capabilities
        self._office = office
        self._rates = rates
        self._vault = vault
        self._wait = wait

    def refund_address(self, chain: str) -> str:
        return opening.refund_address(self.capabilities, self._family(chain))

    def price(self, ask: Ask, channels: Sequence[Channel], now: datetime) -> Priced:
        how, rate = self._answering(), self._rates.get(ask.currency.code)
        return prices.price(self.capabilities, rate, ask, channels, how, now)

    def open(self, order: Opening) -> Opened:
        how = self._answering()
        new = self._order_of(order, how)
        with self._office.writing() as db:
            judged = self._judged(new, order)
            if orders.add(db, judged) and not judged.refused and refuses(db, self.name):
                # Asked again, it says no again.
                orders.refuse(db, new.reference, f"{self.capabilities.title} refuses this order")
            kept = orders.find(db, self.name, [new.reference])[new.reference]
        if kept.refused:
            raise ProviderRefused(kept.refused)
        return Opened(
            reference=kept.reference,
            fiat_minor=kept.fiat_minor,
            instructions=kept.instructions,
            widget_url=kept.widget_url,
            pay_to=kept.pay_to,
            pay_by=datetime.fromtimestamp(kept.pay_by, UTC),
        )

    def confirm(self, reference: str, tx_hash: str = "") -> None:
        self._answering()
        order = self._known(reference)

        def unless_told(story: Story, how: Behaviour, now: float) -> Outcome | None:
            return None if story else Outcome.PAID

        # Of an off-ramp it believes what it sees alone.
        if order.direction is Direction.ON and not order.refused:
            self._office.tell(order, Outcome.PAID, unless_told)

    def cancel(self, reference: str) -> None:
        self._answering()
        self._cancel(self._known(reference))

    def cancel_unknown(self, order: Opening) -> None:
        how = self._answering()
        closed = opening.refused(self._order_of(order, how), "This order was cancelled")
        with self._office.writing() as db:
            # Where nothing was opened, an opening that is still on its way shall find it closed.
            orders.add(db, closed)
        self._cancel(self._known(closed.reference))

    def reports(self, references: Sequence[str]) -> Mapping[str, Sequence[Report]]:
        how = self._answering()
        self._office.work(self.name, references)
        with self._office.reading() as db:
            found = orders.find(db, self.name, references)
            told = orders.stories(db, list(found))
        return {name: _as_told(name, story, how) for name, story in told.items()}

    def read_webhook(self, headers: Mapping[str, str], body: bytes) -> Sequence[Report]:
        return webhooks.read(self._secret(), headers, body, self._office.now())

    def webhook(self, reference: str) -> tuple[dict[str, str], bytes]:
        """The call by which it would tell of an order: header fields and body."""
        body = webhooks.write(self.reports([reference]).get(reference, ()))
        return self.signed(body), body

    def signed(self, body: bytes) -> dict[str, str]:
        """The header fields of a call with this body."""
        return webhooks.sign(self._secret(), body, self._office.now())

    def standing(self, email: str, country: str) -> Standing:
        how = self._answering()
        person, tiers = self.person(email), self._tiers(country)
        with self._office.reading() as db:
            known = people.load(db, self.name, person)
        if people.grown(known, tiers, how.kyc, self._office.now()) != known:
            with self._office.writing() as db:
                stored = people.load(db, self.name, person, lock=True)
                known = people.grown(stored, tiers, how.kyc, self._office.now())
                people.save(db, self.name, person, known)
        return known.standing(self._verification_url())

    def submit(
        self, email: str, country: str, fields: Mapping[str, str], documents: Sequence[Document]
    ) -> Standing:
        how = self._answering()
        if self.capabilities.verifies == "widget":
            raise ProviderRefused(f"{self.capabilities.title} verifies people on its own page")
        person, now = self.person(email), self._office.now()
        keys = [document.key for document in documents]
        with self._office.writing() as db:
            stored = people.load(db, self.name, person, lock=True)
            added = people.handed_in(stored, fields, keys, now)
            known = people.grown(added, self._tiers(country), how.kyc, now)
            people.save(db, self.name, person, known)
        return known.standing(self._verification_url())

    def person(self, email: str) -> str:
        """The digest under which somebody is known here."""
        return self._vault.index(read_email(email))

    def _judged(self, new: Order, asked: Opening) -> Order:
        return opening.refused(new, opening.objection(self.capabilities, asked))

    def _order_of(self, asked: Opening, how: Behaviour) -> Order:
        family = self._family(asked.token.chain)
        return opening.order_of(self.capabilities, family, asked, how, self._office.now())

    def _cancel(self, order: Order) -> None:
        title = self.capabilities.title

        def unless_paid(story: Story, how: Behaviour, now: float) -> Outcome | None:
            if Outcome.PAID in story or Outcome.DELIVERED in story:
                raise ProviderRefused(f"{title} has been paid for this order already")
            return None if story else Outcome.CANCELLED

        if not order.refused:
            self._office.work(self.name, [order.reference])
            self._office.tell(order, Outcome.CANCELLED, unless_paid)

    def _known(self, reference: str) -> Order:
        with self._office.reading() as db:
            found = orders.find(db, self.name, [reference])
        if reference not in found:
            raise ProviderRefused(f"{self.capabilities.title} knows no order {reference}")
        return found[reference]

    def _answering(self) -> Behaviour:
        """How it behaves now, after the wait of a slow one; one that is down says nothing."""
        with self._office.reading() as db:
            how = load(db, self.name)
        if how.slow_seconds:
            self._wait(min(how.slow_seconds, MOST_WAIT_SECONDS))
        if self._office.now() < how.down_until:
            raise Unreachable(f"{self.capabilities.title} gives no answer")
        return how

    def _family(self, chain: str) -> str:
        return self._office.network.facts[chain].family

    def _tiers(self, country: str) -> Sequence[Tier]:
        tiers = self.capabilities.tiers
        return tiers.get(country, tiers.get("", ()))

    def _verification_url(self) -> str:
        in_widget = self.capabilities.verifies == "widget"
        return f"{opening.PAGE}?provider={self.name}" if in_widget else ""

    def _secret(self) -> str:
        return self._vault.index(f"sandbox webhooks of {self.name}")


def _as_told(reference: str, story: Story, how: Behaviour) -> list[Report]:
    """What goes out: backwards, or everything twice, where it was told to."""
    reports = [said.report(reference) for said in story.values()]
    if how.shuffle:
        reports.reverse()
    return [report for report in reports for _ in range(2 if how.repeat else 1)]
