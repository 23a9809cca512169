"""Deciding on due transfers: sign now, wait and for what, or let go of a duty."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from crossway.domain.errors import Unreachable
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account
from crossway.domain.transfers import Duty, Transfer, TransferState
from crossway.engine.actions import earliest, fill_marker, settle_marker, start_marker
from crossway.engine.naming import chain_name, chain_names
from crossway.ports.chain import Chain, Heads
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.payments.lifecycle import in_books, is_dust

_PAID = (TransferState.CONFIRMED, TransferState.FINAL)
_SWEEPS = (Duty.REFUND, Duty.RETURN_EXCESS)
_SOON = timedelta(seconds=2)
_LOOKED_AT = (Duty.START, Duty.FILL, Duty.REFUND)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to do with a due transfer; of `sign`, `wait`, `cancel`, `fail`, `found`, `keep` and
    `revive_start` exactly one.

    `short` names the alarm of a wait that needs a person. `fail` gives the duty up for good;
    `found` says that the chain shows it done; `keep` that what is left is dust; `revive_start`
    that the start was done, so that there is nothing to give back.
    """

    sign: bool = False
    wait: str = ""
    wait_until: datetime | None = None
    short: str = ""
    cancel: str = ""
    fail: str = ""
    found: bool = False
    keep: bool = False
    revive_start: bool = False


SIGN = Verdict(sign=True)


@dataclass
class Purse:
    """What the relayer can spend, and what the chains say was done before.

    Gas on this chain in units; `stock` in units by (chain, token) and `fills`, how many
    transactions it can pay for, by chain, where it pays out. `used` are markers of duties that
    were done. `silent` chains gave no answer.
    """

    fee_units: int
    gas_units: int
    next_nonce: int
    stock: dict[tuple[str, str], int] = field(default_factory=dict)
    fills: dict[str, int] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    silent: set[str] = field(default_factory=set)


def purse_of(services: Services, chain: Chain, head: Heads, transfers: Sequence[Transfer]) -> Purse:
    """Ask the chains; raises `Unreachable` when the chain that is to be paid on is silent."""
    looked_at = [t for t in transfers if t.duty in _LOOKED_AT]
    with services.store.read() as unit:
        intents = unit.intents.of({t.intent_id for t in looked_at})
    purse = Purse(
        chain.fee_units(),
        chain.native_balance(chain.own.relayer),
        chain.next_nonce(chain.own.relayer),
    )
    of_duty: dict[Duty, list[tuple[Transfer, Intent]]] = {}
    for transfer in looked_at:
        of_duty.setdefault(transfer.duty, []).append((transfer, intents[transfer.intent_id]))
    starts, fills = of_duty.get(Duty.START, []), of_duty.get(Duty.FILL, [])
    _count_stock(services, purse, [intent for _, intent in (*starts, *fills)])
    margin = timedelta(seconds=services.policy.start_margin_seconds)
    asked = [i for _, i in starts if head.time + margin >= i.terms.expires_at]
    asked += [i for t, i in of_duty.get(Duty.REFUND, []) if t.units is None]
    if asked:
        purse.used |= chain.used({start_marker(intent) for intent in asked})
    _look_at_escrow(services, chain, purse, [intent for _, intent in fills])
    return purse


def _count_stock(services: Services, purse: Purse, paying: Iterable[Intent]) -> None:
    for place in {(i.terms.destination_chain, i.terms.token_out) for i in paying}:
        payer = services.chains.get(place[0])
        if payer is None:
            purse.silent.add(place[0])
            continue
        try:
            purse.stock[place] = payer.balances([payer.own.relayer], place[1])[payer.own.relayer]
            if place[0] not in purse.fills:
                gas = payer.native_balance(payer.own.relayer)
                purse.fills[place[0]] = gas // max(payer.fee_units(), 1)
        except Unreachable:
            # What cannot be read cannot be promised: those that need it wait.
            purse.silent.add(place[0])


def _look_at_escrow(
    services: Services, chain: Chain, purse: Purse, filling: Sequence[Intent]
) -> None:
    """Whether what was collected for a fill has left again, which books older than the chains
    do not know: then the payer has his money back and must not be paid for a second time."""
    by_source: dict[str, list[Intent]] = {}
    for intent in filling:
        by_source.setdefault(intent.terms.source_chain, []).append(intent)
    left: set[str] = set()
    for source, intents in by_source.items():
        collector = services.chains.get(source)
        try:
            if collector is None:
                raise Unreachable(f"{source} is not configured")
            left |= collector.used({settle_marker(intent) for intent in intents})
        except Unreachable:
            purse.silent.add(source)
    if left:
        purse.used |= left | chain.used(
            {fill_marker(intent) for intent in filling if settle_marker(intent) in left}
        )


class Judge:
    """Decides on due transfers in order, spending gas and stock as it goes."""

    def __init__(
        self,
        unit: Unit,
        services: Services,
        head: Heads,
        purse: Purse,
        intents: Mapping[int, Intent],
    ) -> None:
        self._unit, self._services, self._head, self._purse = unit, services, head, purse
        self._intents, self._gas = intents, purse.gas_units
        self._stock, self._fills = dict(purse.stock), dict(purse.fills)
        self._free: dict[tuple[str, str], int] = {}
        begun = [i.id for i in intents.values() if i.state not in (State.PENDING, State.FUNDED)]
        starts = unit.transfers.of(begun, Duty.START)
        self._started = {t.intent_id for t in starts if t.state in _PAID}
        self._sweeping: set[tuple[int, str, str]] | None = None

    def verdict(self, transfer: Transfer) -> Verdict:
        """Decide; an unsigned duty that its intent no longer has is cancelled."""
        intent = self._intents[transfer.intent_id]
        verdict = self._by_duty(transfer, intent)
        if not verdict.sign:
            return verdict
        if self._gas < self._purse.fee_units:
            return self._out_of_gas(transfer.chain)
        self._gas -= self._purse.fee_units
        self._spend(transfer, intent)
        return verdict

    def _by_duty(self, transfer: Transfer, intent: Intent) -> Verdict:
        match transfer.duty:
            case Duty.START:
                return self._start(intent)
            case Duty.FILL:
                return self._fill(intent)
            case Duty.REIMBURSE if intent.state is not State.COMPLETED:
                return Verdict(wait="The fill was undone and must stand again first.")
            case Duty.REIMBURSE if intent.id not in self._started:
                return Verdict(wait="The deposit must be collected again first.")
            case Duty.REFUND:
                return self._refund(transfer, intent)
            case Duty.RETURN_EXCESS:
                return self._give_back(transfer, intent)
        return SIGN

    def _start(self, intent: Intent) -> Verdict:
        terms = intent.terms
        if start_marker(intent) in self._purse.used:
            return Verdict(found=True)
        if intent.state in (State.PENDING, State.EXPIRED, State.REFUNDED):
            return Verdict(cancel=f"Nothing to start: the payment is {intent.state.lower()}.")
        if intent.state is not State.FUNDED:
            return self._start_again(intent)
        margin = timedelta(seconds=self._services.policy.start_margin_seconds)
        if self._head.time + margin >= terms.expires_at:
            return Verdict(
                wait="Too close to expiry to start safely: refunded when it expires.",
                wait_until=terms.expires_at,
            )
        to = terms.destination_chain
        if to in self._purse.silent:
            silent = chain_name(self._services, to)
            return Verdict(wait=f"No answer from {silent}: nothing is promised there.")
        if self._available(intent) < terms.out_units:
            return self._out_of_stock(intent)
        return SIGN if self._fills[to] > 0 else self._out_of_gas(to)

    def _start_again(self, intent: Intent) -> Verdict:
        """The fill is on its way or paid and its start was undone: it must be collected still."""
        if self._head.time < intent.terms.expires_at:
            return SIGN
        return Verdict(fail="the fill was sent, and it is too late to collect the deposit")

    def _fill(self, intent: Intent) -> Verdict:
        terms, purse = intent.terms, self._purse
        if intent.state is not State.INITIATED:
            return Verdict(cancel=f"Nothing to fill: the payment is {intent.state.lower()}.")
        if intent.id not in self._started:
            return Verdict(wait="The start must be confirmed first.")
        if purse.silent & {terms.source_chain, terms.destination_chain}:
            silent = chain_names(self._services, purse.silent)
            return Verdict(wait=f"No answer from {silent}: what happened there comes first.")
        went_back = settle_marker(intent) in purse.used and fill_marker(intent) not in purse.used
        if went_back and not self._claimed(intent):
            return Verdict(fail="the chain shows that the collected deposit went back")
        if self._stock[terms.destination_chain, terms.token_out] < terms.out_units:
            return self._out_of_stock(intent)
        return SIGN

    def _claimed(self, intent: Intent) -> bool:
        claims = self._unit.transfers.of([intent.id], Duty.REIMBURSE)
        return any(t.state in (*_PAID, TransferState.SIGNED) for t in claims)

    def _refund(self, transfer: Transfer, intent: Intent) -> Verdict:
        if transfer.units is not None:
            if intent.relayer_claimed:
                return Verdict(fail="the bridge has repaid the relayer already")
            if intent.id not in self._started:
                return Verdict(wait="The deposit must be collected again first.")
            return SIGN
        if intent.state is not State.EXPIRED:
            return Verdict(cancel=f"Nothing to refund: the payment is {intent.state.lower()}.")
        if start_marker(intent) in self._purse.used:
            return Verdict(revive_start=True)
        if intent.held_units <= 0:
            return Verdict(cancel="Nothing to refund: nothing is held.")
        return self._sweep(transfer)

    def _give_back(self, transfer: Transfer, intent: Intent) -> Verdict:
        terms = intent.terms
        if (transfer.chain, transfer.token) != (terms.source_chain, terms.token_in):
            place = (transfer.chain, transfer.token)
            held = in_books(self._unit, (), intent.id, *place)[Account.HELD] > 0
            if not held:
                return Verdict(cancel="It went back with another transfer.")
            return self._sweep(transfer)
        if intent.state in (State.PENDING, State.FUNDED) or intent.held_units <= 0:
            return Verdict(cancel="Nothing is left to give back.")
        begun = intent.state in (State.INITIATED, State.COMPLETED, State.FAILED)
        if begun and intent.id not in self._started:
            return Verdict(wait="The deposit must be collected again first.")
        if is_dust(self._services, intent, transfer.token, transfer.chain, intent.held_units):
            return Verdict(keep=True)
        return self._sweep(transfer)

    def _sweep(self, transfer: Transfer) -> Verdict:
        """One transaction moves all that lies there: never two at once from one address."""
        own = self._services.chains[transfer.chain].own
        wait, over = earliest(transfer, self._intents[transfer.intent_id], own)
        if self._head.time < over:
            return Verdict(wait=wait, wait_until=max(over, self._services.clock.now() + _SOON))
        if self._sweeping is None:
            of = [t for t in self._unit.transfers.of(list(self._intents)) if t.duty in _SWEEPS]
            signed = [t for t in of if t.units is None and t.state is TransferState.SIGNED]
            self._sweeping = {(t.intent_id, t.chain, t.token) for t in signed}
        place = (transfer.intent_id, transfer.chain, transfer.token)
        if place in self._sweeping:
            return Verdict(wait="Another transfer takes all that lies there along.")
        return SIGN

    def _available(self, intent: Intent) -> int:
        """Stock at the destination that nothing else is promised from."""
        place = (intent.terms.destination_chain, intent.terms.token_out)
        if place not in self._free:
            self._unit.network.lock(f"inventory:{place[0]}")
            self._free[place] = self._stock[place] - self._unit.intents.committed(*place)
        return self._free[place]

    def _spend(self, transfer: Transfer, intent: Intent) -> None:
        place = (intent.terms.destination_chain, intent.terms.token_out)
        if transfer.duty is Duty.START and intent.state is State.FUNDED:
            self._free[place] -= intent.terms.out_units
            self._fills[place[0]] -= 1
        elif transfer.duty is Duty.FILL:
            self._stock[place] -= intent.terms.out_units
        elif transfer.duty in _SWEEPS and transfer.units is None and self._sweeping is not None:
            self._sweeping.add((transfer.intent_id, transfer.chain, transfer.token))

    def _out_of_stock(self, intent: Intent) -> Verdict:
        place, symbol = intent.terms.destination_chain, intent.out_symbol
        wait = f"The relayer's {symbol} on {chain_name(self._services, place)} is short."
        return Verdict(wait=wait, short=f"stock:{place}:{symbol}")

    def _out_of_gas(self, chain_id: str) -> Verdict:
        chain = self._services.catalogue.chains[chain_id]
        return Verdict(
            wait=f"The relayer is out of {chain.native_symbol} for fees on {chain.name}.",
            short=f"gas:{chain_id}",
        )
