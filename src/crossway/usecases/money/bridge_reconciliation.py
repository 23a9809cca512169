"""Compare the books of bridges with open transfers and with what bridges' contracts have."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from crossway.domain.bridge_transfer import BridgeTransferState
from crossway.domain.intent import Intent
from crossway.domain.inventory_transfer import InventoryTransfer
from crossway.domain.ledger import Account, BalanceKey
from crossway.ports.chain import Chain
from crossway.ports.services import Services
from crossway.usecases.chains.supported_chains import chain_name
from crossway.usecases.money.inventory_adjustments import TRANSIENT, format_amount
from crossway.usecases.money.reconciliation_findings import Difference, Reconciliation

S = BridgeTransferState
ON_THE_WAY: Final = (S.SEEN, S.DELAYED, S.OVERDUE, S.HALTED, S.CLAIMABLE, S.EXPIRED)
"""The states in which a deposit has left its chain and has not arrived, by the books."""
COLLECTED: Final = (S.COLLECTED, S.GIVING_BACK)
"""Those in which it lies in the bridge's contract on its own chain."""
_READ: Final = (*ON_THE_WAY, *COLLECTED, S.PARKED)
_MAX_OPEN: Final = 5_000
_WITHDRAWN: Final = (
    "The coordinator withdrew from a bridge's contract without an entry in the books, or something "
    "arrived that the engine has not seen.",
    "Compare the contract's withdrawals in the block explorer with the books.",
)
_NOT_OPEN: Final = (
    "A bridge transfer was changed without its postings, or the reverse.",
    "Compare the payments that are on their way with their postings; then report it as a fault.",
)
_RELEASED: Final = (
    "Somebody released parked money, or parked more, and the engine has not seen it.",
    "Check on the Chains page that this chain responds; then reconcile again.",
)
_SENTENCES: Final[Mapping[Account, str]] = {
    Account.IN_TRANSIT: "On its way over bridges from {chain} are {found}; the books say {booked}.",
    Account.OWED: (
        "The contracts of bridges on {chain} owe the coordinator {found}; the books say {booked}."
    ),
    Account.PARKED: (
        "The contracts of bridges on {chain} have parked {found} for recipients; the books say "
        "{booked}."
    ),
}


@dataclass(frozen=True, slots=True)
class OpenTransfers:
    """The payments whose money is neither at its deposit address nor paid out, and the books read
    together with them."""

    states: Mapping[int, BridgeTransferState]
    intents: Mapping[int, Intent]
    balances: Mapping[BalanceKey, int]
    inventory: Sequence[InventoryTransfer] = ()

    def sum_deposits(self, chain: str, *states: BridgeTransferState) -> dict[str, int]:
        """The deposits on a chain of those in these states, by token."""
        sums: dict[str, int] = defaultdict(int)
        for intent in self.select(*states):
            if intent.terms.source_chain == chain:
                sums[intent.terms.token_in] += intent.terms.deposit_amount
        return sums

    def sum_sent(self, chain: str) -> dict[str, int]:
        """What is on its way from a chain, by token: deposits, and inventory."""
        sums: dict[str, int] = defaultdict(int)
        for intent in self.select(*ON_THE_WAY):
            if intent.terms.source_chain == chain:
                sums[intent.collected.token] += intent.collected.amount
        for transfer in self.inventory:
            # A mint leaves no chain; the others have once their transaction is booked.
            if transfer.source_chain == chain and transfer.source_tx:
                sums[transfer.source_token] += transfer.source_amount
        return sums

    def select(self, *states: BridgeTransferState) -> Iterator[Intent]:
        """Those in these states."""
        return (self.intents[i] for i, state in self.states.items() if state in states)


def read_open_transfers(services: Services) -> OpenTransfers:
    """Read them, and the books, in one database transaction."""
    with services.store.read() as unit:
        states = unit.bridge_transfers.list_in_states(_READ)
        intents = unit.intents.get_many(states)
        inventory = unit.inventory_transfers.list_open(_MAX_OPEN)
        return OpenTransfers(states, intents, unit.ledger.get_balances(), inventory)


def compare_bridges(
    services: Services, chain: Chain, transfers: OpenTransfers, result: Reconciliation
) -> None:
    """Compare what is on its way from a chain, and what bridges' contracts there owe and have
    parked, with the books. Raises `Unreachable`."""
    on_the_way = transfers.sum_sent(chain.id)
    for token, booked in _booked(transfers, Account.IN_TRANSIT, chain.id, on_the_way).items():
        found = on_the_way.get(token, 0)
        _report(services, chain, Account.IN_TRANSIT, (token, booked, found), _NOT_OPEN, result)
    if chain.id not in services.bridge_ends:
        return
    arriving = {i.terms.token_out for i in transfers.select(*ON_THE_WAY) if _goes_to(i, chain)}
    _compare_owed(services, chain, transfers, arriving, result)
    _compare_parked(services, chain, transfers, arriving, result)


def _compare_owed(
    services: Services,
    chain: Chain,
    transfers: OpenTransfers,
    arriving: set[str],
    result: Reconciliation,
) -> None:
    end = services.bridge_ends[chain.id]
    coordinators = {each.accounts.coordinator for each in services.chains.values()}
    for token, booked in _booked(transfers, Account.OWED, chain.id, {}).items():
        bridgers = sorted(set(chain.accounts.collectors.values()))
        found = sum(end.owed(bridger, coordinators, token) for bridger in bridgers)
        # What has arrived meanwhile is booked soon.
        reason = TRANSIENT if found > booked and token in arriving else _WITHDRAWN
        _report(services, chain, Account.OWED, (token, booked, found), reason, result)


def _compare_parked(
    services: Services,
    chain: Chain,
    transfers: OpenTransfers,
    arriving: set[str],
    result: Reconciliation,
) -> None:
    parked: dict[tuple[str, str], set[str]] = defaultdict(set)
    for intent in transfers.select(S.PARKED):
        if _goes_to(intent, chain):
            parked[intent.terms.token_out, intent.bridger].add(intent.intent_hash)
    found: dict[str, int] = defaultdict(int)
    for (token, bridger), hashes in parked.items():
        found[token] += services.bridge_ends[chain.id].parked(bridger, hashes)
    for token, booked in _booked(transfers, Account.PARKED, chain.id, found).items():
        amount = found.get(token, 0)
        reason = TRANSIENT if amount > booked and token in arriving else _RELEASED
        _report(services, chain, Account.PARKED, (token, booked, amount), reason, result)


def _goes_to(intent: Intent, chain: Chain) -> bool:
    return intent.terms.destination_chain == chain.id


def _booked(
    transfers: OpenTransfers, account: Account, chain: str, found: Mapping[str, int]
) -> dict[str, int]:
    """The balance of an account on a chain by token, of those that the books or a chain have."""
    balances = {key[2]: n for key, n in transfers.balances.items() if key[:2] == (account, chain)}
    return dict.fromkeys(found, 0) | balances


def _report(
    services: Services,
    chain: Chain,
    account: Account,
    amounts: tuple[str, int, int],
    explanation: tuple[str, str],
    result: Reconciliation,
) -> None:
    """Add a difference, if there is one, between what the books have of a token and what is."""
    token, booked, found = amounts
    if booked == found:
        return
    message = _SENTENCES[account].format(
        chain=chain_name(services, chain.id),
        found=format_amount(services, chain.id, token, found),
        booked=format_amount(services, chain.id, token, booked),
    )
    contracts = sorted(set(chain.accounts.collectors.values()))
    result.differences.append(
        Difference(
            chain=chain.id,
            address=contracts[0] if contracts else chain.accounts.bridger,
            token=token,
            ledger_amount=booked,
            chain_amount=found,
            message=message,
            kind=account.value,
            reason=explanation[0],
            next_step=explanation[1],
            is_transient=explanation is TRANSIENT,
            intent_id=None,
        )
    )
