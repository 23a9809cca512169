"""The service's own accounts on a chain, and how their balances compare with the books."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from crossway.domain.ledger import Account, BalanceKey
from crossway.ports.chain import Chain, IncludedTx
from crossway.ports.services import Services
from crossway.usecases.chains.shared_transactions import status_of_each

MAX_OPEN, MAX_TRIES = 5_000, 5
# So many sums of open transfers are tried to explain a difference.
_MAX_SUMS = 4_096
RELAYER, TREASURY = "inventory", "treasury"
OPENING, ADDED, WITHDRAWN = "inventory:opening", "inventory:added", "inventory:withdrawn"
"""What postings against the operator's equity have in place of a transaction."""


@dataclass(frozen=True, slots=True)
class OwnAccount:
    """An address of ours and the ledger accounts whose sum it holds, together with further
    `gas_accounts`. Opening balances and what the operator adds or withdraws are booked to
    `adjusted`. `kind` is `inventory` or `treasury`."""

    kind: str
    address: str
    accounts: tuple[Account, ...]
    adjusted: Account
    gas_accounts: tuple[str, ...] = ()

    @property
    def addresses(self) -> tuple[str, ...]:
        """All whose balances count."""
        return self.address, *self.gas_accounts


@dataclass
class UnbookedMovement:
    """Effects of the service's own transactions that are included on a chain but not booked yet.

    `amounts` maps (address, token address) to the net change, fees included; `open_count` is the
    number of transactions that are signed but not booked.
    """

    open_count: int = 0
    amounts: dict[tuple[str, str], int] = field(default_factory=dict)

    def net_change(self, addresses: Iterable[str], token: str) -> int | None:
        """The net change of these addresses; None when no transaction is open."""
        changes = (self.amounts.get((address, token), 0) for address in addresses)
        return sum(changes) if self.open_count else None


@dataclass(frozen=True, slots=True)
class BalanceComparison:
    """The balance of a token at one of our accounts on the chain, and the balance that the books
    expect. `has_opening_balance`: one was booked for it; else `known_opening`, which the simulated
    network alone tells, is part of what is expected. `is_stable`: nothing was under way while both
    were read."""

    account: OwnAccount
    token: str
    ledger_amount: int
    chain_amount: int
    has_opening_balance: bool
    known_opening: int | None = None
    is_stable: bool = True

    @property
    def difference(self) -> int:
        """The chain balance minus the ledger balance."""
        return self.chain_amount - self.ledger_amount

    @property
    def lacks_opening_balance(self) -> bool:
        """Whether the difference is what an opening balance, if booked, would be: it cannot be
        negative, so less than the books say is missing in any case."""
        is_unknown = not self.has_opening_balance and self.known_opening is None
        return is_unknown and self.difference > 0

    @property
    def opening_balance(self) -> int:
        """What there is to book as the opening balance; zero if it is booked."""
        if self.has_opening_balance:
            return 0
        return max(self.difference, 0) if self.known_opening is None else self.known_opening


def own_accounts(chain: Chain) -> tuple[OwnAccount, ...]:
    """The relayer's account and the treasury; one account where both are the same address."""
    relayer, treasury = chain.accounts.relayer, chain.accounts.treasury
    inventory, gas = Account.INVENTORY, chain.accounts.gas_accounts
    # Income that bridges' contracts owe is booked there too, against the treasury.
    from_bridges = (Account.BRIDGE_SURPLUS, Account.UNCLAIMED)
    fees = (Account.SERVICE_FEES, Account.APP_FEES, *from_bridges, Account.TREASURY)
    if relayer == treasury:
        return (OwnAccount(RELAYER, relayer, (inventory, *fees), inventory, gas),)
    return (
        OwnAccount(RELAYER, relayer, (inventory,), inventory, gas),
        OwnAccount(TREASURY, treasury, fees, Account.TREASURY),
    )


def find_unbooked_movements(services: Services, chain: Chain) -> UnbookedMovement:
    """The effects of included transactions that are not booked yet. Raises `Unreachable`."""
    with services.store.read() as unit:
        signed = unit.outbound_txs.list_signed([chain.id], MAX_OPEN)
    movement = UnbookedMovement(open_count=len(signed))
    native = services.catalogue.native_token(chain.id)
    statuses = chain.status({tx.tx_id for tx in signed})
    sent = [(tx.id, tx.intent_id, tx.tx_id) for tx in signed]
    for status in status_of_each(services, sent, statuses).values():
        if isinstance(status, IncludedTx):
            _add_amount(movement, chain.accounts.relayer, native, -status.fee_units)
            for transfer in status.transfers:
                _add_amount(movement, transfer.source, transfer.token, -transfer.amount)
                _add_amount(movement, transfer.to, transfer.token, transfer.amount)
    return movement


def _add_amount(movement: UnbookedMovement, address: str, token: str, amount: int) -> None:
    movement.amounts[address, token] = movement.amounts.get((address, token), 0) + amount


def compare_own_accounts(services: Services, chain: Chain) -> list[BalanceComparison]:
    """Compare all tokens that our accounts or the books hold on one chain; those that agree and
    have no opening balance are left out. Raises `Unreachable`.

    A transaction that is included while the balances are read would look like a difference, so they
    are read again while that may explain one.
    """
    comparisons: list[BalanceComparison] = []
    seen: list[dict[tuple[str, str], int]] = []
    for _ in range(MAX_TRIES):
        before = _Expectation.read(services, chain)
        comparisons = list(_compare_once(services, chain, before))
        differences = {(c.account.kind, c.token): c.difference for c in comparisons if c.difference}
        if not differences or _Expectation.read(services, chain) == before:
            return comparisons
        seen.append(differences)
    # What differs by the same amount each time is not explained by what is under way.
    return [
        replace(c, is_stable=len({found.get((c.account.kind, c.token), 0) for found in seen}) == 1)
        for c in comparisons
    ]


@dataclass(frozen=True, slots=True)
class _Expectation:
    """What the books and our transactions under way make us expect on a chain."""

    balances: dict[BalanceKey, int]
    opened: set[BalanceKey]
    unbooked: UnbookedMovement

    @classmethod
    def read(cls, services: Services, chain: Chain) -> "_Expectation":
        unbooked = find_unbooked_movements(services, chain)
        ours = {account for own in own_accounts(chain) for account in own.accounts}
        with services.store.read() as unit:
            balances = unit.ledger.get_balances(chain.id, ours)
            opened = unit.ledger.list_opened_accounts()
        return cls(balances, opened, unbooked)


def _compare_once(
    services: Services, chain: Chain, expected: _Expectation
) -> Iterator[BalanceComparison]:
    native = services.catalogue.native_token(chain.id)
    enabled = {t.address for t in services.catalogue.by_chain[chain.id] if t.enabled}
    openings = services.sandbox.opening_balances(chain.id) if services.sandbox else None
    for own in own_accounts(chain):
        booked = {token for account, _, token in expected.balances if account in own.accounts}
        # Others may use the treasury's address for its native coins; the relayer pays fees.
        tokens = booked | (enabled | {native} if own.kind == RELAYER else enabled - {native})
        for token in sorted(tokens):
            chain_amount = sum(chain.balances(own.addresses, token).values())
            ledger_amount = sum(
                expected.balances.get((account, chain.id, token), 0) for account in own.accounts
            ) + (expected.unbooked.net_change(own.addresses, token) or 0)
            has_opening = (own.adjusted, chain.id, token) in expected.opened
            known = None
            if openings is not None and not has_opening:
                known = sum(openings.get((address, token), 0) for address in own.addresses)
            ledger_amount += known or 0
            if has_opening or known or chain_amount != ledger_amount:
                yield BalanceComparison(own, token, ledger_amount, chain_amount, has_opening, known)


def sums_of_inventory(services: Services, chain: Chain) -> dict[str, set[int]]:
    """By token, what the relayer's account may have more or less than the books while inventory
    transfers are under way: they are booked once they have the confirmations that they need."""
    with services.store.read() as unit:
        open_transfers = unit.inventory_transfers.list_open(MAX_OPEN)
    moves: dict[str, list[int]] = {}
    for transfer in open_transfers:
        if transfer.destination_chain == chain.id and not transfer.is_unsent:
            moves.setdefault(transfer.destination_token, []).append(transfer.amount)
        if transfer.source_chain == chain.id and not (transfer.is_unsent or transfer.source_tx):
            moves.setdefault(transfer.source_token, []).append(-transfer.source_amount)
    return {token: reachable_sums(amounts) - {0} for token, amounts in moves.items()}


def reachable_sums(moves: Iterable[int]) -> set[int]:
    """The sums of some or all of these; of very many, of the first."""
    sums = {0}
    for move in moves:
        if move and len(sums) < _MAX_SUMS:
            sums |= {total + move for total in sums}
    return sums
