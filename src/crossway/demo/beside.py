"""What goes on beside the payments: local money, webhooks, what clients ask, and the last hour."""

import json
import time
from collections.abc import Iterator
from datetime import datetime, timedelta

from crossway.demo.payments import STEPS, Cast, carry_on, play
from crossway.demo.plan import figures, late_comers
from crossway.demo.stage import Stage
from crossway.domain.clients import Caller
from crossway.domain.errors import Refusal
from crossway.domain.intent import Intent
from crossway.domain.ramps import Direction, OrderState, ProviderName, RampOrder
from crossway.domain.webhooks import EventType
from crossway.ports.logs import AskedRequest
from crossway.ports.records import IntentFilter
from crossway.usecases.developers import webhooks
from crossway.usecases.developers.webhooks import WebhookChange
from crossway.usecases.ramps import orders
from crossway.usecases.ramps import sandbox as ramp_sandbox
from crossway.usecases.ramps.terms import NewOrder

_TOLD = (EventType.INTENT_COMPLETED, EventType.INTENT_REFUNDED, EventType.INTENT_EXPIRED,
         EventType.INTENT_FAILED, EventType.RAMP_ORDER_UPDATED)  # fmt: skip
_COUNTRIES = {"NGN": "NG", "KES": "KE", "GHS": "GH", "UGX": "UG", "TZS": "TZ"}
_LOGGED, _LOG_DAYS = 700, 6
_ORDERS_TOGETHER = 6
_UNDER_WAY, _LAST_SECONDS = 16, 420


def open_webhooks(on: Stage, cast: Cast) -> None:
    """Each merchant that wants to be told names where; those that have webhooks keep them."""
    known = {one.url for one in webhooks.every(on.services, on.operator)}
    for merchant in cast.merchants.values():
        if merchant.hook and merchant.hook not in known:
            asked = WebhookChange(merchant.hook, list(_TOLD), "The shop's own system")
            client = cast.callers[merchant.name].client.id
            webhooks.create(on.services, on.operator, asked, client_id=client)


def ramp_orders(on: Stage, cast: Cast, size: int) -> None:
    """Some people buy or sell for local money: as many of the month's orders as fall to a group."""
    # Together, as each pass over the orders costs more than the orders do.
    cast.orders_due += figures()["ramps"]["orders_of_1000_payments"] * size / 1_000
    if cast.orders_due < _ORDERS_TOGETHER:
        return
    count, cast.orders_due = int(cast.orders_due), cast.orders_due % 1
    made = [order for _ in range(count) if (order := _ordered(on, cast)) is not None]
    if not made:
        return
    on.awake.clear()
    for order in made:
        on.awake.update(filter(None, (order.source_chain, order.destination_chain)))
        on.awake.add(order.ramp_chain)
    carry_on(on, (1, 1))
    for order in made:
        _go_on(on, cast, order)
    carry_on(on, (*STEPS, 5, 30))


def _ordered(on: Stage, cast: Cast) -> RampOrder | None:
    dice, said = cast.dice, figures()["ramps"]
    direction = dice.choice([Direction.ON, Direction.ON, Direction.OFF])
    currency = dice.choices(said["currencies"], [weight for _, weight in said["currencies"]])[0][0]
    provider = dice.choice([ProviderName.FONBNK, ProviderName.YELLOW_CARD, ProviderName.PAYCREST])
    email = dice.choice(said["people"])
    chain = dice.choice(["BASE_MAINNET", "ARBITRUM_MAINNET", "POLYGON_MAINNET"])
    sandbox = on.services.ramp_sandbox
    assert sandbox is not None
    sandbox.set_standing(provider, email, "advanced", "approved")
    buying = direction is Direction.ON
    asked = NewOrder(
        direction=direction.value,
        provider=provider.value,
        currency=currency,
        amount=dice.choice([20, 25, 40, 60, 75, 100, 150]),
        destination_chain=chain if buying else None,
        source_chain=None if buying else chain,
        recipient=on.wallet(chain, email) if buying else None,
        sender=None if buying else on.wallet(chain, email),
        email=email,
        fields=_fields(on, provider, direction, currency),
    )
    caller = cast.callers[dice.choice(["Kijani Market", "Lagos Tickets"])]
    try:
        return orders.create(on.services, caller, asked)
    except Refusal:
        return None  # This provider does not serve this corridor.


def _fields(
    on: Stage, provider: ProviderName, direction: Direction, currency: str
) -> dict[str, str]:
    found = next(one for one in on.services.ramps if one.name == provider)
    channels = found.capabilities.channels_for(direction, currency, _COUNTRIES[currency])
    return {
        one.key: one.options[0].value if one.options else one.example
        for channel in channels[:1]
        for one in channel.fields
        if one.required
    }


def _go_on(on: Stage, cast: Cast, order: RampOrder) -> None:
    """Most are paid and delivered; some are left, some fail at the provider."""
    order = orders.by_id(on.services, on.operator, order.id)
    if (
        order.state not in (OrderState.PENDING, OrderState.INITIATED)
        or not order.provider_reference
    ):
        return
    drawn = cast.dice.random()
    outcome = "paid" if drawn < 0.86 else "failed" if drawn < 0.92 else ""
    if outcome == "paid" and order.direction is Direction.ON:
        outcome = "delivered"
    if outcome:
        ramp_sandbox.report(on.services, on.operator, order.id, outcome)


def finish(on: Stage, cast: Cast) -> None:
    """The last minutes, of which some payments still wait for money; and what clients asked of the
    API. What was signed is confirmed, so that books and chains agree while no engine runs."""
    on.awake.update(on.services.chains)
    carry_on(on, (60, 20, 20))
    on.hand.to(time.time() - _LAST_SECONDS)
    carry_on(on, (1, 1))
    play(on, cast, late_comers(on.hand.seconds, _UNDER_WAY))
    _write_requests(on, cast)


def _write_requests(on: Stage, cast: Cast) -> None:
    """What clients asked in the last days, as the log keeps it."""
    now = on.services.clock.now()
    wanted = IntentFilter()
    with on.services.store.read() as unit:
        found = unit.intents.page(wanted, _LOGGED, 0)
    names = {one.client.id: one for one in cast.callers.values()}
    since = now - timedelta(days=_LOG_DAYS)
    recent = [one for one in reversed(found) if one.created_at > since]
    rows = [row for intent in recent for row in _asked(cast, names[intent.client_id], intent)]
    rows.sort(key=lambda row: row.at)
    on.services.store.write(lambda unit: unit.requests.add(rows))


def _asked(cast: Cast, caller: Caller, intent: Intent) -> Iterator[AskedRequest]:
    body = {
        "amount": str(intent.amount_units),
        "source_chain": intent.terms.source_chain,
        "destination_chain": intent.terms.destination_chain,
        "recipient": intent.terms.recipient,
        "metadata": {"order": "…"},
    }
    answer = {"id": intent.id, "intent_address": intent.address, "status": "PENDING"}
    at = intent.created_at
    yield _request(cast, caller, at, "POST", "/v1/intents", 201, json.dumps(body),
                   json.dumps(answer))  # fmt: skip
    seconds = timedelta(seconds=cast.dice.randrange(4, 90))
    yield _request(cast, caller, at + seconds, "GET", "/v1/intents/{intent_id}", 200)
    if cast.dice.random() < 0.06:
        wrong = json.dumps(body | {"recipient": "0x12"})
        refused = json.dumps({"error": "recipient is not an address of this chain"})
        before = at - timedelta(seconds=cast.dice.randrange(3, 30))
        yield _request(cast, caller, before, "POST", "/v1/intents", 400, wrong, refused)


def _request(
    cast: Cast,
    caller: Caller,
    at: datetime,
    method: str,
    path: str,
    status: int,
    asked: str | None = None,
    answered: str | None = None,
) -> AskedRequest:
    number = f"req_{cast.dice.getrandbits(96):024x}"
    took = int(cast.dice.lognormvariate(8.6, 0.5))
    return AskedRequest(
        0, at, number, method, path, status, took, caller.client.id, None, asked, answered
    )
