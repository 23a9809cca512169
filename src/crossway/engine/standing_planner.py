"""Decides on due transactions of deposits at standing addresses."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
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
from crossway.usecases.payments.claims import ANYONE_MAY
from crossway.usecases.payments.standing_calls import StandingRecords, load_records
from crossway.usecases.payments.standing_held import HeldThere, Place, read_held

_MARGIN: Final = timedelta(seconds=60)
_RETRY: Final = timedelta(minutes=1)
_TOO_LATE: Final = "Too late to forward it before its payment expires: it goes back then."
_SHORT: Final = (
    "The standing address holds less than its deposits: somebody may have returned one. It is "
    "waited until that is final."
)
_STATES: Final = {
    OutboundTxKind.FORWARD: StandingState.FORWARDING,
    OutboundTxKind.RECOVER: StandingState.RETURNING,
}


@dataclass(frozen=True, slots=True)
class Departures:
    """What the chain shows of deposits that due transactions are to move: `moved` are those of
    which the deposit has left its standing address, `short` those at whose address and in whose
    token there is less than all that is to be moved."""

    moved: Collection[int] = ()
    short: Collection[int] = ()


def read_departures(services: Services, chain: Chain, txs: Sequence[OutboundTx]) -> Departures:
    """Read it, as the chain is now. Raises `Unreachable`."""
    if chain.standing is None or not any(tx.kind in STANDING_KINDS for tx in txs):
        return Departures()
    with services.store.read() as unit:
        records = load_records(unit, txs)
        held = read_held(unit, chain.id, {one.address.number for one in records.values()})
    markers = {
        chain.standing.marker(one.address.standing_hash, one.deposit.deposit_id): tx_id
        for tx_id, one in records.items()
    }
    moved = {markers[marker] for marker in chain.executed(markers)}
    places = {
        tx_id: (one.address.number, one.deposit.incoming.token) for tx_id, one in records.items()
    }
    short = _find_short(chain, {key: held[key] for key in held.keys() & set(places.values())})
    return Departures(moved, {tx_id for tx_id, place in places.items() if place in short})


def _find_short(chain: Chain, held: Mapping[Place, HeldThere]) -> set[Place]:
    by_token: dict[str, list[str]] = defaultdict(list)
    for (_, token), there in held.items():
        by_token[token].append(there.address)
    balances = {token: chain.balances(at, token) for token, at in by_token.items()}
    return {
        key for key, there in held.items() if balances[key[1]][there.address] < there.units_to_move
    }


class StandingPlanner:
    """Decides on transactions in order."""

    def __init__(
        self,
        unit: UnitOfWork,
        services: Services,
        head: ChainHead,
        departures: Departures,
        authorized: Collection[str],
        limits: ReturnLimits,
    ) -> None:
        self._unit, self._services, self._head = unit, services, head
        self._departures, self._authorized, self._limits = departures, authorized, limits
        self._records: Mapping[int, StandingRecords] = {}

    def decide(self, tx: OutboundTx) -> Decision:
        """The decision on one: it is made once, by an agent of the coordinator, and a deposit is
        forwarded in time for its payment."""
        if tx.id not in self._records:
            self._records = {**self._records, **load_records(self._unit, [tx])}
        one = self._records.get(tx.id)
        if one is None or one.deposit.state is not _STATES[tx.kind]:
            return Decision(cancel_reason="Nothing to move: the deposit has ended otherwise.")
        if tx.id in self._departures.moved:
            return Decision(already_done=True)
        expiry = one.intent.terms.expires_at if one.intent is not None else None
        is_forward = tx.kind is OutboundTxKind.FORWARD
        if is_forward and (expiry is None or self._head.time + _MARGIN >= expiry):
            return Decision(wait_reason=_TOO_LATE, wait_until=expiry)
        if tx.id in self._departures.short:
            again = self._services.clock.now() + _RETRY
            return Decision(wait_reason=_SHORT, wait_until=again)
        coordinator = one.address.terms.coordinator
        accounts = self._services.chains[tx.chain].accounts
        if not accounts.is_coordinator(coordinator) and coordinator not in self._authorized:
            return Decision(
                wait_reason=describe_missing_agent(self._services, tx.chain, coordinator),
                wait_until=self._services.clock.now() + _RETRY,
                alert_key=agent_alert_key(tx.chain, coordinator),
            )
        return SIGN if is_forward else self._wait_for_budget(tx) or SIGN

    def _wait_for_budget(self, tx: OutboundTx) -> Decision | None:
        """Whoever knows the address can have us return money again and again, as from any other.
        Not anyone can return this on chain at once, though."""
        limit = self._limits.wait_for_budget(tx, None, tx.amount or 0)
        if limit is None:
            return None
        return replace(limit, wait_reason=limit.wait_reason.removesuffix(f" {ANYONE_MAY}"))
