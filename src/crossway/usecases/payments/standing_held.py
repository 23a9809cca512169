"""What the books have at standing addresses, and what somebody else has returned of it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from crossway.domain.ledger import Account
from crossway.domain.outbound import OutboundTxKind, OutboundTxState
from crossway.domain.standing import StandingDeposit, StandingState
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.lifecycle import IntentBatch

RETURNED_BY_OTHERS: Final = (
    "Somebody else sent it to the recovery address, as its contract lets anyone."
)
BY_OTHERS_TX: Final = "standing:returned by others"
"""What caused a posting of such a return, whose transaction is not looked for."""
_TO_MOVE: Final = (StandingState.WAITING, StandingState.FORWARDING, StandingState.RETURNING)
_ON_THE_WAY: Final = (StandingState.FORWARDING, StandingState.RETURNING)

Place = tuple[int, str]
"""The number of a standing address, and a token."""


@dataclass(frozen=True, slots=True)
class HeldThere:
    """The deposits of one token at a standing address, oldest first. Those that are `resting` are
    there; `unsettled` ones may not be there yet, or have left by a transaction of ours."""

    address: str
    resting: tuple[StandingDeposit, ...]
    unsettled: tuple[StandingDeposit, ...]

    @property
    def units(self) -> int:
        """What must be there at the least."""
        return sum(deposit.incoming.amount for deposit in self.resting)

    @property
    def units_to_move(self) -> int:
        """What must be there for all that is to be moved: whoever returns dust, which is not, holds
        nothing up by that."""
        to_move = (d.incoming.amount for d in self.resting if d.state in _TO_MOVE)
        return sum(to_move)

    def find_returned(self, units: int) -> tuple[StandingDeposit, ...]:
        """The deposits that were returned where this much is missing: the oldest, which the
        contract takes to leave first. Empty where no number of them makes it up."""
        returned: list[StandingDeposit] = []
        for deposit in self.resting:
            if units <= 0:
                break
            units -= deposit.incoming.amount
            returned.append(deposit)
        return () if units else tuple(returned)


def read_held(unit: UnitOfWork, chain: str, numbers: Collection[int]) -> Mapping[Place, HeldThere]:
    """What the books have at these standing addresses on a chain."""
    deposits = unit.standing.list_there(chain, numbers)
    addresses = unit.standing.get_many({deposit.number for deposit in deposits})
    on_the_way = [deposit.owner for deposit in deposits if deposit.state in _ON_THE_WAY]
    signed = {
        tx.intent_id
        for tx in unit.outbound_txs.list_by_intents(on_the_way)
        if tx.state is OutboundTxState.SIGNED
    }
    places: dict[Place, tuple[list[StandingDeposit], list[StandingDeposit]]] = {}
    for deposit in deposits:
        key = deposit.number, deposit.incoming.token
        is_unsettled = deposit.state is StandingState.SEEN or deposit.owner in signed
        places.setdefault(key, ([], []))[is_unsettled].append(deposit)
    return {
        (number, token): HeldThere(addresses[number].address, tuple(resting), tuple(unsettled))
        for (number, token), (resting, unsettled) in places.items()
    }


def book_returned_by_others(
    unit: UnitOfWork, services: Services, returned: Sequence[StandingDeposit]
) -> int:
    """Book that these deposits were sent to their recovery addresses by somebody else; those that
    have changed since they were read are left. Returns how many were booked. A transaction of ours
    that was to move one is cancelled when it is due, and its payment expires unpaid."""
    now = services.clock.now()
    locked = unit.standing.lock_deposits([deposit.id for deposit in returned])
    current = [deposit for deposit in returned if locked.get(deposit.id) == deposit]
    batch, after = IntentBatch(services, now, {}), StandingState.RETURNED
    for deposit in current:
        incoming = deposit.incoming
        leg = (Account.PAYER, Account.STANDING, incoming.amount)
        batch.add_postings(deposit.owner, incoming.chain, incoming.token, BY_OTHERS_TX, leg)
    unit.standing.update_deposits(
        [(d, replace(d, state=after, reason=RETURNED_BY_OTHERS, updated_at=now)) for d in current]
    )
    owners = [deposit.owner for deposit in current]
    failed = unit.outbound_txs.list_by_intents(owners, OutboundTxKind.RECOVER)
    unit.alerts.resolve([f"transfer:{tx.id}" for tx in failed], now)
    batch.store(unit)
    return len(current)
