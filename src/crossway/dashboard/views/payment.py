"""What a payer needs: the text of the QR code, the exact amount, the address, the time left."""

from dataclasses import dataclass, replace
from datetime import datetime

from crossway.dashboard.views.cells import Cell, Fact
from crossway.dashboard.views.figures import about_usd, address_cell, amount, chain_name, millis
from crossway.domain.catalogue import Catalogue
from crossway.domain.intent import Intent
from crossway.domain.money import Token, format_units
from crossway.domain.payment_uri import payment_uri

SCANNING = {
    "evm": "Wallets that read EIP-681 fill in token, address and amount.",
    "solana": "Wallets that read Solana Pay fill in everything, with this payment as reference. "
    "Where one refuses the code, copy the address and the amount.",
    "tron": "Tron wallets read the address only: choose the token and type the amount yourself.",
    "starknet": "Starknet wallets read the address only: choose the token and type the amount "
    "yourself.",
}


@dataclass(frozen=True, slots=True)
class Request:
    """One request to pay; `units` is what is still missing. `link` is the text of the code where a
    wallet can open it, else empty: then the code holds the address alone."""

    uri: str
    link: str
    units: int
    hint: str
    facts: tuple[Fact, ...]


def request(catalogue: Catalogue, intent: Intent, until: datetime | None = None) -> Request:
    """The request to pay what is still missing of this payment, before it expires, or `until`
    then."""
    terms = intent.terms
    chain = catalogue.chains[terms.source_chain]
    token = catalogue.by_address[terms.source_chain, terms.token_in]
    units = max(terms.total_units - intent.received_units, 0)
    exact = amount(units, intent.asset_decimals, intent.asset_symbol)
    bare = format_units(units, intent.asset_decimals)
    worth = units * intent.costs.total_micro_usd // terms.total_units
    ends = until or terms.expires_at
    exactly = Cell(exact, about_usd(worth), copy=bare, what="amount", tone="strong")
    whole = address_cell(chain, intent.address, "address")
    uri = payment_uri(chain, token, intent.address, units, intent.key)
    return Request(
        uri=uri,
        link="" if uri == intent.address else uri,
        units=units,
        hint=SCANNING[chain.kind],
        facts=(
            Fact("Send exactly", exactly),
            Fact("To this address", replace(whole, text=intent.address)),
            Fact("On", Cell(chain_name(catalogue, chain.id), "no other chain, no other token")),
            Fact("Token", _token(token)),
            Fact("Time left", Cell(at=millis(ends), as_="countdown", tone="strong")),
        ),
    )


def _token(token: Token) -> Cell:
    if token.native:
        return Cell(token.symbol, sub="the chain's own coin")
    return Cell(token.symbol, copy=token.address, what="token address")
