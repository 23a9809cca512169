"""What waits at a payment's address, in the operator's words."""

from crossway.dashboard.views.formatting import chain_name, format_token_amount
from crossway.domain.catalogue import Catalogue
from crossway.usecases.payments.claims import ClaimKind, PayerClaim


def describe_claim(catalogue: Catalogue, claim: PayerClaim) -> str:
    """What waits at the payment's address, and why, as a sentence."""
    amount = format_token_amount(catalogue, claim.chain, claim.token, claim.amount)
    chain = chain_name(catalogue, claim.chain)
    reason = {
        ClaimKind.DUST: "returning it costs more than it is worth; more there takes it along",
        ClaimKind.TOO_DEAR: "returning it costs more than it is worth at the network's fees now",
        ClaimKind.LIMIT: "our returns there have used up their allowance or their number of a day",
    }[claim.kind]
    return f"{amount} of the payer waits at the address on {chain}: {reason}."
