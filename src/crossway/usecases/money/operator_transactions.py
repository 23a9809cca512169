"""Books what an operator's own transaction cost and moved, once."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from crossway.domain.ledger import NO_INTENT, UNIFIED_TOKEN, Account, Posting
from crossway.ports.chain import IncludedTx
from crossway.ports.chain_addresses import ChainAddresses
from crossway.ports.store import UnitOfWork


def postings_of(
    accounts: ChainAddresses,
    at: tuple[str, str],
    sender: str,
    tx_id: str,
    included: IncludedTx,
    unified: Mapping[str, str] | None = None,
) -> list[Posting]:
    """The postings of an included transaction on a chain whose native token is `at`: its fee, which
    the operator contributes where another account than ours pays it, and each transfer between our
    accounts and others. `unified` maps contracts that hold a unified balance to its location."""
    chain, native = at
    payer = _account_of(accounts, sender)
    found = [
        Posting(NO_INTENT, chain, native, Account.NETWORK_FEES, payer, included.fee_units, tx_id)
    ]
    for transfer in included.transfers:
        ends = _account_of(accounts, transfer.to), _account_of(accounts, transfer.source)
        for address, sign in ((transfer.to, 1), (transfer.source, -1)):
            if location := (unified or {}).get(address):
                found += _unified_legs(location, transfer.amount, sign, tx_id)
                to, source = ends
                ends = (Account.CROSSED, source) if sign > 0 else (to, Account.CROSSED)
        debit, credit = ends
        if debit is not credit:
            found.append(
                Posting(NO_INTENT, chain, transfer.token, debit, credit, transfer.amount, tx_id)
            )
    return [posting for posting in found if posting.amount]


def _unified_legs(location: str, units: int, sign: int, tx_id: str) -> list[Posting]:
    """What the unified balance gains, or loses, for the same on a chain."""
    accounts = Account.INVENTORY, Account.CROSSED
    gain = Posting(NO_INTENT, location, UNIFIED_TOKEN, *accounts, units, tx_id)
    return [gain if sign > 0 else gain.reversed()]


def _account_of(accounts: ChainAddresses, address: str) -> Account:
    """The ledger account that stands for an address; EQUITY for those that are not ours. What
    leaves a contract by an operator's transaction is what it retained, or owed, for us."""
    if address in accounts.senders:
        return Account.INVENTORY
    if address == accounts.treasury:
        return Account.TREASURY
    if address in (accounts.bridger, *accounts.old_bridgers):
        return Account.SPREAD
    return Account.OWED if address in accounts.collectors.values() else Account.EQUITY


def post_once(unit: UnitOfWork, postings: Sequence[Posting], now: datetime) -> bool:
    """Post them unless something is booked for their transaction; returns whether it was posted."""
    unit.leases.lock("inventory")
    if unit.ledger.list_by_tx([NO_INTENT], {posting.tx for posting in postings}):
        return False
    unit.ledger.post(postings, now)
    return True
