"""The data a payer needs: QR code text, exact amount, address and time left."""

from dataclasses import dataclass, replace
from datetime import datetime

from crossway.dashboard.views.cells import Cell, Detail
from crossway.dashboard.views.formatting import (
    address_cell,
    chain_name,
    format_amount,
    format_approx_usd,
    to_millis,
)
from crossway.domain.catalogue import Catalogue
from crossway.domain.intent import Intent
from crossway.domain.money import Token, format_units
from crossway.domain.payment_uri import payment_uri

WALLET_HINTS = {
    "evm": "Wallets that support EIP-681 fill in token, address and amount.",
    "solana": "Wallets that support Solana Pay fill in everything, including the reference. "
    "If a wallet rejects the code, copy the address and the amount.",
    "tron": "Tron wallets read the address only: select the token and enter the amount yourself.",
    "starknet": "Starknet wallets read the address only: select the token and enter the amount "
    "yourself.",
}


@dataclass(frozen=True, slots=True)
class PaymentRequest:
    """A request to pay; `amount` is the outstanding amount in smallest units. `uri` is the text of
    the QR code; `link` equals it where a wallet can open it and is empty when it is the bare
    address."""

    uri: str
    link: str
    amount: int
    hint: str
    facts: tuple[Detail, ...]


def build_payment_request(
    catalogue: Catalogue, intent: Intent, until: datetime | None = None
) -> PaymentRequest:
    """The request to pay the outstanding amount of this payment before it expires or before
    `until`."""
    terms = intent.terms
    chain = catalogue.chains[terms.source_chain]
    token = catalogue.by_address[terms.source_chain, terms.token_in]
    units = max(terms.deposit_amount - intent.received_amount, 0)
    amount_text = format_amount(units, intent.asset_decimals, intent.asset_symbol)
    plain_amount = format_units(units, intent.asset_decimals)
    usd_value = units * intent.costs.total_micro_usd // terms.deposit_amount
    expires_at = until or terms.expires_at
    amount_cell = Cell(
        amount_text,
        format_approx_usd(usd_value),
        copy=plain_amount,
        value_name="amount",
        tone="strong",
    )
    address = address_cell(chain, intent.address, "address")
    uri = payment_uri(chain, token, intent.address, units, intent.intent_hash)
    return PaymentRequest(
        uri=uri,
        link="" if uri == intent.address else uri,
        amount=units,
        hint=WALLET_HINTS[chain.kind],
        facts=(
            Detail("Send exactly", amount_cell),
            Detail("To this address", replace(address, text=intent.address)),
            Detail(
                "Chain", Cell(chain_name(catalogue, chain.id), "this chain and this token only")
            ),
            Detail("Token", _token_cell(token)),
            Detail("Time left", Cell(at=to_millis(expires_at), as_="countdown", tone="strong")),
        ),
    )


def _token_cell(token: Token) -> Cell:
    if token.native:
        return Cell(token.symbol, sub="native coin")
    return Cell(token.symbol, copy=token.address, value_name="token address")
