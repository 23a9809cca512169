"""What waits at a payment's address, in the operator's words."""

from crossway.dashboard.views.formatting import chain_name, format_token_amount
from crossway.domain.catalogue import Catalogue
from crossway.usecases.payments.claims import PayerClaim
from crossway.usecases.payments.redirects import CoordinatorCall


def describe_dust(catalogue: Catalogue, claim: PayerClaim) -> str:
    """Dust at the payment's address, as a sentence."""
    return (
        f"{_amount(catalogue, claim)} waits at the address and is the payer's: returning it costs "
        "more than it is worth. More that arrives there takes it along."
    )


def call_title(catalogue: Catalogue, claim: PayerClaim) -> str:
    """The title of the contract call that returns what waits."""
    return f"How anyone can return {_amount(catalogue, claim)} on chain"


def coordinator_call_title(catalogue: Catalogue, asked: CoordinatorCall) -> str:
    """The title of the contract call that sends a redirected refund."""
    return (
        f"What the coordinator signs on {chain_name(catalogue, asked.chain)} to send the refund to "
        f"{asked.to_address}"
    )


def _amount(catalogue: Catalogue, claim: PayerClaim) -> str:
    amount = format_token_amount(catalogue, claim.chain, claim.token, claim.amount)
    return f"{amount} on {chain_name(catalogue, claim.chain)}"
