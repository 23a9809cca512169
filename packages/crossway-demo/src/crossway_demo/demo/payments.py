"""Plays the planned payments: created, paid or not, overpaid, paid late, and settled."""

import heapq
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from crossway.domain.clients import Principal
from crossway.domain.errors import DomainError
from crossway.domain.intent import Intent
from crossway.domain.payment_links import PaymentLink
from crossway.ports.sandbox import Faults
from crossway.usecases.payers.checkout import CheckoutError
from crossway.usecases.payers.link_payments import CheckoutForm, pay_by_link
from crossway.usecases.payments.create_intent import create_intent
from crossway.usecases.payments.deposits import check_deposits
from crossway.usecases.payments.intent_request import CreateIntentRequest
from crossway_demo.demo.demo_world import DemoWorld
from crossway_demo.demo.scenario_plan import Merchant, Payment, PaymentVariant

# Seconds between the passes of the engine that settle a group: the payouts first, then the bridge
# and the finality of the chains.
SETTLEMENT_STEPS = (4, 2.5, 3, 17, 10)
PAYOUT_STEP_COUNT = 3
_REBALANCING_PASSES, _REBALANCING_STEP_SECONDS = 12, 30
# A payment that nobody paid is over after one pass.
_EXPIRY_STEPS = (4,)
_USDC_UNITS_PER_CENT = 10_000
_BUYERS = 700
# The share of payments at merchants with payment links that come by one of them.
_LINK_SHARE = 0.35
_REFUSING = (PaymentVariant.PAYOUT_REFUSED, PaymentVariant.REFUND_REFUSED)


@dataclass
class DemoActors:
    """The merchants with their API principals and payment links, and what is scheduled for later:
    actions of payers, and chores of the operator's people."""

    callers: dict[str, Principal]
    merchants: dict[str, Merchant]
    random: Random
    scheduled: list[tuple[float, int, Callable[[], str], Sequence[float]]] = field(
        default_factory=list
    )
    chores: list[tuple[float, Callable[[DemoWorld, "DemoActors"], None]]] = field(
        default_factory=list
    )
    links: dict[str, list[PaymentLink]] = field(default_factory=dict)
    orders_due: float = 0.0
    _sequence: int = 0

    def schedule(
        self, at: float, action: Callable[[], str], steps: Sequence[float] = SETTLEMENT_STEPS
    ) -> None:
        """Schedule an action, which returns the chain it touches, and the seconds between the
        passes of the engine after it."""
        self._sequence += 1
        heapq.heappush(self.scheduled, (at, self._sequence, action, steps))


def play_group(world: DemoWorld, actors: DemoActors, group: Sequence[Payment]) -> list[Intent]:
    """Create, pay and settle a group of payments."""
    run_scheduled(world, actors, group[0].at)
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
    _finish_rebalancing(world)
    world.dispatcher.run_once()


def _finish_rebalancing(world: DemoWorld) -> None:
    """Follow rebalancing transfers to their end: they would be given back in the hours after which
    the engine runs again."""
    for _ in range(_REBALANCING_PASSES):
        with world.services.store.read() as unit:
            transfers = unit.rebalancing.list_open()
        if not transfers:
            return
        ends = {c for t in transfers for c in (t.source_chain, t.destination_chain)}
        world.active_chains.update(ends & world.services.chains.keys())
        world.tick(_REBALANCING_STEP_SECONDS)


def run_scheduled(world: DemoWorld, actors: DemoActors, until: float) -> None:
    """Do what payers and the operator's people were to do before this time."""
    while actors.chores and actors.chores[0][0] < until:
        at, work = actors.chores.pop(0)
        world.clock.advance_to(at)
        work(world, actors)
    while actors.scheduled and actors.scheduled[0][0] < until:
        at, _, action, steps = heapq.heappop(actors.scheduled)
        world.clock.advance_to(at)
        world.active_chains.clear()
        world.active_chains.add(action())
        run_engine(world, steps)


def _create(world: DemoWorld, actors: DemoActors, payment: Payment) -> Intent | None:
    merchant = actors.merchants[payment.merchant]
    buyer = f"buyer {actors.random.randrange(_BUYERS)}"
    links = actors.links.get(merchant.name, [])
    by_link = payment.variant is PaymentVariant.NORMAL and actors.random.random() < _LINK_SHARE
    try:
        if links and by_link:
            return _pay_by_link(world, payment, actors.random.choice(links), buyer)
        return _create_by_api(world, actors.callers[merchant.name], merchant, payment, buyer)
    except (DomainError, CheckoutError):
        return None  # No bridge serves this route for this amount.


def _pay_by_link(world: DemoWorld, payment: Payment, link: PaymentLink, buyer: str) -> Intent:
    chain, symbol = payment.source
    form = CheckoutForm(
        nonce=f"demo-{payment.reference:->16}",
        amount=f"{payment.cents / 100:.2f}",
        method=f"{chain}:{symbol}",
        refund_address=world.wallet(chain, buyer),
    )
    return pay_by_link(world.services, link.id, form)


def _create_by_api(
    world: DemoWorld, caller: Principal, merchant: Merchant, payment: Payment, buyer: str
) -> Intent:
    catalogue = world.services.catalogue
    (source, symbol), (destination, symbol_out) = payment.source, payment.destination
    request = CreateIntentRequest(
        amount=str(payment.cents * _USDC_UNITS_PER_CENT),
        token_in=catalogue.tokens[source, symbol].address,
        token_out=catalogue.tokens[destination, symbol_out].address,
        source_chain=source,
        destination_chain=destination,
        recipient=world.wallet(destination, f"{merchant.name} {_wallet_suffix(payment)}"),
        sender=world.wallet(source, buyer),
        refund_address=world.wallet(source, f"{buyer} {_wallet_suffix(payment)}"),
        metadata={"order": payment.reference},
    )
    return create_intent(world.services, caller, request)


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
            payers[terms.source_chain].append(intent.sender or terms.refund_address)
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
        steps = SETTLEMENT_STEPS if _amount_in_time(payment, intent) else _EXPIRY_STEPS
        actors.schedule(expiry + 5, lambda: terms.source_chain, steps)


def _other_token(world: DemoWorld, intent: Intent) -> str:
    """The address of another token of the source chain, if possible with the same decimals."""
    tokens = world.services.catalogue.by_chain[intent.terms.source_chain]
    others = [t for t in tokens if t.enabled and t.address != intent.terms.token_in]
    same_decimals = [t for t in others if t.decimals == intent.asset_decimals]
    return (same_decimals or others)[0].address
