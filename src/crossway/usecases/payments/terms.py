"""What a new intent is asked for, read and checked field by field, and drawn up as its terms."""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from crossway.domain.catalogue import Chain
from crossway.domain.clients import Caller
from crossway.domain.errors import InvalidInput
from crossway.domain.intent import Intent, State, Terms
from crossway.domain.money import Token, parse_units
from crossway.ports.services import Services
from crossway.usecases.complaints import Complaints
from crossway.usecases.fields import address_of, chain_of, token_of
from crossway.usecases.network.switches import switched_off
from crossway.usecases.pricing.quotes import Routed

MOST_METADATA_BYTES = 8 * 1024
MOST_LINK_CHARACTERS = 255
_NONCE_BITS = 63
_BLACK_HOLES = frozenset(
    {
        "0x" + "0" * 40,
        "0x" + "0" * 64,
        "1" * 32,
        "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb",
    }
)


@dataclass(frozen=True, slots=True)
class CreateIntent:
    """What is asked for, as text (service.md §2); fields left out are None, `strange` are those
    that nobody knows."""

    amount: object
    token_in: object
    source_chain: object
    destination_chain: object
    recipient: object
    sender: object = None
    refund_address: object = None
    amount_symbol: object = None
    token_out: object = None
    metadata: object = None
    payment_link_id: object = None
    strange: Sequence[str] = ()


@dataclass
class Asked:
    """A request whose fields were read; None where one was refused."""

    source: Chain | None = None
    destination: Chain | None = None
    token_in: Token | None = None
    token_out: Token | None = None
    units: int | None = None
    symbol: str | None = None
    recipient: str | None = None
    sender: str | None = None
    refund_address: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    link: str | None = None


def read(services: Services, caller: Caller, request: CreateIntent) -> Asked:
    off, complaints, given = switched_off(services), Complaints(), Asked()
    for name in request.strange:
        complaints.add(f"{name} is not a known field")
    given.source = complaints.read(
        lambda: chain_of(services, caller, off, request.source_chain, "source_chain")
    )
    given.destination = complaints.read(
        lambda: chain_of(services, caller, off, request.destination_chain, "destination_chain")
    )
    given.units = complaints.read(lambda: parse_units("amount", request.amount))
    given.symbol = complaints.read(
        lambda: services.catalogue.symbol(request.amount_symbol or "USDC")
    )
    if given.source is not None:
        _read_source(services, caller, request, given.source, given, complaints)
    elif request.token_in is None:
        complaints.add("tokenIn is required")
    if given.destination is not None:
        _read_destination(services, request, given.destination, given, complaints)
    elif request.recipient is None:
        complaints.add("recipient is required")
    given.metadata = complaints.read(lambda: _metadata(request.metadata)) or {}
    given.link = complaints.read(lambda: _link(request.payment_link_id))
    complaints.refuse()
    return given


def _read_source(
    services: Services,
    caller: Caller,
    request: CreateIntent,
    source: Chain,
    given: Asked,
    complaints: Complaints,
) -> None:
    given.token_in = complaints.read(
        lambda: token_of(services, source, request.token_in, "tokenIn")
    )
    if request.sender is not None:
        given.sender = complaints.read(
            lambda: address_of(services, source, request.sender, "sender")
        )
    if request.refund_address is not None:
        given.refund_address = complaints.read(
            lambda: payable(services, source, request.refund_address, "refund_address")
        )
    elif request.sender is None and (usual := caller.client.refund_addresses.get(source.kind)):
        given.refund_address = complaints.read(
            lambda: payable(services, source, usual, "refund_address")
        )
    elif request.sender is None:
        complaints.add("refund_address or sender must be given, so that money can go back")
    else:
        given.refund_address = complaints.read(
            lambda: payable(services, source, request.sender, "sender")
        )


def _read_destination(
    services: Services, request: CreateIntent, to: Chain, given: Asked, complaints: Complaints
) -> None:
    given.recipient = complaints.read(lambda: payable(services, to, request.recipient, "recipient"))
    if request.token_out is not None:
        given.token_out = complaints.read(
            lambda: token_of(services, to, request.token_out, "tokenOut")
        )
    elif given.token_in is not None:
        symbol = given.token_in.symbol
        given.token_out = complaints.read(lambda: _default_out(services, to, symbol))


def _default_out(services: Services, to: Chain, symbol: str) -> Token:
    """USDC of the destination, else what was paid in (wire.md §2)."""
    try:
        return services.catalogue.token(to.id, "USDC", "tokenOut")
    except InvalidInput:
        return services.catalogue.token(to.id, symbol, "tokenOut")


def payable(services: Services, chain: Chain, text: object, name: str) -> str:
    """An address of a chain in its one spelling, where money is not lost."""
    address = address_of(services, chain, text, name)
    if address in _BLACK_HOLES:
        raise InvalidInput(f"{name} is the zero address: money sent there is lost")
    return address


def _metadata(value: object) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidInput("metadata must be a JSON object")
    if len(json.dumps(value, separators=(",", ":")).encode()) > MOST_METADATA_BYTES:
        raise InvalidInput("metadata must be at most 8 KiB of JSON")
    return dict(value)


def _link(value: object) -> str | None:
    if value is None:
        return None
    good = isinstance(value, str) and value.isprintable()
    if not good or not 1 <= len(str(value)) <= MOST_LINK_CHARACTERS:
        raise InvalidInput("payment_link_id must be a text of 1 to 255 printable characters")
    return str(value)


def drawn_up(
    services: Services, caller: Caller, given: Asked, routed: Routed, life_seconds: int
) -> Intent:
    """The intent of these terms; its address follows from them alone."""
    now = services.clock.now()
    terms = _terms(given, routed, now, life_seconds)
    quote = routed.quote
    source, destination = services.chains[quote.source], services.chains[quote.destination]
    key = source.intent_key(terms)
    address = source.deposit_address(key)
    assert given.token_out is not None
    return Intent(
        id=0,
        client_id=caller.client.id,
        mode=caller.mode.value,
        key=key,
        address=address,
        destination_address=destination.deposit_address(key),
        deposit_token_account=source.deposit_token_account(address, quote.token_in),
        terms=terms,
        costs=routed.costs,
        sender=given.sender or "",
        amount_units=quote.amount_units,
        amount_symbol=quote.amount_symbol,
        asset_symbol=quote.asset_symbol,
        asset_decimals=quote.asset_decimals,
        out_symbol=given.token_out.symbol,
        out_decimals=given.token_out.decimals,
        slippage=quote.slippage,
        settle_seconds=_settle_seconds(services, routed),
        bridge_data=routed.extra_data,
        coordinator=source.own.coordinator,
        bridger=source.own.bridger,
        metadata=given.metadata,
        payment_link_id=given.link,
        state=State.PENDING,
        received_units=0,
        held_units=0,
        relayer="",
        relayer_claimed=False,
        needs_relay=False,
        tx_hash=None,
        created_at=now,
        updated_at=now,
    )


def _terms(given: Asked, routed: Routed, now: datetime, life_seconds: int) -> Terms:
    # Whole seconds, since chains count in them and `expires_at` is shown in them.
    expires_at = now.replace(microsecond=0) + timedelta(seconds=life_seconds)
    quote = routed.quote
    assert given.recipient is not None
    assert given.refund_address is not None
    return Terms(
        nonce=secrets.randbits(_NONCE_BITS),
        source_chain=quote.source,
        destination_chain=quote.destination,
        token_in=quote.token_in,
        token_out=quote.token_out,
        total_units=quote.deposit_units,
        out_units=quote.out_units,
        recipient=given.recipient,
        refund_address=given.refund_address,
        bridge=quote.bridge.value if quote.bridge else "",
        expires_at=expires_at,
    )


def _settle_seconds(services: Services, routed: Routed) -> int:
    usual = routed.offer.settle_seconds if routed.offer else 0
    most = services.policy.most_settle_seconds
    return usual if most is None else min(usual, most)
