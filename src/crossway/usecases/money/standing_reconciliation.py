"""Compare what is at standing addresses with the books."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from crossway.domain.standing import StandingDeposit, StandingState
from crossway.ports.chain import Chain
from crossway.ports.services import Services
from crossway.usecases.money.inventory_adjustments import TRANSIENT
from crossway.usecases.money.reconciliation_findings import NOT_SEEN, Reconciliation, new_difference

BATCH_SIZE: Final = 500
RETURNED: Final = (
    "Somebody returned a deposit, as the contract lets anyone, or a node returns an old state.",
    "It is booked within minutes of being final. If it stays, compare the address in the block "
    "explorer with its deposits.",
)
_ON_THE_WAY: Final = (StandingState.FORWARDING, StandingState.RETURNING)


def compare_standing(services: Services, chain: Chain, result: Reconciliation) -> None:
    """Add what the balances of standing addresses differ from the books, where the books have
    deposits there. Those that are not confirmed, or on their way, explain what is theirs. Raises
    `Unreachable`."""
    first = 0
    while chain.standing is not None:
        with services.store.read() as unit:
            numbers = unit.standing.list_paid_to(chain.id, first, BATCH_SIZE)
            deposits = unit.standing.list_there(chain.id, numbers)
            known = unit.standing.get_many(numbers)
        by_token: dict[str, dict[str, list[StandingDeposit]]] = defaultdict(dict)
        for deposit in deposits:
            at = known[deposit.number].address
            by_token[deposit.incoming.token].setdefault(at, []).append(deposit)
        for token, at_addresses in by_token.items():
            on_chain = chain.balances(at_addresses, token)
            for address, there in at_addresses.items():
                _compare(services, (chain.id, address, token), there, on_chain[address], result)
        if len(numbers) < BATCH_SIZE:
            return
        first = numbers[-1] + 1


def _compare(
    services: Services,
    key: tuple[str, str, str],
    there: Sequence[StandingDeposit],
    on_chain: int,
    result: Reconciliation,
) -> None:
    seen = _sum(there, (StandingState.SEEN,))
    booked = sum(deposit.incoming.amount for deposit in there) - seen
    if on_chain == booked:
        return
    explained = -_sum(there, _ON_THE_WAY) <= on_chain - booked <= seen
    reason = TRANSIENT if explained else NOT_SEEN if on_chain > booked else RETURNED
    result.differences.append(new_difference(services, key, booked, on_chain, "standing", reason))


def _sum(deposits: Sequence[StandingDeposit], states: Sequence[StandingState]) -> int:
    return sum(deposit.incoming.amount for deposit in deposits if deposit.state in states)
