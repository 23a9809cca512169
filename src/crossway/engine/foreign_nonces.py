"""Finds nonces of our accounts that a chain has used and this service never reserved."""

from collections.abc import Mapping

from crossway.engine.alerts import raise_alert
from crossway.ports.chain import Chain
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.supported_chains import chain_name


def detect_foreign_nonces(
    unit: UnitOfWork, services: Services, chain: Chain, next_nonces: Mapping[str, int]
) -> None:
    """Raise an alert when the chain has used nonces of these accounts that were never reserved
    here."""
    for account, next_nonce in next_nonces.items():
        nonce_range = unit.account_nonces.get_range(chain.id, account)
        if nonce_range is None:
            unit.account_nonces.reserve(chain.id, account, 0, next_nonce)
        elif next_nonce > nonce_range[1]:
            _raise(unit, services, chain, account, next_nonce - nonce_range[1])


def _raise(unit: UnitOfWork, services: Services, chain: Chain, account: str, count: int) -> None:
    whose = chain.accounts.name_sender(account)
    transactions = "a transaction" if count == 1 else f"{count} transactions"
    raise_alert(
        unit,
        services,
        f"outside:{chain.id}",
        "outside",
        chain.id,
        f"{whose[0].upper()}{whose[1:]} on {chain_name(services, chain.id)} made "
        f"{transactions} that the ledger does not have: reconcile the ledger with the chains.",
    )
