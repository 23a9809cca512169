"""What a payer's own wallet holds, as our nodes say: its word counts for nothing."""

from crossway.domain.intent import Intent
from crossway.ports.services import Services
from crossway.usecases.chains.request_fields import parse_address


def read_balance(services: Services, intent: Intent, account: str) -> int:
    """What an account holds of the token that a payment is to be made in, in smallest units.

    Raises `InvalidInput` for what is no address there, and `Unreachable`."""
    terms = intent.terms
    chain = services.catalogue.chains[terms.source_chain]
    address = parse_address(services, chain, account, "account")
    return services.chains[chain.id].balances([address], terms.token_in)[address]
