"""One order and its intent in one transaction: moves by the table, books, alarms, next look."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from crossway.domain.intent import Intent
from crossway.domain.ledger import Leg, Posting, fiat_place
from crossway.domain.money import format_units
from crossway.domain.ramps import OrderEvent, RampOrder, advance_order, provider_name
from crossway.ports.ramp_records import OrderChange
from crossway.ports.records import Alarm
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.payments.ending import withdraw
from crossway.usecases.payments.lifecycle import Step
from crossway.usecases.ramps.timing import next_look

LATE, SHORT, CONTRADICTED, OWED = "late", "short", "contradicted", "owed"
# The kind of every alarm about an order, whose number is its subject.
OF_ORDERS = "ramp"
_ALARMS = (LATE, SHORT, CONTRADICTED, OWED)


@dataclass
class OrderStep:
    """What one transaction is going to store of one order, held until it ends."""

    services: Services
    unit: Unit
    now: datetime
    first: RampOrder
    order: RampOrder
    step: Step
    changes: list[OrderChange] = field(default_factory=list)
    raised: dict[str, str] = field(default_factory=dict)
    cleared: bool = False

    @property
    def intent(self) -> Intent | None:
        """The order's intent as this step leaves it."""
        at = self.order.intent_id
        return None if at is None else self.step.current.get(at)

    def move(self, event: OrderEvent, note: str = "", **facts: Any) -> None:
        """Apply an event by the table."""
        before = self.order
        state = advance_order(before.state, event)
        self.order = replace(before, state=state, updated_at=self.now, **facts)
        self.changes.append(OrderChange(before, self.order, event, note))

    def note(self, words: str, **facts: Any) -> None:
        """Write something into the history that changes no state."""
        self.move(OrderEvent.NOTED, words, **facts)

    @property
    def stands(self) -> str:
        """Where the order stands, as a clause."""
        return f"the order is {self.order.state.lower()}"

    def post(self, what: str, *legs: Leg) -> None:
        """Book local money at the provider, in minor units, as `what` of this order shows it."""
        order = self.order
        if order.intent_id is not None:
            place, name = fiat_place(order.provider), self.name_of(what)
            self.step.postings += [
                Posting(order.intent_id, place, order.currency, debit, credit, units, name)
                for debit, credit, units in legs
            ]

    def posted(self, what: str) -> bool:
        """Whether the books have this of the order already."""
        name, intent_id = self.name_of(what), self.order.intent_id
        if intent_id is None:
            return False
        coming = any(posting.tx == name for posting in self.step.postings)
        return coming or bool(self.unit.books.of_tx([intent_id], {name}))

    def name_of(self, what: str) -> str:
        """What a posting of this order names as its proof."""
        return f"order:{self.order.id}:{what}"

    def withdraw(self, why: str) -> bool:
        """Nobody shall pay the intent any more; False when it is too late for that."""
        intent = self.intent
        return intent is None or withdraw(self.unit, self.step, intent.id, why)

    def alarm(self, kind: str, words: str) -> None:
        """Tell a person; one alarm for each kind and order."""
        known = words.replace(self.order.provider, provider_name(self.order.provider))
        self.raised[kind] = f"Order {self.order.id}: {known}"

    def all_clear(self) -> None:
        """Nobody needs to look at this order any more."""
        self.raised.clear()
        self.cleared = True

    def money(self, minor: int) -> str:
        """An amount of the order's currency for people."""
        return money(self.order, minor)

    def store(self) -> RampOrder:
        """Write all of it, and when the engine looks again."""
        self.step.store(self.unit)
        at = next_look(self.order, self.now)
        if self.changes:
            self.order = replace(self.order, next_at=at, tries=0)
            self.changes[-1] = replace(self.changes[-1], after=self.order)
            self.unit.orders.apply(self.changes)
        else:
            self.order = replace(self.order, next_at=at)
            self.unit.orders.put_off(self.order.id, self.order.tries, at)
        self._tell()
        return self.order

    def _tell(self) -> None:
        subject = str(self.order.id)
        for kind, words in self.raised.items():
            key = f"order:{subject}:{kind}"
            self.unit.network.raise_alarm(
                Alarm(key, OF_ORDERS, subject, words, self.now, self.now, None)
            )
        if self.cleared:
            keys = [f"order:{subject}:{kind}" for kind in _ALARMS if kind not in self.raised]
            self.unit.network.clear_alarms(keys, self.now)


def money(order: RampOrder, minor: int) -> str:
    """An amount of an order's currency for people."""
    return f"{format_units(minor, order.digits, order.digits)} {order.currency}"


def held(services: Services, unit: Unit, order_id: int) -> OrderStep:
    """An order and its intent as they stand, held until the unit of work ends. The intent first:
    whoever moves an intent wakes its order after that."""
    known = unit.orders.get(order_id)
    of = None if known is None else known.intent_id
    intents = unit.intents.lock([of]) if of is not None else {}
    order = unit.orders.lock([order_id])[order_id]
    if order.intent_id is not None and order.intent_id not in intents:
        intents = unit.intents.lock([order.intent_id])
    now = services.clock.now()
    return OrderStep(services, unit, now, order, order, Step(services, now, intents))
