"""Finds the nonces that keep an account's later transactions waiting, and has unused ones skipped.

A block takes an account's transactions in the order of their nonces. One that no transaction uses,
or whose transaction is never included, would stop every later payment on that chain.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from crossway.domain.errors import Unreachable
from crossway.domain.outbound import OutboundTxKind
from crossway.engine.alerts import describe_outbound_tx, raise_alert
from crossway.engine.tx_builder import skip_cause
from crossway.engine.tx_tracker import STUCK_SECONDS
from crossway.ports.chain import Chain, ChainHead
from crossway.ports.records import NewOutboundTx, PendingNonce
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.supported_chains import chain_name

CHECK_INTERVAL: Final = timedelta(seconds=STUCK_SECONDS)
ALERT_AFTER: Final = timedelta(minutes=2)
_MAX_SKIPPED: Final = 50


class NonceMonitor:
    """Checks each chain at intervals, while one of its transactions waits for long."""

    def __init__(self, services: Services, interval: timedelta = CHECK_INTERVAL) -> None:
        """`interval` is how long a transaction waits, and the time between checks."""
        self._services, self._interval = services, interval
        self._checked_at: dict[str, datetime] = {}

    def check(self, heads: Mapping[str, ChainHead]) -> int:
        """Have unused nonces skipped and raise alerts on these chains; returns how many nonces."""
        services, now = self._services, self._services.clock.machine()
        due = [
            chain_id
            for chain_id in heads
            if services.chains[chain_id].has_nonces
            and abs(now - self._checked_at.get(chain_id, datetime.min.replace(tzinfo=now.tzinfo)))
            >= self._interval
        ]
        self._checked_at.update(dict.fromkeys(due, now))
        waits_since = services.clock.now() - self._interval
        with services.store.read() as unit:
            slow = unit.account_nonces.find_waiting_chains(due, waits_since) if due else set()
        accounts = [
            (services.chains[chain_id], account)
            for chain_id in slow
            for account in services.chains[chain_id].accounts.senders
        ]
        return sum(_check_account(services, chain, account) for chain, account in accounts)


def _check_account(services: Services, chain: Chain, account: str) -> int:
    try:
        next_nonce = chain.next_nonce(account)
    except Unreachable:
        return 0
    with services.store.read() as unit:
        pending = _read_pending(unit, chain, account)
    holder = pending.get(next_nonce)
    if holder is None:
        return services.store.write(
            lambda unit: _skip_unused(unit, services, chain, account, next_nonce)
        )
    is_slow = services.clock.now() - holder.signed_at >= ALERT_AFTER
    blocked_count = len([nonce for nonce in pending if nonce > next_nonce])
    if is_slow and blocked_count:
        reason = _why_waiting(services, chain, holder)
        message = _describe(services, chain, account, next_nonce, blocked_count) + reason
        services.store.write(lambda unit: _raise(unit, services, chain, message))
    return 0


def _read_pending(unit: UnitOfWork, chain: Chain, account: str) -> dict[int, PendingNonce]:
    pending = unit.account_nonces.list_pending(chain.id)
    return {one.nonce: one for one in pending if one.account == account}


def _skip_unused(
    unit: UnitOfWork, services: Services, chain: Chain, account: str, next_nonce: int
) -> int:
    """Enqueue a transaction for each reserved nonce that none uses; returns how many."""
    now = services.clock.now()
    # Nobody reserves nonces meanwhile: this locks the account.
    unit.account_nonces.reserve(chain.id, account, 0, next_nonce)
    nonce_range = unit.account_nonces.get_range(chain.id, account)
    pending = _read_pending(unit, chain, account)
    blocked = [pending[nonce] for nonce in sorted(pending) if nonce > next_nonce]
    if nonce_range is None or not blocked or next_nonce in pending:
        return 0
    unused = [n for n in range(next_nonce, nonce_range[1]) if n not in pending][:_MAX_SKIPPED]
    skips = _skips(services, chain, account, blocked[0].intent_id, unused)
    unit.outbound_txs.enqueue(skips, now)
    message = _describe(services, chain, account, next_nonce, len(blocked))
    message += "No transaction uses it: one that moves nothing is sent with it."
    _raise(unit, services, chain, message)
    return len(unused)


def _skips(
    services: Services, chain: Chain, account: str, intent_id: int, nonces: Sequence[int]
) -> list[NewOutboundTx]:
    """The transactions that use these nonces, on account of the first payment that waits."""
    native, now = services.catalogue.native_token(chain.id), services.clock.now()
    kind, causes = (
        OutboundTxKind.SKIP_NONCE,
        [skip_cause(nonce, account, chain.accounts.relayer) for nonce in nonces],
    )
    return [
        NewOutboundTx(intent_id, kind, cause, chain.id, native, 0, account, now) for cause in causes
    ]


def _why_waiting(services: Services, chain: Chain, holder: PendingNonce) -> str:
    """Why the transaction that has the lowest nonce is not included, from the chain's nodes."""
    subject = describe_outbound_tx(holder.kind, holder.intent_id)
    with services.store.read() as unit:
        attempts = unit.outbound_txs.list_attempts([holder.outbound_tx_id])
    signed = [attempt.signed for attempt in attempts if attempt.signed.tx_id == holder.tx_id]
    try:
        (error,) = chain.broadcast(signed) or ("",)
    except Unreachable as unreachable:
        return f"{subject} has it, and no node takes it: {unreachable}"
    if error:
        return f"{subject} has it, and the node refuses it: {error}"
    return f"{subject} has it and waits for a block."


def _describe(
    services: Services, chain: Chain, account: str, nonce: int, blocked_count: int
) -> str:
    blocked = "1 transaction" if blocked_count == 1 else f"{blocked_count} transactions"
    whose = chain.accounts.name_sender(account)
    return f"Nonce {nonce} of {whose} on {chain_name(services, chain.id)} blocks {blocked}. "


def _raise(unit: UnitOfWork, services: Services, chain: Chain, message: str) -> None:
    raise_alert(unit, services, f"nonce:{chain.id}", "nonce", chain.id, message)
