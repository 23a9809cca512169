"""Compare the books with the chains: balances that differ, and transactions not in the books."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta

from crossway.domain.clients import Principal
from crossway.domain.deposits import DepositState
from crossway.domain.errors import Unreachable
from crossway.domain.ledger import NO_INTENT, Account, BalanceKey
from crossway.domain.roles import Permission
from crossway.ports.chain import AccountTx, Chain
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.supported_chains import chain_name
from crossway.usecases.money.bridge_reconciliation import (
    COLLECTED,
    OpenTransfers,
    compare_bridges,
    read_open_transfers,
)
from crossway.usecases.money.inventory_adjustments import (
    TRANSIENT,
    UNBOOKED_ADJUSTMENT,
    UNBOOKED_TRANSACTION,
    UNBOOKED_TREASURY,
    format_amount,
)
from crossway.usecases.money.own_accounts import (
    RELAYER,
    BalanceComparison,
    UnbookedMovement,
    compare_own_accounts,
    find_unbooked_movements,
    sums_of_inventory,
)
from crossway.usecases.money.reconciliation_findings import (
    NOT_SEEN,
    SPENT,
    Reconciliation,
    UnknownTx,
    new_difference,
)
from crossway.usecases.money.standing_reconciliation import compare_standing
from crossway.usecases.money.unified_reconciliation import compare_unified

BATCH_SIZE, _NEWEST_DEPOSITS = 1_000, 20_000


def reconcile(
    services: Services, caller: Principal, on_progress: Callable[[int], None] = lambda done: None
) -> Reconciliation:
    """Compare deposit addresses, collecting accounts, the relayer's inventory, the treasury, what
    bridges have and the relayer's transactions with the books; staff only. `on_progress` is called
    with the number of chains done.

    Unconfirmed deposits and transactions appear as transient differences.
    """
    caller.require_permission(Permission.VIEW)
    return compare(services, on_progress)


def compare(
    services: Services, on_progress: Callable[[int], None] = lambda done: None
) -> Reconciliation:
    """Like `reconcile`, for background runs: without a permission check."""
    result = Reconciliation()
    over_bridges = read_open_transfers(services)
    for done, chain in enumerate(services.chains.values(), 1):
        try:
            unbooked = find_unbooked_movements(services, chain)
            _compare_addresses(services, chain, result, unbooked)
            _compare_collecting_account(services, chain, result, unbooked, over_bridges)
            outside_fees = [
                tx
                for account in chain.accounts.senders
                for tx in _find_unknown_txs(services, chain, account, result)
            ]
            _compare_own_accounts(services, chain, result, outside_fees)
            compare_bridges(services, chain, over_bridges, result)
            compare_standing(services, chain, result)
        except Unreachable as error:
            result.unavailable[chain.id] = str(error)
        on_progress(done)
    compare_unified(services, result)
    return result


def _compare_addresses(
    services: Services, chain: Chain, result: Reconciliation, unbooked: UnbookedMovement
) -> None:
    """Compare the balances of deposit addresses with the HELD and DUST accounts."""
    since = services.clock.now() - timedelta(seconds=services.policy.late_watch_seconds)
    with services.store.read() as unit:
        addresses = unit.intents.list_watched_addresses(chain.id, since)
        held = unit.ledger.get_balances(chain.id, _ADDRESS_ACCOUNTS)
    for token in {token for _, _, token in held}:
        for start in range(0, len(addresses), BATCH_SIZE):
            batch = addresses[start : start + BATCH_SIZE]
            on_chain = chain.balances(batch, token)
            with services.store.read() as unit:
                in_ledger = _ledger_amounts(unit, batch, chain.id, token)
                differing = [a for a in batch if on_chain[a] != in_ledger.get(a, 0)]
                intent_ids = unit.intents.find_ids_by_address(differing) if differing else {}
                unconfirmed = _unconfirmed_amounts(unit, intent_ids, chain.id, token)
                cursor = unit.cursors.get_all().get(chain.id)
            _add_unscanned(chain, token, differing, cursor.height if cursor else 0, unconfirmed)
            for address in differing:
                expected = in_ledger.get(address, 0)
                excess = on_chain[address] - expected
                explained_by = (unconfirmed.get(address, 0), unbooked.net_change([address], token))
                explanation = (
                    TRANSIENT if excess in explained_by else NOT_SEEN if excess > 0 else SPENT
                )
                key, intent_id = (chain.id, address, token), intent_ids.get(address)
                result.differences.append(
                    new_difference(
                        services,
                        key,
                        expected,
                        on_chain[address],
                        "address",
                        explanation,
                        intent_id,
                    )
                )


_ADDRESS_ACCOUNTS = (Account.HELD, Account.DUST)
_COLLECTING_ACCOUNTS = (Account.ESCROW, Account.SPREAD)


def _ledger_amounts(
    unit: UnitOfWork, addresses: Sequence[str], chain: str, token: str
) -> dict[str, int]:
    keys = {
        (intent_id, chain, token): address
        for address, intent_id in unit.intents.find_ids_by_address(addresses).items()
    }
    balances = unit.ledger.get_address_balances(keys)
    return {keys[key]: balance.held + balance.dust for key, balance in balances.items()}


def _unconfirmed_amounts(
    unit: UnitOfWork, intent_ids: Mapping[str, int], chain: str, token: str
) -> dict[str, int]:
    """By address, the amount of deposits that were seen but are not confirmed yet."""
    amounts: dict[str, int] = {}
    for deposit in unit.deposits.list_by_intents(intent_ids.values(), _NEWEST_DEPOSITS):
        incoming = deposit.incoming
        unconfirmed = deposit.state is DepositState.SEEN
        if unconfirmed and (incoming.chain, incoming.token) == (chain, token):
            amounts[incoming.to] = amounts.get(incoming.to, 0) + incoming.amount
    return amounts


def _add_unscanned(
    chain: Chain, token: str, addresses: Sequence[str], scanned_height: int, amounts: dict[str, int]
) -> None:
    """Add transfers in blocks that the engine has not scanned yet."""
    for incoming in chain.transfers_to(addresses) if addresses else ():
        if incoming.token == token and incoming.block_height > scanned_height:
            amounts[incoming.to] = amounts.get(incoming.to, 0) + incoming.amount


def _compare_collecting_account(
    services: Services,
    chain: Chain,
    result: Reconciliation,
    unbooked: UnbookedMovement,
    transfers: OpenTransfers,
) -> None:
    """Compare the balance of the collecting account with the ESCROW and SPREAD accounts, without
    what bridges' contracts have collected."""
    native = services.catalogue.native_token(chain.id)
    in_contracts = transfers.sum_deposits(chain.id, *COLLECTED)
    with services.store.read() as unit:
        ledger_balances = unit.ledger.get_balances(chain.id, _COLLECTING_ACCOUNTS)
    for token in {token for account, _, token in ledger_balances if account is Account.ESCROW}:
        if token == native:
            continue  # The account also holds native coins for its own fees.
        ledger_amount = _sum_accounts(
            ledger_balances, chain.id, token, *_COLLECTING_ACCOUNTS
        ) - in_contracts.get(token, 0)
        account = chain.accounts.bridger
        # Earlier payments have left what they retained in the escrow of their time.
        escrows = [account, *chain.accounts.old_bridgers]
        chain_amount = sum(chain.balances(escrows, token).values())
        if chain.accounts.shared and chain_amount > ledger_amount:
            continue  # The excess belongs to others; the contract keeps balances apart.
        if chain_amount > ledger_amount:
            booked_as_fees = _sum_booked_as_fees(services, chain, token)
            ledger_amount = min(chain_amount, ledger_amount + booked_as_fees)
        if ledger_amount != chain_amount:
            change = sum(unbooked.net_change(escrow, token) or 0 for escrow in escrows)
            is_transient = unbooked.open_count > 0 and chain_amount - ledger_amount == change
            explanation = TRANSIENT if is_transient else UNBOOKED_TRANSACTION
            key = (chain.id, account, token)
            result.differences.append(
                new_difference(
                    services, key, ledger_amount, chain_amount, "collecting", explanation
                )
            )


def _sum_booked_as_fees(services: Services, chain: Chain, token: str) -> int:
    """What the escrow retains and earlier versions booked as fees of bridges."""
    with services.store.read() as unit:
        return unit.ledger.sum_moved(Account.BRIDGE_FEES, Account.ESCROW, chain.id, token)


def _sum_accounts(
    ledger_balances: Mapping[BalanceKey, int], chain: str, token: str, *accounts: Account
) -> int:
    return sum(ledger_balances.get((account, chain, token), 0) for account in accounts)


def _compare_own_accounts(
    services: Services, chain: Chain, result: Reconciliation, outside_fees: Sequence[AccountTx]
) -> None:
    """Compare the relayer's account and the treasury with the books."""
    moved = sums_of_inventory(services, chain)
    for comparison in compare_own_accounts(services, chain):
        own, token = comparison.account, comparison.token
        if explained := _find_fees_of(services, chain, comparison, outside_fees):
            result.outside_fees[chain.id] = explained
        elif comparison.lacks_opening_balance and comparison.is_stable:
            result.missing_opening_balances[chain.id, own.kind, token] = comparison.difference
        elif comparison.difference:
            amounts = comparison.ledger_amount, comparison.chain_amount
            unbooked = UNBOOKED_ADJUSTMENT if own.kind == RELAYER else UNBOOKED_TREASURY
            is_moving = own.kind == RELAYER and comparison.difference in moved.get(token, ())
            explanation = unbooked if comparison.is_stable and not is_moving else TRANSIENT
            key = (chain.id, own.address, token)
            result.differences.append(
                new_difference(services, key, *amounts, own.kind, explanation)
            )


def _find_fees_of(
    services: Services, chain: Chain, comparison: BalanceComparison, txs: Sequence[AccountTx]
) -> list[AccountTx]:
    """The newest of these transactions whose fees are exactly what is missing; those before them
    are part of an opening balance or of an adjustment."""
    native = services.catalogue.native_token(chain.id)
    if comparison.account.kind != RELAYER or comparison.token != native:
        return []
    missing = -comparison.difference
    newest: list[AccountTx] = []
    for tx in sorted(txs, key=lambda tx: -tx.nonce):
        if missing <= 0:
            break
        newest.append(tx)
        missing -= tx.included.fee_units
    return newest if missing == 0 else []


def _find_unknown_txs(
    services: Services, chain: Chain, account: str, result: Reconciliation
) -> list[AccountTx]:
    """Find transactions of an account of ours that this service did not sign or has lost.

    Returns those that moved nothing and whose fee is not in the books."""
    with services.store.read() as unit:
        nonce_span = unit.account_nonces.get_range(chain.id, account)
    if nonce_span is None:
        return []
    account_txs = chain.transactions_from(account, nonce_span[0])
    with services.store.read() as unit:
        known_ids = unit.outbound_txs.find_own_tx_ids(chain.id, [tx.tx_id for tx in account_txs])
        unknown = [tx for tx in account_txs if tx.tx_id not in known_ids]
        of_operator = unit.ledger.list_by_tx([NO_INTENT], {tx.tx_id for tx in unknown})
    booked = {posting.tx for posting in of_operator}
    idle = [tx for tx in unknown if not any(t.amount for t in tx.included.transfers)]
    explained = [tx for tx in unknown if tx in idle or tx.tx_id in booked]
    result.unknown_txs += [
        _describe_unknown(services, chain, account, tx) for tx in unknown if tx not in explained
    ]
    if explained:
        result.idle_txs[chain.id, account] = explained
    return [tx for tx in idle if tx.tx_id not in booked]


def _describe_unknown(services: Services, chain: Chain, account: str, tx: AccountTx) -> UnknownTx:
    effects = "; ".join(_describe_effects(services, chain.id, tx))
    message = (
        f"On {chain_name(services, chain.id)} {chain.accounts.name_sender(account)} made a "
        f"transaction that is not in the books: {tx.tx_id} ({tx.included.at:%Y-%m-%d %H:%M:%S} "
        f"UTC): {effects}."
    )
    return UnknownTx(chain.id, tx, message)


def _describe_effects(services: Services, chain: str, tx: AccountTx) -> Iterator[str]:
    if tx.included.reason:
        yield f"reverted ({tx.included.reason})"
    for transfer in tx.included.transfers:
        amount = format_amount(services, chain, transfer.token, transfer.amount)
        yield f"{amount} from {transfer.source} to {transfer.to}"
