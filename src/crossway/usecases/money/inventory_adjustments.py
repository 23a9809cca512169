"""Book opening balances of the relayer and the treasury, and what the operator adds or takes."""

from collections.abc import Mapping, Sequence

from crossway.domain.clients import Principal
from crossway.domain.errors import Conflict, MissingInput, Unreachable
from crossway.domain.ledger import NO_INTENT, Account, Posting
from crossway.domain.roles import Permission
from crossway.ports.chain import Chain
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.supported_chains import chain_name
from crossway.usecases.money import unified_adjustments
from crossway.usecases.money.books import get_denomination
from crossway.usecases.money.own_accounts import (
    ADDED,
    OPENING,
    RELAYER,
    WITHDRAWN,
    BalanceComparison,
    OwnAccount,
    compare_own_accounts,
    find_unbooked_movements,
)
from crossway.usecases.money.unified_balance import UNIFIED_KIND
from crossway.usecases.staff.step_up import require_step_up

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
UNBOOKED_TREASURY = (
    "Somebody moved money into or out of the treasury without an entry in the books.",
    "If this was intended, book the adjustment; else check the account in the block explorer.",
)


def book_opening_balances(services: Services, caller: Principal) -> list[str]:
    """Book balances of the relayer, the treasury and at bridges that have no opening balance as
    equity of the operator. Less than the books say is a difference and not booked.

    Returns one message per chain with such balances. Chains that do not respond or have open
    transactions are skipped, with a message.
    """
    caller.require_permission(Permission.MOVE_FUNDS)
    require_step_up(services, caller.session)
    messages = []
    for chain in services.chains.values():
        try:
            messages.append(_book_opening_balance(services, caller, chain))
        except Unreachable as error:
            messages.append(f"{chain_name(services, chain.id)} did not respond: {error}.")
    messages += unified_adjustments.book_openings(services, caller)
    return [message for message in messages if message]


def take_in_opening_balances(services: Services, chain: Chain, actor: str) -> list[tuple[str, str]]:
    """Book, as the system, what a chain's accounts hold beyond the books, where no opening balance
    was ever booked for the account on this chain and the nodes that must agree do; returns kind of
    account and token of each. What is less than the books is never one. Nothing is booked while
    transactions are under way. Raises `Conflict` and `Unreachable`."""
    with services.store.read() as unit:
        opened = {(account, place) for account, place, _ in unit.ledger.list_opened_accounts()}
    new = [
        c
        for c in compare_own_accounts(services, chain)
        if c.lacks_opening_balance and (c.account.adjusted, chain.id) not in opened
    ]
    if find_unbooked_movements(services, chain).open_count or not all(c.is_stable for c in new):
        return []
    new = [c for c in new if _is_agreed(chain, c)]
    if new:
        _post_openings(services, actor, chain.id, new)
    return [(c.account.kind, c.token) for c in new]


def _is_agreed(chain: Chain, comparison: BalanceComparison) -> bool:
    """Whether the nodes that must agree report this balance."""
    addresses = comparison.account.addresses
    agreed = chain.agreed_balances(addresses, comparison.token)
    return len(agreed) == len(addresses) and sum(agreed.values()) == comparison.chain_amount


def _book_opening_balance(services: Services, caller: Principal, chain: Chain) -> str:
    name = chain_name(services, chain.id)
    new = [c for c in compare_own_accounts(services, chain) if c.opening_balance]
    if not new:
        return ""
    open_count = find_unbooked_movements(services, chain).open_count
    if open_count or not all(comparison.is_stable for comparison in new):
        return f"{name}: {max(open_count, 1)} transactions are in progress; try again later."
    _post_openings(services, caller.actor_name, chain.id, new)
    return f"{name}: opening balances of {len(new)} tokens booked."


def _post_openings(
    services: Services, actor: str, chain: str, new: Sequence[BalanceComparison]
) -> None:
    postings = [_equity_posting(c.account, chain, c.token, c.opening_balance, OPENING) for c in new]
    amounts = {f"{c.account.kind} {c.token}": str(c.opening_balance) for c in new}
    _post_adjustment(services, actor, chain, postings, new, "opening balances booked", amounts)


def book_difference(
    services: Services,
    caller: Principal,
    chain: str,
    token: str,
    difference: int,
    reason: str,
    kind: str = RELAYER,
) -> str:
    """Book a difference between chain and books as added or withdrawn by the operator.

    `difference` is the chain balance minus the ledger balance, `kind` that of the account; for the
    unified balance, `chain` is its location. Raises `Conflict` when the difference has changed or
    transactions are open. Audited. Returns a message.
    """
    caller.require_permission(Permission.MOVE_FUNDS)
    require_step_up(services, caller.session)
    if not reason.strip():
        raise MissingInput("reason is required: who added or withdrew it, and why")
    if kind == UNIFIED_KIND:
        return unified_adjustments.book_difference(services, caller, chain, difference, reason)
    chain_port = services.chains[services.catalogue.chain(chain).id]
    current = _require_difference(services, chain_port, token, kind, difference)
    tx = ADDED if difference > 0 else WITHDRAWN
    postings = [_equity_posting(current.account, chain_port.id, token, difference, tx)]
    if known := current.known_opening:
        # From now on, the books have all that the account holds.
        postings.append(_equity_posting(current.account, chain_port.id, token, known, OPENING))
    detail = {token: str(difference), "account": kind, "reason": reason.strip()}
    action = "inventory adjustment booked"
    _post_adjustment(
        services, caller.actor_name, chain_port.id, postings, [current], action, detail
    )
    return _describe_booked(services, chain_port.id, token, difference)


def _require_difference(
    services: Services, chain: Chain, token: str, kind: str, difference: int
) -> BalanceComparison:
    """The comparison of an account that still differs by this. Raises `Conflict`."""
    open_count = find_unbooked_movements(services, chain).open_count
    comparisons = compare_own_accounts(services, chain)
    current = next((c for c in comparisons if (c.token, c.account.kind) == (token, kind)), None)
    if open_count:
        name = chain_name(services, chain.id)
        raise Conflict(f"{name} has transactions in progress: try again later")
    if current is None or current.difference != difference:
        actual = format_amount(services, chain.id, token, current.difference if current else 0)
        raise Conflict(f"The difference is now {actual}: reconcile again before booking it")
    return current


def _describe_booked(services: Services, chain: str, token: str, difference: int) -> str:
    amount = format_amount(services, chain, token, abs(difference))
    direction = "added" if difference > 0 else "withdrawn"
    return f"{amount} on {chain_name(services, chain)} booked as {direction}."


def _equity_posting(own: OwnAccount, chain: str, token: str, amount: int, tx: str) -> Posting:
    posting = Posting(NO_INTENT, chain, token, own.adjusted, Account.EQUITY, abs(amount), tx)
    return posting if amount > 0 else posting.reversed()


def _post_adjustment(
    services: Services,
    actor: str,
    chain: str,
    postings: Sequence[Posting],
    compared: Sequence[BalanceComparison],
    action: str,
    detail: Mapping[str, str],
) -> None:
    """Post if the books still are as they were compared; nothing was under way then."""
    now = services.clock.now()

    def work(unit: UnitOfWork) -> None:
        unit.leases.lock("inventory")
        balances = unit.ledger.get_balances(chain)
        for comparison in compared:
            accounts = comparison.account.accounts
            amount = sum(balances.get((a, chain, comparison.token), 0) for a in accounts)
            if amount + (comparison.known_opening or 0) != comparison.ledger_amount:
                raise Conflict("The books have changed: try again")
        opened = unit.ledger.list_opened_accounts()
        if any(p.tx == OPENING and (p.debit, chain, p.token) in opened for p in postings):
            raise Conflict("The opening balances have been booked already")
        unit.ledger.post(postings, now)
        unit.audit_log.record(actor, action, detail, now, f"chain:{chain}")

    services.store.write(work)


def format_amount(services: Services, chain: str, address: str, amount: int) -> str:
    """An amount of a token with its symbol, for display."""
    denomination = get_denomination(services, chain, address)
    return f"{denomination.format(amount)} {denomination.symbol}"
