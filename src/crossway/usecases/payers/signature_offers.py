"""Whether a payment can be made by a signature: by which domain, and at whose cost."""

from dataclasses import dataclass
from typing import Final

from crossway.domain.errors import Unreachable
from crossway.domain.intent import Intent
from crossway.domain.payer_signatures import SignatureStandard
from crossway.ports.payer_signatures import SigningDomain, TakesSignatures
from crossway.ports.services import Services
from crossway.usecases.pricing.network_fees import read_network_costs

SIGNED_SYMBOLS: Final = ("USDC", "EURC")


@dataclass(frozen=True, slots=True)
class SignatureOffer:
    """That a payment can be made by a signature; carrying it out costs about `cost_micro_usd`."""

    chain: TakesSignatures
    domain: SigningDomain
    cost_micro_usd: int


def find_offer(services: Services, intent: Intent, paid_for: bool = False) -> SignatureOffer | None:
    """Whether, now, a payment can be made by a signature: its token takes them, and carrying one
    out costs no more than the operator gives for it, or where the quote has `paid_for` it, than all
    fees of the payment: gas may be far dearer by now."""
    terms = intent.terms
    chain = services.chains.get(terms.source_chain)
    if not isinstance(chain, TakesSignatures):
        return None
    costs = read_network_costs(services, {terms.source_chain}).costs.get(terms.source_chain)
    paid = intent.costs.fee_micro_usd if paid_for else 0
    limit = max(services.policy.signature_allowance_micro_usd, paid)
    if costs is None or costs.pay_in > limit:
        return None
    domain = find_domain(services, terms.source_chain, terms.token_in)
    return None if domain is None else SignatureOffer(chain, domain, costs.pay_in)


def needs_approval(services: Services, intent: Intent, account: str) -> bool:
    """Whether an account could sign for a payment once it has approved Permit2, which costs gas.
    Raises `Unreachable`."""
    offer, terms = find_offer(services, intent), intent.terms
    if offer is None or offer.domain.standard is SignatureStandard.EIP3009:
        return False
    return not offer.chain.may_sign(terms.token_in, account, terms.deposit_amount)


def find_domain(services: Services, chain_id: str, token: str) -> SigningDomain | None:
    """The domain under which a token's holders sign; None where it takes no signatures, or its
    chain does not answer."""
    chain = services.chains.get(chain_id)
    if not isinstance(chain, TakesSignatures):
        return None
    listed = services.catalogue.by_address.get((chain_id, token))
    if listed is None or listed.native:
        return None
    try:
        domain = chain.signing_domain(token)
    except Unreachable:
        return None
    by_token = domain is not None and domain.standard is SignatureStandard.EIP3009
    return None if by_token and listed.symbol not in SIGNED_SYMBOLS else domain
