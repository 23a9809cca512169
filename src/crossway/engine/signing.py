"""Paying what is owed: judge, reserve nonces, sign and store in one transaction, then send."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from crossway.domain.errors import Unreachable
from crossway.domain.transfers import (
    Duty,
    Transfer,
    TransferEvent,
    TransferState,
    advance_transfer,
)
from crossway.engine.actions import action_of
from crossway.engine.alarms import alarm
from crossway.engine.isolation import in_one_go
from crossway.engine.judging import Judge, Purse, Verdict, purse_of
from crossway.engine.naming import called, chain_name
from crossway.engine.outcomes import dropped_duty, found_done
from crossway.ports.chain import Chain, Heads, Signed
from crossway.ports.records import Attempt, TransferChange
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.payments.lifecycle import KEPT, Step

BATCH = 2_000
_WAIT_SECONDS = 5
# What is offered for a stuck transaction: at most this many times what the chain asks for now.
_MOST_FEE_FACTOR = 2
Judged = Sequence[tuple[Transfer, Verdict]]


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
            purse = purse_of(services, chain, heads[chain_id], transfers)
        except Unreachable:
            continue
        sent += _sign_and_send(services, chain, heads, transfers, purse)
    return sent


def _sign_and_send(
    services: Services,
    chain: Chain,
    heads: Mapping[str, Heads],
    transfers: Sequence[Transfer],
    purse: Purse,
) -> int:
    def prepare(some: Sequence[Transfer]) -> list[tuple[Duty, Signed]]:
        return services.store.write(
            lambda unit: _prepare(unit, services, chain, heads[chain.id], some, purse)
        )

    services.reached("before-sign")
    prepared = in_one_go(services, "signing", transfers, lambda t: t.intent_id, prepare)
    signed = [one for part in prepared for one in part]
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
    due = unit.transfers.lock_in([t.id for t in transfers], TransferState.DUE)
    locked = [transfer for transfer in transfers if transfer.id in due]
    intents = unit.intents.of({t.intent_id for t in locked})
    judge = Judge(unit, services, head, purse, intents)
    judged = [(transfer, judge.verdict(transfer)) for transfer in locked]
    _tell(unit, services, chain, purse, judged)
    to_sign = [transfer for transfer, verdict in judged if verdict.sign]
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
    unit.transfers.change([_change(t, v, of.get(t.id), now) for t, v in judged], now)
    unit.transfers.add_attempts(
        [Attempt(i, chain.id, chain.own.relayer, s, now) for i, s in of.items()]
    )
    _follow_verdicts(unit, services, chain, head, judged, now)
    return [(transfer.duty, of[transfer.id]) for transfer in to_sign]


def _tell(unit: Unit, services: Services, chain: Chain, purse: Purse, judged: Judged) -> None:
    """Alarms for what is short, and for transactions of our account that we did not sign."""
    for transfer, verdict in judged:
        if verdict.short:
            kind, _, subject = verdict.short.partition(":")
            alarm(unit, services, verdict.short, kind, subject, verdict.wait)
        elif verdict.fail:
            message = f"{called(transfer.duty, transfer.intent_id)} failed: {verdict.fail}"
            key = f"transfer:{transfer.id}"
            alarm(unit, services, key, "transfer", str(transfer.intent_id), message)
    tell_outsiders(unit, services, chain, purse.next_nonce)


def _transactions(number: int) -> str:
    return "a transaction" if number == 1 else f"{number} transactions"


def tell_outsiders(unit: Unit, services: Services, chain: Chain, next_nonce: int) -> None:
    """The chain has seen nonces of our account that these books never gave away."""
    span = unit.transfers.nonce_span(chain.id, chain.own.relayer)
    if span is None:
        unit.transfers.reserve_nonces(chain.id, chain.own.relayer, 0, next_nonce)
    elif next_nonce > span[1]:
        alarm(
            unit, services, f"outside:{chain.id}", "outside", chain.id,
            f"The relayer's account on {chain_name(services, chain.id)} made "
            f"{_transactions(next_nonce - span[1])} that the books do not have: compare the books "
            "with the chains.",
        )  # fmt: skip


def _follow_verdicts(
    unit: Unit, services: Services, chain: Chain, head: Heads, judged: Judged, now: datetime
) -> None:
    """What verdicts other than signing mean for intents and books."""
    told = [(t, v) for t, v in judged if v.found or v.fail or v.keep or v.revive_start]
    if not told:
        return
    step = Step(services, now, unit.intents.lock({t.intent_id for t, _ in told}))
    for transfer, verdict in told:
        if verdict.found:
            found_done(unit, step, chain, transfer, head)
        else:
            dropped_duty(unit, step, transfer, fail=verdict.fail, keep=verdict.keep)
    step.store(unit)


def _change(
    transfer: Transfer, verdict: Verdict, signed: Signed | None, now: datetime
) -> TransferChange:
    event, reason, next_at = None, verdict.wait, now + timedelta(seconds=_WAIT_SECONDS)
    if signed is not None:
        event = TransferEvent.SIGN
    elif verdict.found:
        event, reason = TransferEvent.FOUND, "The chain shows that it was done before."
    elif verdict.fail:
        event, reason = TransferEvent.GIVE_UP, verdict.fail
    elif verdict.cancel or verdict.keep or verdict.revive_start:
        event, reason = TransferEvent.CANCEL, verdict.cancel or (KEPT if verdict.keep else _STARTED)
    return TransferChange(
        id=transfer.id,
        before=transfer.state,
        after=transfer.state if event is None else advance_transfer(transfer.state, event),
        tries=transfer.tries,
        reason=reason,
        next_at=next_at if event is None and verdict.wait_until is None
        else verdict.wait_until or now,
        tx_id=signed.tx_id if signed else None,
        block_height=None,
    )  # fmt: skip


_STARTED = "The chain shows that the payment was started: nothing to give back."


def bump(services: Services, chain: Chain, stuck: Sequence[Attempt]) -> None:
    """Offer more for transactions that wait too long: the same nonce, a higher fee.

    One that offers well more than the chain asks for is not stuck for its fee: it is left alone,
    or its fee would grow without end.
    """
    asked = chain.fee_units()
    poor = [a for a in stuck if a.signed.fee_units < _MOST_FEE_FACTOR * asked]
    if not poor:
        return
    fee = max([asked, *(a.signed.fee_units * 5 // 4 + 1 for a in poor)])

    def work(unit: Unit) -> Sequence[Signed]:
        now = services.clock.now()
        locked = unit.transfers.lock([attempt.transfer_id for attempt in poor])
        still = [
            (locked[a.transfer_id], a)
            for a in poor
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
