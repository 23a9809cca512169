"""Compare the relayer's inventory with the books, and book opening balances and adjustments."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from crossway.domain.clients import Principal
from crossway.domain.errors import Conflict, InvalidInput, Unreachable
from crossway.domain.ledger import NO_INTENT, Account, Posting
from crossway.domain.roles import Permission
from crossway.ports.chain import Chain, IncludedTx
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.supported_chains import chain_name
from crossway.usecases.money.books import get_denomination

MAX_OPEN = 5_000
OPENING, ADDED, WITHDRAWN = "inventory:opening", "inventory:added", "inventory:withdrawn"
TRANSIENT = (
    "A deposit or transaction is not confirmed yet, so it is not in the books.",
    "No action needed: reconcile again in a few minutes.",
)
UNBOOKED_TRANSACTION = (
    "A transaction that is not in the books changed this balance.",
    "Compare the account in the block explorer with the transactions listed below.",
)
UNBOOKED_ADJUSTMENT = (
    "Inventory was added or withdrawn without an entry in the books.",
    "If this was intended, book the adjustment; else check the account in the block explorer.",
)


@dataclass
class UnbookedMovement:
    """Effects of the service's own transactions that are included on a chain but not booked yet.

    `amounts` maps (address, token address) to the net change, fees included; `open_count` is the
    number of transactions that are signed but not booked.
    """

    open_count: int = 0
    amounts: dict[tuple[str, str], int] = field(default_factory=dict)

    def net_change(self, address: str, token: str) -> int | None:
        """The net change of an address; None when no transaction is open."""
        return self.amounts.get((address, token), 0) if self.open_count else None


@dataclass(frozen=True, slots=True)
class InventoryComparison:
    """The relayer's balance of a token on the chain, and the balance that the books expect."""

    token: str
    ledger_amount: int
    chain_amount: int
    has_opening_balance: bool

    @property
    def difference(self) -> int:
        """The chain balance minus the ledger balance."""
        return self.chain_amount - self.ledger_amount


def find_unbooked_movements(services: Services, chain: Chain) -> UnbookedMovement:
    """The effects of included transactions that are not booked yet. Raises `Unreachable`."""
    with services.store.read() as unit:
        signed = unit.outbound_txs.list_signed([chain.id], MAX_OPEN)
    movement = UnbookedMovement(open_count=len(signed))
    native = services.catalogue.native_token(chain.id)
    for status in chain.status([tx.tx_id for tx in signed]).values() if signed else ():
        if isinstance(status, IncludedTx):
            _add_amount(movement, chain.accounts.relayer, native, -status.fee_units)
            for transfer in status.transfers:
                _add_amount(movement, transfer.source, transfer.token, -transfer.amount)
                _add_amount(movement, transfer.to, transfer.token, transfer.amount)
    return movement


def _add_amount(movement: UnbookedMovement, address: str, token: str, amount: int) -> None:
    movement.amounts[address, token] = movement.amounts.get((address, token), 0) + amount


def compare_inventory(
    services: Services, chain: Chain, unbooked: UnbookedMovement
) -> Iterator[InventoryComparison]:
    """Compare all tokens that the relayer or the books hold on one chain. Raises `Unreachable`."""
    with services.store.read() as unit:
        balances = unit.ledger.get_balances()
    tokens = {t.address for t in services.catalogue.by_chain[chain.id] if t.enabled}
    tokens |= {t for account, c, t in balances if c == chain.id and account is Account.INVENTORY}
    tokens.add(services.catalogue.native_token(chain.id))
    relayer = chain.accounts.relayer
    for token in sorted(tokens):
        chain_amount = chain.balances([relayer], token).get(relayer, 0)
        ledger_amount = balances.get((Account.INVENTORY, chain.id, token), 0) + (
            unbooked.net_change(relayer, token) or 0
        )
        has_opening_balance = (Account.EQUITY, chain.id, token) in balances
        if has_opening_balance or chain_amount != ledger_amount:
            yield InventoryComparison(token, ledger_amount, chain_amount, has_opening_balance)


def book_opening_balances(services: Services, caller: Principal) -> list[str]:
    """Book balances of the relayer that have no opening balance as equity of the operator.

    Returns one message per chain with such balances. Chains that do not respond or have open
    transactions are skipped, with a message.
    """
    caller.require_permission(Permission.MOVE_FUNDS)
    messages = []
    for chain in services.chains.values():
        try:
            messages.append(_book_opening_balance(services, caller, chain))
        except Unreachable as error:
            messages.append(f"{chain_name(services, chain.id)} did not respond: {error}.")
    return [message for message in messages if message]


def _book_opening_balance(services: Services, caller: Principal, chain: Chain) -> str:
    name, unbooked = chain_name(services, chain.id), find_unbooked_movements(services, chain)
    new = [
        comparison
        for comparison in compare_inventory(services, chain, unbooked)
        if not comparison.has_opening_balance
    ]
    if not new:
        return ""
    if unbooked.open_count:
        return f"{name}: {unbooked.open_count} transactions are in progress; try again later."
    expected = {comparison.token: comparison.ledger_amount for comparison in new}
    postings = [
        _equity_posting(chain.id, comparison.token, comparison.difference, OPENING)
        for comparison in new
    ]
    amounts = {comparison.token: str(comparison.difference) for comparison in new}
    _post_adjustment(
        services, caller, chain.id, postings, expected, "opening balances booked", amounts
    )
    return f"{name}: opening balances of {len(new)} tokens booked."


def book_difference(
    services: Services, caller: Principal, chain: str, token: str, difference: int, reason: str
) -> str:
    """Book a difference between chain and books as inventory added or withdrawn by the operator.

    `difference` is the chain balance minus the ledger balance. Raises `Conflict` when the
    difference has changed or transactions are open. Audited. Returns a message.
    """
    caller.require_permission(Permission.MOVE_FUNDS)
    if not reason.strip():
        raise InvalidInput("reason is required: who added or withdrew it, and why")
    chain_port = services.chains[services.catalogue.chain(chain).id]
    unbooked = find_unbooked_movements(services, chain_port)
    comparisons = compare_inventory(services, chain_port, unbooked)
    current = next((c for c in comparisons if c.token == token), None)
    if unbooked.open_count:
        raise Conflict(
            f"{chain_name(services, chain_port.id)} has transactions in progress: try again later"
        )
    if current is None or current.difference != difference:
        actual = format_amount(services, chain_port.id, token, current.difference if current else 0)
        raise Conflict(f"The difference is now {actual}: reconcile again before booking it")
    tx = ADDED if difference > 0 else WITHDRAWN
    postings = [_equity_posting(chain_port.id, token, difference, tx)]
    detail = {token: str(difference), "reason": reason.strip()}
    expected = {token: current.ledger_amount}
    _post_adjustment(
        services, caller, chain_port.id, postings, expected, "inventory adjustment booked", detail
    )
    amount = format_amount(services, chain_port.id, token, abs(difference))
    direction = "added" if difference > 0 else "withdrawn"
    return f"{amount} on {chain_name(services, chain_port.id)} booked as {direction}."


def _equity_posting(chain: str, token: str, amount: int, tx: str) -> Posting:
    posting = Posting(NO_INTENT, chain, token, Account.INVENTORY, Account.EQUITY, abs(amount), tx)
    return posting if amount > 0 else posting.reversed()


def _post_adjustment(
    services: Services,
    caller: Principal,
    chain: str,
    postings: list[Posting],
    expected: dict[str, int],
    action: str,
    detail: dict[str, str],
) -> None:
    now = services.clock.now()

    def work(unit: UnitOfWork) -> None:
        unit.leases.lock("inventory")
        balances = unit.ledger.get_balances()
        for token, amount in expected.items():
            if balances.get((Account.INVENTORY, chain, token), 0) != amount:
                raise Conflict("The books have changed: try again")
        unit.ledger.post(postings, now)
        unit.audit_log.record(caller.actor_name, action, detail, now, f"chain:{chain}")

    services.store.write(work)


def format_amount(services: Services, chain: str, address: str, amount: int) -> str:
    """An amount of a token with its symbol, for display."""
    denomination = get_denomination(services, chain, address)
    return f"{denomination.format(amount)} {denomination.symbol}"
