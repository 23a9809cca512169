"""A payer's own wallet: what it holds, as our nodes say, and the transfer that it signs."""

from crossway.domain.errors import NotFound
from crossway.domain.intent import Intent
from crossway.ports.services import Services
from crossway.ports.wallet_transfers import TransferBuilder
from crossway.usecases.chains.request_fields import parse_address


def read_balance(services: Services, intent: Intent, account: str) -> int:
    """What an account holds of the token that a payment is to be made in, in smallest units.

    Raises `InvalidInput` for what is no address there, and `Unreachable`."""
    terms = intent.terms
    address = parse_account(services, intent, account)
    return services.chains[terms.source_chain].balances([address], terms.token_in)[address]


def build_transfer(services: Services, intent: Intent, account: str, units: int) -> bytes:
    """The transaction in which an account pays units of a payment, without its signature.

    Raises `InvalidInput` for what is no address there, `NotFound` on chains whose wallets build it
    themselves, and `Unreachable`."""
    terms = intent.terms
    chain = services.chains[terms.source_chain]
    if not isinstance(chain, TransferBuilder):
        raise NotFound("No such page")
    address = parse_account(services, intent, account)
    return chain.unsigned_transfer(address, intent.address, terms.token_in, units)


def parse_account(services: Services, intent: Intent, account: str) -> str:
    """An account on the chain that a payment comes from, in canonical form. Raises
    `InvalidInput`."""
    chain = services.catalogue.chains[intent.terms.source_chain]
    return parse_address(services, chain, account, "account")
