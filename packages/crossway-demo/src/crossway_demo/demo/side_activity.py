"""Activity beside the payments: ramp orders, webhooks, API requests and the last minutes."""

import json
import time
from collections.abc import Iterator
from datetime import datetime, timedelta

from crossway.domain.clients import Principal
from crossway.domain.errors import DomainError
from crossway.domain.intent import Intent
from crossway.domain.ramps import Direction, OrderState, ProviderName, RampOrder
from crossway.domain.webhooks import EventType
from crossway.ports.logs import LoggedRequest
from crossway.ports.ramps import KycUser
from crossway.ports.records import IntentFilter
from crossway.usecases.developers import webhooks
from crossway.usecases.developers.webhooks import WebhookUpdate
from crossway.usecases.kyc import customers, verification
from crossway.usecases.ramps import orders
from crossway.usecases.ramps.create_order import CreateOrderRequest
from crossway.usecases.simulator import ramp_controls as ramp_sandbox
from crossway_demo.demo.demo_world import DemoWorld
from crossway_demo.demo.payments import SETTLEMENT_STEPS, DemoActors, play_group, run_engine
from crossway_demo.demo.scenario_plan import parameters, plan_recent_payments

_EVENTS = (
    EventType.INTENT_COMPLETED,
    EventType.INTENT_REFUNDED,
    EventType.INTENT_EXPIRED,
    EventType.INTENT_FAILED,
    EventType.RAMP_ORDER_UPDATED,
)
_COUNTRIES = {"NGN": "NG", "KES": "KE", "GHS": "GH", "UGX": "UG", "TZS": "TZ"}
_CHAINS = ["BASE_MAINNET", "ARBITRUM_MAINNET", "POLYGON_MAINNET"]
_PROVIDERS = [ProviderName.FONBNK, ProviderName.YELLOW_CARD, ProviderName.PAYCREST]
_RAMP_MERCHANTS = ["Kijani Market", "Lagos Tickets"]
_LOGGED_PAYMENTS, _LOG_DAYS = 700, 6
# The API's answer to an amount of zero.
_INVALID_AMOUNT = {
    "code": "parameter_invalid",
    "param": "amount",
    "statusCode": 400,
    "message": "amount must be greater than zero",
}
_ORDERS_PER_BATCH = 3
_RECENT_PAYMENTS, _RECENT_SECONDS, _OPEN_ORDERS = 7, 300, 2


def create_webhooks(world: DemoWorld, actors: DemoActors) -> None:
    """Create the webhook of each merchant that has one and does not exist yet."""
    urls = {endpoint.url for endpoint in webhooks.list_webhooks(world.services, world.operator)}
    for merchant in actors.merchants.values():
        if merchant.webhook_url and merchant.webhook_url not in urls:
            change = WebhookUpdate(merchant.webhook_url, list(_EVENTS), "The shop's own system")
            owner = actors.callers[merchant.name]
            operator = world.operator.in_mode_of(owner.owner)
            webhooks.create_webhook(world.services, operator, change, client_id=owner.client.id)


def create_ramp_orders(world: DemoWorld, actors: DemoActors, group_size: int) -> None:
    """Create the ramp orders that fall to a group of payments, in batches.

    Batched because a pass over the orders costs more than the orders do.
    """
    rate = parameters()["ramps"]["orders_of_1000_payments"]
    actors.orders_due += rate * group_size / 1_000
    if actors.orders_due < _ORDERS_PER_BATCH:
        return
    count, actors.orders_due = int(actors.orders_due), actors.orders_due % 1
    created = [order for _ in range(count) if (order := _create(world, actors)) is not None]
    if not created:
        return
    world.active_chains.clear()
    for order in created:
        world.active_chains.update(filter(None, (order.source_chain, order.destination_chain)))
        world.active_chains.add(order.ramp_chain)
    run_engine(world, (1, 1))
    for order in created:
        _report_outcome(world, actors, order)
    run_engine(world, (*SETTLEMENT_STEPS, 5, 30))


def _create(world: DemoWorld, actors: DemoActors) -> RampOrder | None:
    random, ramps = actors.random, parameters()["ramps"]
    direction = random.choice([Direction.ON, Direction.ON, Direction.OFF])
    weights = [weight for _, weight in ramps["currencies"]]
    currency = random.choices(ramps["currencies"], weights)[0][0]
    provider = random.choice(_PROVIDERS)
    email = random.choice(ramps["customer_emails"])
    chain = random.choice(_CHAINS)
    sandbox = world.services.ramp_sandbox
    assert sandbox is not None
    caller = actors.callers[random.choice(_RAMP_MERCHANTS)]
    user = KycUser(email, caller.owner)
    sandbox.set_kyc_status(provider, user, "advanced", "approved")
    buying = direction is Direction.ON
    request = CreateOrderRequest(
        direction=direction.value,
        provider=provider.value,
        currency=currency,
        amount=random.choice([20, 25, 40, 60, 75, 100, 150]),
        destination_chain=chain if buying else None,
        source_chain=None if buying else chain,
        recipient=world.wallet(chain, email) if buying else None,
        sender=None if buying else world.wallet(chain, email),
        email=email,
        fields=_example_fields(world, provider, direction, currency),
    )
    try:
        return orders.create_order(world.services, caller, request)
    except DomainError:
        return None  # The provider does not serve this corridor.


def _example_fields(
    world: DemoWorld, provider: ProviderName, direction: Direction, currency: str
) -> dict[str, str]:
    ramp = next(ramp for ramp in world.services.ramps if ramp.name == provider)
    channels = ramp.capabilities.channels_for(direction, currency, _COUNTRIES[currency])
    return {
        field.key: field.options[0].value if field.options else field.example
        for channel in channels[:1]
        for field in channel.fields
        if field.required
    }


def _report_outcome(world: DemoWorld, actors: DemoActors, order: RampOrder) -> None:
    """Most orders are paid and delivered; some are abandoned, some fail at the provider."""
    order = orders.get_order(world.services, world.operator, order.id)
    is_open = order.state in (OrderState.PENDING, OrderState.INITIATED)
    if not is_open or not order.provider_reference:
        return
    roll = actors.random.random()
    outcome = "paid" if roll < 0.86 else "failed" if roll < 0.92 else ""
    if outcome == "paid" and order.direction is Direction.ON:
        outcome = "delivered"
    if outcome:
        ramp_sandbox.report_order_status(world.services, world.operator, order.id, outcome)


def finish(world: DemoWorld, actors: DemoActors) -> None:
    """Play the last minutes, in which some payments still wait for deposits, and log requests.

    Signed transactions are confirmed first, so that books and chains agree while no engine runs.
    """
    world.active_chains.update(world.services.chains)
    run_engine(world, (60, 20, 20))
    world.clock.advance_to(time.time() - _RECENT_SECONDS)
    run_engine(world, (1, 1))
    play_group(world, actors, plan_recent_payments(world.clock.seconds, _RECENT_PAYMENTS))
    for _ in range(_OPEN_ORDERS):
        _create(world, actors)
    run_engine(world, (1, 1))
    _vary_identity_checks(world, actors)
    _log_requests(world, actors)


def _vary_identity_checks(world: DemoWorld, actors: DemoActors) -> None:
    """Customers whose identity check is not (yet) enough for an order."""
    sandbox, caller = world.services.ramp_sandbox, actors.callers[_RAMP_MERCHANTS[0]]
    assert sandbox is not None
    for email, kyc_type, status in parameters()["ramps"]["identity_checks"]:
        customers.get_or_create_customer(world.services, caller.owner, email)
        provider, user = ProviderName.FONBNK, KycUser(email, caller.owner)
        sandbox.set_kyc_status(provider, user, kyc_type, status)
        verification.assess_customer(
            world.services, caller, provider.value, email, _COUNTRIES["NGN"], "NGN"
        )


def _log_requests(world: DemoWorld, actors: DemoActors) -> None:
    """Write the API requests of the last days into the request log."""
    now = world.services.clock.now()
    with world.services.store.read() as unit:
        intents = unit.intents.list_page(IntentFilter(), _LOGGED_PAYMENTS, 0)
    callers = {caller.client.id: caller for caller in actors.callers.values()}
    since = now - timedelta(days=_LOG_DAYS)
    recent = [intent for intent in reversed(intents) if intent.created_at > since]
    rows = [
        row for intent in recent for row in _requests(actors, callers[intent.client_id], intent)
    ]
    rows.sort(key=lambda row: row.at)
    world.services.store.write(lambda unit: unit.request_log.add(rows))


def _requests(actors: DemoActors, caller: Principal, intent: Intent) -> Iterator[LoggedRequest]:
    body = {
        "amount": str(intent.requested_amount),
        "source_chain": intent.terms.source_chain,
        "destination_chain": intent.terms.destination_chain,
        "recipient": intent.terms.recipient,
        "metadata": {"order": "…"},
    }
    response = {"id": intent.id, "intent_address": intent.address, "intent_status": "PENDING"}
    at = intent.created_at
    bodies = json.dumps(body), json.dumps(response)
    yield _request(actors, caller, at, "POST", "/v1/intents", 201, *bodies)
    delay = timedelta(seconds=actors.random.randrange(4, 90))
    yield _request(actors, caller, at + delay, "GET", "/v1/intents/{id}", 200)
    if actors.random.random() < 0.06:
        invalid = json.dumps(body | {"amount": "0"})
        error = json.dumps(_INVALID_AMOUNT)
        before = at - timedelta(seconds=actors.random.randrange(3, 30))
        yield _request(actors, caller, before, "POST", "/v1/intents", 400, invalid, error)


def _request(
    actors: DemoActors,
    caller: Principal,
    at: datetime,
    method: str,
    path: str,
    status: int,
    request_body: str | None = None,
    response_body: str | None = None,
) -> LoggedRequest:
    request_id = f"{actors.random.getrandbits(96):024x}"
    micros = int(actors.random.lognormvariate(8.6, 0.5))
    return LoggedRequest(
        0,
        at,
        request_id,
        method,
        path,
        status,
        micros,
        caller.client.id,
        None,
        request_body,
        response_body,
        mode=caller.mode,
    )
