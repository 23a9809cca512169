"""Plays the planned payments: created, paid or not, overpaid, paid late, and settled."""

import heapq
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from crossway.domain.clients import Principal
from crossway.domain.errors import DomainError
from crossway.domain.intent import Intent
from crossway.ports.sandbox import Faults
from crossway.usecases.payments.create_intent import CreateIntentRequest, create_intent
from crossway.usecases.payments.deposits import check_deposits
from crossway_demo.demo.demo_world import DemoWorld
from crossway_demo.demo.scenario_plan import Merchant, Payment, PaymentVariant

# Seconds between the passes of the engine that settle a group: the payouts first, then the bridge
# and the finality of the chains.
SETTLEMENT_STEPS = (4, 2.5, 3, 17, 10)
PAYOUT_STEP_COUNT = 3
_USDC_UNITS_PER_CENT = 10_000
_BUYERS = 700
_REFUSING = (PaymentVariant.PAYOUT_REFUSED, PaymentVariant.REFUND_REFUSED)


@dataclass
class DemoActors:
    """The merchants with their API principals, and the actions scheduled for later."""

    callers: dict[str, Principal]
    merchants: dict[str, Merchant]
    random: Random
    scheduled: list[tuple[float, int, Callable[[], str]]] = field(default_factory=list)
    orders_due: float = 0.0
    _sequence: int = 0

    def schedule(self, at: float, action: Callable[[], str]) -> None:
        """Schedule an action, which returns the chain it touches."""
        self._sequence += 1
        heapq.heappush(self.scheduled, (at, self._sequence, action))


def play_group(world: DemoWorld, actors: DemoActors, group: Sequence[Payment]) -> list[Intent]:
    """Create, pay and settle a group of payments."""
    _run_scheduled(world, actors, group[0].at)
    created = []
    for payment in group:
        world.clock.advance_to(payment.at)
        if (intent := _create(world, actors, payment)) is not None:
            created.append((payment, intent))
    world.active_chains.clear()
    for _, intent in created:
        world.active_chains.update((intent.terms.source_chain, intent.terms.destination_chain))
    world.clock.seconds += 15 + actors.random.uniform(0, 60)
    _deposit(world, actors, created)
    # Chains are faster on some days than on others.
    pace = actors.random.choice((1.0, 1.0, 1.1, 1.2, 1.4, 1.7, 2.2, 4.0))
    payouts = [seconds * pace for seconds in SETTLEMENT_STEPS[:PAYOUT_STEP_COUNT]]
    run_engine(world, (*payouts, *SETTLEMENT_STEPS[PAYOUT_STEP_COUNT:]))
    return [intent for _, intent in created]


def run_engine(world: DemoWorld, steps: Sequence[float]) -> None:
    """Run the engine once after each step in seconds, then deliver webhooks."""
    for seconds in steps:
        world.tick(seconds)
    world.dispatcher.run_once()


def _run_scheduled(world: DemoWorld, actors: DemoActors, until: float) -> None:
    while actors.scheduled and actors.scheduled[0][0] < until:
        at, _, action = heapq.heappop(actors.scheduled)
        world.clock.advance_to(at)
        world.active_chains.clear()
        world.active_chains.add(action())
        run_engine(world, SETTLEMENT_STEPS)


def _create(world: DemoWorld, actors: DemoActors, payment: Payment) -> Intent | None:
    catalogue = world.services.catalogue
    (source, symbol), (destination, symbol_out) = payment.source, payment.destination
    token = catalogue.tokens[source, symbol]
    buyer = f"buyer {actors.random.randrange(_BUYERS)}"
    merchant = actors.merchants[payment.merchant]
    request = CreateIntentRequest(
        amount=str(payment.cents * _USDC_UNITS_PER_CENT),
        token_in=token.address,
        token_out=catalogue.tokens[destination, symbol_out].address,
        source_chain=source,
        destination_chain=destination,
        recipient=world.wallet(destination, f"{merchant.name} {_wallet_suffix(payment)}"),
        sender=world.wallet(source, buyer),
        refund_address=world.wallet(source, f"{buyer} {_wallet_suffix(payment)}"),
        metadata={"order": payment.reference},
    )
    try:
        return create_intent(world.services, actors.callers[merchant.name], request)
    except DomainError:
        return None  # No bridge serves this route for this amount.


def _wallet_suffix(payment: Payment) -> str:
    """Payments whose wallet refuses transfers use a wallet of their own."""
    return payment.reference if payment.variant in _REFUSING else "main"


def _deposit(
    world: DemoWorld, actors: DemoActors, created: Sequence[tuple[Payment, Intent]]
) -> None:
    """Send the deposits that arrive in time, one block per chain."""
    due: dict[str, list[tuple[str, str, int]]] = defaultdict(list)
    payers: dict[str, list[str]] = defaultdict(list)
    for payment, intent in created:
        _prepare(world, actors, payment, intent)
        amount = _amount_in_time(payment, intent)
        if amount:
            terms = intent.terms
            wrong_token = payment.variant is PaymentVariant.WRONG_TOKEN
            token = _other_token(world, intent) if wrong_token else terms.token_in
            due[terms.source_chain].append((intent.address, token, amount))
            payers[terms.source_chain].append(intent.sender)
    for chain, deposits in due.items():
        world.clock.seconds += actors.random.uniform(0.4, 2.5)
        world.sandbox.deposit_each(chain, deposits, payers[chain])
    for payment, intent in created:
        if actors.merchants[payment.merchant].test and _amount_in_time(payment, intent):
            world.clock.seconds += 4
            check_deposits(world.services, intent)


def _amount_in_time(payment: Payment, intent: Intent) -> int:
    total = intent.terms.deposit_amount
    return {
        PaymentVariant.EXPIRED: 0,
        PaymentVariant.LATE: 0,
        PaymentVariant.UNDERPAID: total * 6 // 10,
        PaymentVariant.TOPPED_UP: total // 2,
        PaymentVariant.REFUND_REFUSED: total // 3,
        PaymentVariant.OVERPAID: total + total // 8,
    }.get(payment.variant, total)


def _prepare(world: DemoWorld, actors: DemoActors, payment: Payment, intent: Intent) -> None:
    """Inject the faults of a payment's variant and schedule its later deposits."""
    terms, token = intent.terms, intent.terms.token_in
    expiry = terms.expires_at.timestamp()

    def pay(amount: int) -> str:
        deposit = (intent.address, token, amount)
        world.sandbox.deposit_each(terms.source_chain, [deposit], [intent.sender])
        return terms.source_chain

    if payment.variant is PaymentVariant.PAYOUT_REFUSED:
        faults = Faults(refuse=[terms.recipient])
        world.sandbox.inject_faults(terms.destination_chain, faults)
    if payment.variant is PaymentVariant.REFUND_REFUSED:
        world.sandbox.inject_faults(terms.source_chain, Faults(refuse=[terms.refund_address]))
    if payment.variant is PaymentVariant.TOPPED_UP:
        remaining_amount = terms.deposit_amount - terms.deposit_amount // 2
        actors.schedule(world.clock.seconds + 420, lambda: pay(remaining_amount))
    if payment.variant is PaymentVariant.LATE:
        actors.schedule(expiry + 900, lambda: pay(terms.deposit_amount))
    if payment.variant is not PaymentVariant.NORMAL:
        actors.schedule(expiry + 5, lambda: terms.source_chain)


def _other_token(world: DemoWorld, intent: Intent) -> str:
    """The address of another token of the source chain, if possible with the same decimals."""
    tokens = world.services.catalogue.by_chain[intent.terms.source_chain]
    others = [t for t in tokens if t.enabled and t.address != intent.terms.token_in]
    same_decimals = [t for t in others if t.decimals == intent.asset_decimals]
    return (same_decimals or others)[0].address
