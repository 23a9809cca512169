"""Playing payments: groups of people who ask, pay, forget to pay, pay too much or too late."""

import heapq
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from crossway.demo.plan import Merchant, Payment, Way
from crossway.demo.stage import Stage
from crossway.domain.clients import Caller
from crossway.domain.errors import Refusal
from crossway.domain.intent import Intent
from crossway.ports.sandbox import Faults
from crossway.usecases.payments import intents, processing
from crossway.usecases.payments.terms import CreateIntent

# The steps in which a group's payments are carried to their end, in seconds: first what a recipient
# waits for, then what the bridge and the finality of chains take.
STEPS = (4, 2.5, 3, 17, 10)
QUICK = 3
_USDC_UNITS_OF_A_CENT = 10_000


@dataclass
class Cast:
    """Who takes part: each merchant's caller, and what is still to happen and when."""

    callers: dict[str, Caller]
    merchants: dict[str, Merchant]
    dice: Random
    later: list[tuple[float, int, Callable[[], str]]] = field(default_factory=list)
    orders_due: float = 0.0
    _turn: int = 0

    def remember(self, at: float, act: Callable[[], str]) -> None:
        """Something that happens at a later time; it answers the chain that it touches."""
        self._turn += 1
        heapq.heappush(self.later, (at, self._turn, act))


def play(stage: Stage, cast: Cast, group: Sequence[Payment]) -> list[Intent]:
    """A group of payments: made, paid, and carried to their end."""
    _catch_up(stage, cast, group[0].at)
    made = []
    for payment in group:
        stage.hand.to(payment.at)
        if (intent := _made(stage, cast, payment)) is not None:
            made.append((payment, intent))
    stage.awake.clear()
    for _, intent in made:
        stage.awake.update((intent.terms.source_chain, intent.terms.destination_chain))
    stage.hand.seconds += 15 + cast.dice.uniform(0, 60)
    _deposit(stage, cast, made)
    # Some days chains are quick, on others they are slow.
    pace = cast.dice.choice((1.0, 1.0, 1.1, 1.2, 1.4, 1.7, 2.2, 4.0))
    carry_on(stage, (*(seconds * pace for seconds in STEPS[:QUICK]), *STEPS[QUICK:]))
    return [intent for _, intent in made]


def carry_on(stage: Stage, steps: Sequence[float]) -> None:
    """Passes of the engine, with so many seconds before each, and what is told of it."""
    for seconds in steps:
        stage.tick(seconds)
    stage.dispatcher.round()


def _catch_up(stage: Stage, cast: Cast, until: float) -> None:
    """What was to happen before a group begins."""
    while cast.later and cast.later[0][0] < until:
        at, _, act = heapq.heappop(cast.later)
        stage.hand.to(at)
        stage.awake.clear()
        stage.awake.add(act())
        carry_on(stage, STEPS)


def _made(stage: Stage, cast: Cast, payment: Payment) -> Intent | None:
    catalogue = stage.services.catalogue
    (source, symbol), (to, out) = payment.source, payment.to
    token = catalogue.tokens[source, symbol]
    buyer = f"buyer {cast.dice.randrange(700)}"
    merchant = cast.merchants[payment.merchant]
    asked = CreateIntent(
        amount=str(payment.cents * _USDC_UNITS_OF_A_CENT),
        token_in=token.address,
        token_out=catalogue.tokens[to, out].address,
        source_chain=source,
        destination_chain=to,
        recipient=stage.wallet(to, f"{merchant.name} {_odd(payment)}"),
        sender=stage.wallet(source, buyer),
        refund_address=stage.wallet(source, f"{buyer} {_odd(payment)}"),
        metadata={"order": payment.reference},
    )
    try:
        return intents.create(stage.services, cast.callers[merchant.name], asked)
    except Refusal:
        return None  # Nobody serves this route for this amount: the customer goes elsewhere.


def _odd(payment: Payment) -> str:
    """Wallets of their own for payments that nobody can pay out or give back."""
    return payment.reference if payment.way in (Way.REFUSED, Way.NO_WAY_BACK) else "main"


def _deposit(stage: Stage, cast: Cast, made: Sequence[tuple[Payment, Intent]]) -> None:
    """Those who pay in time do, chain by chain in a block each."""
    due: dict[str, list[tuple[str, str, int]]] = defaultdict(list)
    payers: dict[str, list[str]] = defaultdict(list)
    for payment, intent in made:
        _prepare(stage, cast, payment, intent)
        units = _in_time(payment, intent)
        if units:
            terms = intent.terms
            token = _foreign(stage, intent) if payment.way is Way.FOREIGN else terms.token_in
            due[terms.source_chain].append((intent.address, token, units))
            payers[terms.source_chain].append(intent.sender)
    for chain, sent in due.items():
        stage.hand.seconds += cast.dice.uniform(0.4, 2.5)
        stage.sandbox.deposit_each(chain, sent, payers[chain])
    for payment, intent in made:
        if cast.merchants[payment.merchant].test and _in_time(payment, intent):
            stage.hand.seconds += 4
            processing.look(stage.services, intent)


def _in_time(payment: Payment, intent: Intent) -> int:
    total = intent.terms.total_units
    return {
        Way.EXPIRED: 0,
        Way.LATE: 0,
        Way.SHORT: total * 6 // 10,
        Way.TOPPED_UP: total // 2,
        Way.NO_WAY_BACK: total // 3,
        Way.OVER: total + total // 8,
    }.get(payment.way, total)


def _prepare(stage: Stage, cast: Cast, payment: Payment, intent: Intent) -> None:
    """What is to go wrong, or to come later."""
    terms, token = intent.terms, intent.terms.token_in
    end = terms.expires_at.timestamp()

    def pay(units: int) -> str:
        sent = (intent.address, token, units)
        stage.sandbox.deposit_each(terms.source_chain, [sent], [intent.sender])
        return terms.source_chain

    if payment.way is Way.REFUSED:
        faults = Faults(refuse=[terms.recipient])
        stage.sandbox.misbehave(terms.destination_chain, faults)
    if payment.way is Way.NO_WAY_BACK:
        stage.sandbox.misbehave(terms.source_chain, Faults(refuse=[terms.refund_address]))
    if payment.way is Way.TOPPED_UP:
        rest = terms.total_units - terms.total_units // 2
        cast.remember(stage.hand.seconds + 420, lambda: pay(rest))
    if payment.way is Way.LATE:
        cast.remember(end + 900, lambda: pay(terms.total_units))
    if payment.way is not Way.GOOD:
        cast.remember(end + 5, lambda: terms.source_chain)


def _foreign(stage: Stage, intent: Intent) -> str:
    """Another token of the same chain."""
    known = stage.services.catalogue.by_chain[intent.terms.source_chain]
    others = [t for t in known if t.enabled and t.address != intent.terms.token_in]
    same = [t for t in others if t.decimals == intent.asset_decimals]
    return (same or others)[0].address
