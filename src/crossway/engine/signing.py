"""Paying what is owed: decide, reserve nonces, sign and store in one transaction, then send."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from crossway.domain.errors import Unreachable
from crossway.domain.intent import Intent, State
from crossway.domain.transfers import (
    Duty,
    Transfer,
    TransferEvent,
    TransferState,
    advance_transfer,
)
from crossway.engine.actions import action_of
from crossway.ports.chain import Chain, Heads, Signed
from crossway.ports.services import Services
from crossway.ports.store import Attempt, TransferChange, Unit
from crossway.usecases.lifecycle import is_dust

BATCH = 2_000
_PAID = (TransferState.CONFIRMED, TransferState.FINAL)
_WAIT_SECONDS = 5


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to do with a due transfer: sign it, wait for a reason, or drop the duty."""

    sign: bool = False
    wait: str = ""
    wait_until: datetime | None = None
    cancel: str = ""


SIGN = Verdict(sign=True)


@dataclass
class Purse:
    """What the relayer can spend: gas on this chain, stock by (chain, token) where it pays."""

    fee_units: int
    gas_units: int
    next_nonce: int
    stock: dict[tuple[str, str], int] = field(default_factory=dict)


def send_due(services: Services, heads: Mapping[str, Heads]) -> int:
    """Sign and send the duties whose time has come on these chains; answers how many."""
    with services.store.read() as unit:
        due = unit.transfers.due(heads.keys(), services.clock.now(), BATCH)
    by_chain: dict[str, list[Transfer]] = defaultdict(list)
    for transfer in due:
        by_chain[transfer.chain].append(transfer)
    sent = 0
    for chain_id, transfers in by_chain.items():
        chain = services.chains[chain_id]
        try:
            purse = _purse(services, chain, transfers)
        except Unreachable:
            continue
        sent += _sign_and_send(services, chain, heads, transfers, purse)
    return sent


def _purse(services: Services, chain: Chain, transfers: Iterable[Transfer]) -> Purse:
    paying = {t.intent_id for t in transfers if t.duty in (Duty.START, Duty.FILL)}
    with services.store.read() as unit:
        places = unit.intents.payouts(paying)
    purse = Purse(
        chain.fee_units(),
        chain.native_balance(chain.own.relayer),
        chain.next_nonce(chain.own.relayer),
    )
    for place in places:
        payer = services.chains[place[0]]
        try:
            held = payer.balances([payer.own.relayer], place[1])
        except Unreachable:
            # What cannot be read cannot be promised: those that need it wait.
            held = {}
        purse.stock[place] = held.get(payer.own.relayer, 0)
    return purse


def _sign_and_send(
    services: Services,
    chain: Chain,
    heads: Mapping[str, Heads],
    transfers: Sequence[Transfer],
    purse: Purse,
) -> int:
    head = heads[chain.id]
    services.reached("before-sign")
    signed = services.store.write(
        lambda unit: _prepare(unit, services, chain, head, transfers, purse)
    )
    if signed:
        services.reached(f"signed:{signed[0][0].value}")
        send(services, chain, [s for _, s in signed])
        services.reached(f"sent:{signed[0][0].value}")
    return len(signed)


def send(services: Services, chain: Chain, signed: Sequence[Signed]) -> None:
    """Broadcast stored bytes; no answer is no failure, the status sweep asks again."""
    try:
        chain.broadcast(signed)
    except Unreachable:
        services.reached("broadcast-unanswered")


def _prepare(
    unit: Unit,
    services: Services,
    chain: Chain,
    head: Heads,
    transfers: Sequence[Transfer],
    purse: Purse,
) -> list[tuple[Duty, Signed]]:
    now = services.clock.now()
    ids = [transfer.id for transfer in transfers]
    due = unit.transfers.lock_in(ids, TransferState.DUE)
    locked = [transfer for transfer in transfers if transfer.id in due]
    intents = unit.intents.of({t.intent_id for t in locked})
    judge = Judge(unit, services, head, purse, intents)
    verdicts = [(transfer, judge.verdict(transfer)) for transfer in locked]
    to_sign = [transfer for transfer, verdict in verdicts if verdict.sign]
    signed: Sequence[Signed] = ()
    if to_sign:
        first = unit.transfers.reserve_nonces(
            chain.id, chain.own.relayer, len(to_sign), purse.next_nonce
        )
        actions = [
            (action_of(t, intents[t.intent_id], chain.own), first + i)
            for i, t in enumerate(to_sign)
        ]
        signed = chain.sign(actions, purse.fee_units)
    of = {transfer.id: s for transfer, s in zip(to_sign, signed, strict=True)}
    unit.transfers.change([_change(t, v, of.get(t.id), now) for t, v in verdicts], now)
    unit.transfers.add_attempts(
        [Attempt(i, chain.id, chain.own.relayer, s, now) for i, s in of.items()]
    )
    return [(transfer.duty, of[transfer.id]) for transfer in to_sign]


def _change(
    transfer: Transfer, verdict: Verdict, signed: Signed | None, now: datetime
) -> TransferChange:
    if signed is not None:
        after, reason, next_at = advance_transfer(transfer.state, TransferEvent.SIGN), "", now
    elif verdict.cancel:
        after = advance_transfer(transfer.state, TransferEvent.CANCEL)
        reason, next_at = verdict.cancel, now
    else:
        after, reason = transfer.state, verdict.wait
        next_at = verdict.wait_until or now + timedelta(seconds=_WAIT_SECONDS)
    return TransferChange(
        id=transfer.id,
        before=transfer.state,
        after=after,
        tries=transfer.tries,
        reason=reason,
        next_at=next_at,
        tx_id=signed.tx_id if signed else None,
        block_height=None,
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
        self._unit, self._services, self._head = unit, services, head
        self._intents, self._fee = intents, purse.fee_units
        self._gas, self._stock = purse.gas_units, dict(purse.stock)
        self._free: dict[tuple[str, str], int] = {}
        starts = unit.transfers.of(
            [i.id for i in intents.values() if i.state is State.INITIATED], Duty.START
        )
        self._started = {t.intent_id for t in starts if t.state in _PAID}

    def verdict(self, transfer: Transfer) -> Verdict:
        """Sign, wait or cancel; an unsigned duty that its intent no longer has is cancelled."""
        intent = self._intents[transfer.intent_id]
        verdict = self._by_duty(transfer, intent)
        if not verdict.sign:
            return verdict
        if self._gas < self._fee:
            chain = self._services.catalogue.chains[transfer.chain]
            return Verdict(
                wait=f"The relayer is out of {chain.native_symbol} for fees on {chain.id}."
            )
        self._gas -= self._fee
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
            case Duty.REFUND if transfer.units is None and intent.state is not State.EXPIRED:
                return Verdict(cancel=f"Nothing to refund: the intent is {intent.state}.")
            case Duty.RETURN_EXCESS:
                return self._give_back(transfer, intent)
        return SIGN

    def _start(self, intent: Intent) -> Verdict:
        terms = intent.terms
        if intent.state is not State.FUNDED:
            return Verdict(cancel=f"Nothing to start: the intent is {intent.state}.")
        margin = timedelta(seconds=self._services.policy.start_margin_seconds)
        if self._head.time + margin >= terms.expires_at:
            return Verdict(
                wait="Too close to expiry to start safely: refunded when it expires.",
                wait_until=terms.expires_at,
            )
        if self._available(intent) < terms.out_units:
            return Verdict(
                wait=f"The relayer's {intent.out_symbol} on {terms.destination_chain} is short."
            )
        return SIGN

    def _fill(self, intent: Intent) -> Verdict:
        if intent.state is not State.INITIATED:
            return Verdict(cancel=f"Nothing to fill: the intent is {intent.state}.")
        if intent.id not in self._started:
            return Verdict(wait="The start must be confirmed first.")
        terms = intent.terms
        if self._stock[terms.destination_chain, terms.token_out] < terms.out_units:
            return Verdict(
                wait=f"The relayer's {intent.out_symbol} on {terms.destination_chain} is short."
            )
        return SIGN

    def _give_back(self, transfer: Transfer, intent: Intent) -> Verdict:
        terms = intent.terms
        if (transfer.chain, transfer.token) != (terms.source_chain, terms.token_in):
            waiting = self._unit.deposits.open_foreign([intent.id])
            held = any(
                (d.incoming.chain, d.incoming.token) == (transfer.chain, transfer.token)
                for d in waiting
            )
            return SIGN if held else Verdict(cancel="It went back with another transfer.")
        if intent.state in (State.PENDING, State.FUNDED) or intent.held_units <= 0:
            return Verdict(cancel="Nothing is left to give back.")
        if is_dust(self._services, intent, transfer.token, transfer.chain, intent.held_units):
            return Verdict(cancel="Kept: it is worth less than the network's fee.")
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
        if transfer.duty is Duty.START:
            self._free[place] -= intent.terms.out_units
        elif transfer.duty is Duty.FILL:
            self._stock[place] -= intent.terms.out_units


def bump(services: Services, chain: Chain, stuck: Sequence[Attempt]) -> None:
    """Offer more for transactions that wait too long: the same nonce, a higher fee."""
    fee = max([chain.fee_units(), *(a.signed.fee_units * 5 // 4 + 1 for a in stuck)])

    def work(unit: Unit) -> Sequence[Signed]:
        now = services.clock.now()
        locked = unit.transfers.lock([attempt.transfer_id for attempt in stuck])
        still = [
            (locked[a.transfer_id], a)
            for a in stuck
            if a.transfer_id in locked and locked[a.transfer_id].state is TransferState.SIGNED
        ]
        intents = unit.intents.of({transfer.intent_id for transfer, _ in still})
        signed = chain.sign(
            [(action_of(t, intents[t.intent_id], chain.own), a.signed.nonce) for t, a in still],
            fee,
        )
        replaced = [(t, s) for (t, _), s in zip(still, signed, strict=True)]
        unit.transfers.add_attempts(
            [Attempt(t.id, chain.id, chain.own.relayer, s, now) for t, s in replaced]
        )
        unit.transfers.change([_replaced(t, s, now) for t, s in replaced], now)
        return signed

    send(services, chain, services.store.write(work))


def _replaced(transfer: Transfer, signed: Signed, now: datetime) -> TransferChange:
    after = advance_transfer(transfer.state, TransferEvent.REPLACE)
    return TransferChange(
        transfer.id, transfer.state, after, transfer.tries,
        "It waited too long: sent again with a higher fee.", now, signed.tx_id, None,
    )  # fmt: skip
