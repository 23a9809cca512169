"""Decides on due transactions of deposits at standing addresses."""

from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import Final

from crossway.domain.outbound import STANDING_KINDS, OutboundTx, OutboundTxKind
from crossway.domain.standing import StandingState
from crossway.engine.agency import describe_missing_agent
from crossway.engine.outbound_decision import SIGN, Decision
from crossway.engine.return_limits import ReturnLimits
from crossway.ports.chain import Chain, ChainHead
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.agents import agent_alert_key
from crossway.usecases.payments.standing_calls import StandingRecords, load_records

_MARGIN: Final = timedelta(seconds=60)
_RETRY: Final = timedelta(minutes=1)
_TOO_LATE: Final = "Too late to forward it before its payment expires: it goes back then."
_STATES: Final = {
    OutboundTxKind.FORWARD: StandingState.FORWARDING,
    OutboundTxKind.RECOVER: StandingState.RETURNING,
}


def read_moved(services: Services, chain: Chain, txs: Sequence[OutboundTx]) -> set[int]:
    """Those of the transactions whose deposit has left its standing address already, as the chain
    shows. Raises `Unreachable`."""
    if chain.standing is None or not any(tx.kind in STANDING_KINDS for tx in txs):
        return set()
    with services.store.read() as unit:
        records = load_records(unit, txs)
    markers = {
        chain.standing.marker(one.address.standing_hash, one.deposit.deposit_id): tx_id
        for tx_id, one in records.items()
    }
    return {markers[marker] for marker in chain.executed(markers)}


class StandingPlanner:
    """Decides on transactions in order."""

    def __init__(
        self,
        unit: UnitOfWork,
        services: Services,
        head: ChainHead,
        moved: Collection[int],
        authorized: Collection[str],
        limits: ReturnLimits,
    ) -> None:
        self._unit, self._services, self._head = unit, services, head
        self._limits = limits
        self._moved, self._authorized = moved, authorized
        self._records: Mapping[int, StandingRecords] = {}

    def decide(self, tx: OutboundTx) -> Decision:
        """The decision on one: it is made once, by an agent of the coordinator, and a deposit is
        forwarded in time for its payment."""
        if tx.id not in self._records:
            self._records = {**self._records, **load_records(self._unit, [tx])}
        one = self._records.get(tx.id)
        if one is None or one.deposit.state is not _STATES[tx.kind]:
            return Decision(cancel_reason="Nothing to move: the deposit has ended otherwise.")
        if tx.id in self._moved:
            return Decision(already_done=True)
        expiry = one.intent.terms.expires_at if one.intent is not None else None
        is_forward = tx.kind is OutboundTxKind.FORWARD
        if is_forward and (expiry is None or self._head.time + _MARGIN >= expiry):
            return Decision(wait_reason=_TOO_LATE, wait_until=expiry)
        coordinator = one.address.terms.coordinator
        accounts = self._services.chains[tx.chain].accounts
        if not accounts.is_coordinator(coordinator) and coordinator not in self._authorized:
            return Decision(
                wait_reason=describe_missing_agent(self._services, tx.chain, coordinator),
                wait_until=self._services.clock.now() + _RETRY,
                alert_key=agent_alert_key(tx.chain, coordinator),
            )
        # Whoever knows the address can have us return money again and again, as from any other.
        limit = None if is_forward else self._limits.wait_for_budget(tx, None, tx.amount or 0)
        return limit or SIGN
