"""What waits at a payment's address, as its payer's page shows it."""

from dataclasses import dataclass

from markupsafe import Markup

from crossway.payer.formatting import format_exact, format_time
from crossway.payer.responses import PageRequest
from crossway.usecases.payers.checkout import CheckoutSnapshot
from crossway.usecases.payments.claims import PayerClaim


@dataclass(frozen=True, slots=True)
class ClaimView:
    """What waits at the address and why; with a contract and the data of its call where anyone may
    send it to the refund address."""

    text: Markup
    anyone: Markup
    contract: str = ""
    data: str = ""


def view_claim(page_request: PageRequest, view: CheckoutSnapshot, claim: PayerClaim) -> ClaimView:
    """A claim in the payer's language."""
    t, catalogue = page_request.t, page_request.services.catalogue
    token = catalogue.by_address.get((claim.chain, claim.token))
    decimals, symbol = (token.decimals, token.symbol) if token else (0, "?")
    amount = format_exact(claim.amount, decimals, symbol, t.locale)
    text = t(f"claim.{claim.kind}", amount=amount, chain=catalogue.chains[claim.chain].name)
    if claim.call is None:
        way = "simulated" if page_request.simulated else "contact"
        return ClaimView(text, t(f"claim.{way}", merchant=view.merchant.name))
    anyone = t("claim.anyone")
    if claim.open_from is not None and view.now < claim.open_from:
        anyone += Markup(" ") + t("claim.from", time=format_time(claim.open_from, t.locale))
    return ClaimView(text, anyone, claim.call.contract, claim.call.data)
