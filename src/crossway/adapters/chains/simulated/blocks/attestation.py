"""The attestation service of CCTP: it attests to burns some seconds after their block."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

from sqlalchemy import select, update

from crossway.adapters.chains.simulated.blocks.bridge_events import (
    StoredEvent,
    load_by_payment,
    load_sent_since,
)
from crossway.adapters.chains.simulated.blocks.bridge_faults import ActiveFaults, load_faults
from crossway.adapters.chains.simulated.blocks.bulk_sql import insert_rows
from crossway.adapters.chains.simulated.blocks.derivation import lookup_tag
from crossway.adapters.chains.simulated.blocks.network import ChainSession
from crossway.adapters.chains.simulated.blocks.state import ChainState
from crossway.adapters.chains.simulated.blocks.tables import attestations, blocks, chains
from crossway.adapters.chains.simulated.contracts.cctp_messages import BurnMessage, HookTerms
from crossway.adapters.chains.simulated.contracts.events import EventKind
from crossway.adapters.chains.simulated.contracts.reach import BridgeReach
from crossway.adapters.chains.simulated.contracts.timing import (
    FAST_SECONDS,
    MESSAGE_LIFE_SECONDS,
    REATTEST_SECONDS,
    STANDARD_SECONDS,
)
from crossway.domain.quotes import BridgeName
from crossway.sql.in_values import in_values

FAST, FINAL = 1000, 2000
ALLOWANCE_USED_UP: Final = (
    "Circle's allowance for fast transfers is used up: it attests once the burn is final"
)
FEE_TOO_LOW: Final = (
    "Circle's fee for a fast transfer has risen above what was offered: it attests once the burn "
    "is final"
)


@dataclass(frozen=True, slots=True)
class Attested:
    """A message to which the service attested; it is answered from `ready_at` on."""

    message: BurnMessage
    ready_at: float


@dataclass(frozen=True, slots=True)
class _Execution:
    """How a burn is attested: the finality, the fee, and why not as fast as was asked for."""

    finality: int
    fee: int
    seconds: float
    reason: str = ""


def attest_sent_since(session: ChainSession, height: int) -> None:
    """Attest to what is due among the burns in the blocks from a height on."""
    sent = load_sent_since(session, height)
    if session.facts.reach is not None and sent:
        _attest(session, session.facts.reach, sent)


def attest_payments(session: ChainSession, intent_hashes: Iterable[str]) -> None:
    """Attest to what is due among the burns of these payments."""
    stored = load_by_payment(session, set(intent_hashes))
    sent = [each for events in stored.values() for each in events if _is_burn(each)]
    if session.facts.reach is not None and sent:
        _attest(session, session.facts.reach, sent)


def load_attested(session: ChainSession, name: str) -> list[Attested]:
    """The messages of a payment to which the service attested, oldest first: they are there too
    when their burn was undone since, and it was included again."""
    query = (
        select(attestations)
        .where(attestations.c.tag == lookup_tag(session.facts.id, name))
        .order_by(attestations.c.ready_at)
    )
    rows = session.db.execute(query)
    return [Attested(BurnMessage.parse(row.message), row.ready_at) for row in rows]


def attest_again(session: ChainSession, message: BurnMessage) -> None:
    """Attest anew to an expired message: with the same nonce, for good, as its burn is final."""
    renewed = replace(message, finality_executed=FINAL, fee_executed=0, expiration_block=0)
    session.db.execute(
        update(attestations)
        .where(attestations.c.message_id == message.message_id)
        .values(message=renewed.encode(), ready_at=session.now + REATTEST_SECONDS)
    )


def why_slow(session: ChainSession, sent: BurnMessage, faults: ActiveFaults) -> str:
    """Why a burn that asked for a fast attestation has to wait until it is final."""
    reach = session.facts.reach
    return "" if reach is None else _execution(reach, sent, faults).reason


def _is_burn(stored: StoredEvent) -> bool:
    return stored.event.kind is EventKind.SENT and bool(stored.event.message)


def _attest(session: ChainSession, reach: BridgeReach, sent: Iterable[StoredEvent]) -> None:
    faults = load_faults(session.db, BridgeName.CCTP)
    if faults.silent:
        return
    rows = []
    for stored in sent:
        if not stored.event.message:
            continue
        message = BurnMessage.parse(stored.event.message)
        execution = _execution(reach, message, faults)
        ready_at = stored.event.at + execution.seconds + faults.late_seconds
        if ready_at > session.now:
            continue
        filled = replace(
            message,
            nonce=_nonce(session, stored),
            finality_executed=execution.finality,
            fee_executed=execution.fee,
            expiration_block=_expiration(session, reach, message, execution, faults),
        )
        tag = lookup_tag(session.facts.id, stored.event.intent_hash)
        rows.append((filled.message_id, tag, filled.encode(), ready_at))
    known = select(attestations.c.message_id).where(
        in_values(attestations.c.message_id, [row[0] for row in rows])
    )
    before = set(session.db.scalars(known)) if rows else set()
    insert_rows(session.db, attestations, [row for row in rows if row[0] not in before])


def _execution(reach: BridgeReach, sent: BurnMessage, faults: ActiveFaults) -> _Execution:
    if sent.min_finality > FAST:
        return _Execution(FINAL, 0, STANDARD_SECONDS)
    fee = reach.fast_fee(sent.amount)
    if fee is None:
        # Its blocks are final as fast as others are attested to.
        return _Execution(FINAL, 0, FAST_SECONDS)
    if faults.exhausted_allowance:
        return _Execution(FINAL, 0, STANDARD_SECONDS, ALLOWANCE_USED_UP)
    if fee > sent.max_fee:
        return _Execution(FINAL, 0, STANDARD_SECONDS, FEE_TOO_LOW)
    return _Execution(FAST, fee, FAST_SECONDS)


def _expiration(
    session: ChainSession,
    reach: BridgeReach,
    message: BurnMessage,
    execution: _Execution,
    faults: ActiveFaults,
) -> int:
    """The block of the destination from which on a fast message cannot be delivered."""
    if execution.finality != FAST:
        return 0
    destination = reach.chains[HookTerms.of(message).destination]
    row = session.db.execute(select(chains).where(chains.c.id == destination)).one()
    state = ChainState.of(row)
    tip = state.tip_at(session.now)
    if faults.expired_messages:
        return tip
    return tip + int(MESSAGE_LIFE_SECONDS / state.block_seconds)


def _nonce(session: ChainSession, stored: StoredEvent) -> bytes:
    """A burn that is included again in another block has another nonce."""
    query = select(blocks.c.hash).where(
        blocks.c.chain == session.facts.id, blocks.c.height == stored.height
    )
    block_hash = session.db.execute(query).scalar_one()
    return sha256(f"{session.facts.id} {block_hash} {stored.tx_id}".encode()).digest()
