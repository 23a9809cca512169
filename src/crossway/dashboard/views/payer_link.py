"""The payer's link of a payment as it is handed on: copied, shared, printed or mailed."""

from typing import Any
from urllib.parse import quote

from crossway.dashboard.views.formatting import chain_name, format_amount, format_utc
from crossway.dashboard.views.status_labels import SIMULATED
from crossway.domain.intent import Intent
from crossway.ports.services import Services


def build(services: Services, intent: Intent, url: str, merchant: str) -> dict[str, Any]:
    """What the component draws: the address of the payer's page and of its printable sheet, and
    the subject and text of a message to the payer."""
    amount = format_amount(intent.terms.deposit_amount, intent.asset_decimals, intent.asset_symbol)
    chain = chain_name(services.catalogue, intent.terms.source_chain)
    reference = str(intent.metadata.get("reference") or "")
    subject = f"Payment of {amount}" + (f" for {reference}" if reference else "")
    simulated = services.environment == "simulated"
    lines = [
        f"Please pay {amount} on {chain}" + (f" to {merchant}." if merchant else "."),
        f"Address, QR code and status: {url}",
        f"Pay by {format_utc(intent.terms.expires_at)}.",
    ]
    if simulated:
        lines.insert(0, f"{SIMULATED}.")
    text = "\n".join(lines)
    return {
        "url": url,
        "sheet": f"{url}/sheet",
        "subject": subject,
        "text": text,
        "mail": f"mailto:?subject={quote(subject)}&body={quote(text)}",
    }
