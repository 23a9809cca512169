"""What a payer keeps to finish or undo a payment without the operator: page section and file."""

import json
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from starlette.responses import Response

from crossway.domain.intent import Intent
from crossway.domain.quotes import bridge_title
from crossway.payer.formatting import format_time
from crossway.payer.responses import PageRequest, download_file
from crossway.usecases.payments.self_service import SelfService, SelfServiceCall


@dataclass(frozen=True, slots=True)
class KeptCall:
    """One call: what it does, where, and from when or until when."""

    text: Markup
    when: Markup
    chain: str
    contract: str
    data: str


@dataclass(frozen=True, slots=True)
class KeptDetails:
    """The section of the page. `attestation_url` is empty where nothing needs it."""

    note: Markup
    calls: tuple[KeptCall, ...]
    file_url: str
    attestation_url: str


def view_kept_details(
    page_request: PageRequest, intent: Intent, details: SelfService, name: str
) -> KeptDetails:
    """The section in the payer's language; `name` is that of the payment's page."""
    return KeptDetails(
        page_request.t(f"keep.{_note(details)}"),
        tuple(_view_call(page_request, intent, call) for call in details.calls),
        page_request.path(f"{name}/details.json"),
        "" if "{" in details.attestation_url else details.attestation_url,
    )


def _note(details: SelfService) -> str:
    guarantee = details.guarantee.value
    return "simulated" if guarantee == "no_contracts" else guarantee


def _view_call(page_request: PageRequest, intent: Intent, call: SelfServiceCall) -> KeptCall:
    t, catalogue = page_request.t, page_request.services.catalogue
    values = {"bridge": bridge_title(intent.terms.bridge)} if call.name == "send" else {}
    when = Markup()
    if call.available_from is not None:
        when = t("claim.from", time=format_time(call.available_from, t.locale))
    elif call.available_until is not None:
        when = t("keep.until", time=format_time(call.available_until, t.locale))
    elif not call.data:
        when = t("keep.later")
    chain = f"{catalogue.chains[call.chain].name} ({call.chain_id})"
    return KeptCall(t(f"keep.{call.name}", **values), when, chain, call.contract, call.data)


def respond_file(intent: Intent, details: SelfService) -> Response:
    """The details as a JSON file."""
    content = json.dumps(_to_json(intent, details), indent=2, ensure_ascii=False)
    return download_file(content, f"payment-{intent.address[:12]}.json", "application/json")


def _to_json(intent: Intent, details: SelfService) -> dict[str, Any]:
    terms = intent.terms
    return {
        "note": details.note,
        "bridge": terms.bridge or None,
        "custody": intent.custody.value,
        "intent_hash": intent.intent_hash,
        "deposit_address": intent.address,
        "source_chain": terms.source_chain,
        "token_in": terms.token_in,
        "deposit_amount": str(terms.deposit_amount),
        "destination_chain": terms.destination_chain,
        "token_out": terms.token_out,
        "payout_amount": str(terms.payout_amount),
        "recipient": terms.recipient,
        "refund_address": terms.refund_address,
        "coordinator": intent.coordinator,
        "bridger": intent.bridger,
        "nonce": str(terms.nonce),
        "expires_at": terms.expires_at.isoformat(),
        "terms": details.terms,
        "attestation_url": details.attestation_url or None,
        "calls": [_call_to_json(call) for call in details.calls],
    }


def _call_to_json(call: SelfServiceCall) -> dict[str, Any]:
    since, until = call.available_from, call.available_until
    return {
        "name": call.name.value,
        "description": call.description,
        "chain": call.chain,
        "chain_id": call.chain_id,
        "contract": call.contract,
        "function": call.function,
        "data": call.data or None,
        "available_from": since.isoformat() if since else None,
        "available_until": until.isoformat() if until else None,
    }
