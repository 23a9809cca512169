"""What x402 (version 2, scheme `exact`) says of offers and payments, as JSON."""

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from crossway.domain.catalogue import Chain
from crossway.domain.payer_signatures import Authorization, SignatureStandard
from crossway.ports.services import Services

VERSION: Final = 2
SCHEME: Final = "exact"
MOST_HEADER: Final = 16_384
_NETWORK: Final = "eip155:"
_NONCE: Final = 66


class PaymentUnreadable(ValueError):
    """A payment is not one of x402 as we take it; the message is the protocol's reason."""


@dataclass(frozen=True, slots=True)
class PaymentOffer:
    """One way to pay, in the terms of the protocol: `amount` units of `asset` to `pay_to`, by a
    signature under `name` and `version` that is valid for at most `seconds`."""

    chain: Chain
    asset: str
    amount: int
    pay_to: str
    seconds: int
    name: str
    version: str

    def to_json(self) -> dict[str, Any]:
        """One of `accepts`."""
        return {
            "scheme": SCHEME,
            "network": network_of(self.chain),
            "amount": str(self.amount),
            "asset": self.asset,
            "payTo": self.pay_to,
            "maxTimeoutSeconds": self.seconds,
            "extra": {"name": self.name, "version": self.version},
        }


def network_of(chain: Chain) -> str:
    """A chain's name in the protocol."""
    return f"{_NETWORK}{chain.chain_id}"


def payment_required(
    offers: Sequence[PaymentOffer], url: str, description: str = "", error: str = "Payment required"
) -> dict[str, Any]:
    """The body of an answer with status 402."""
    resource = {"url": url, "description": description, "mimeType": "application/json"}
    accepts = [offer.to_json() for offer in offers]
    return {"x402Version": VERSION, "error": error, "resource": resource, "accepts": accepts}


def encode_header(content: Mapping[str, Any]) -> str:
    """A header's value."""
    return b64encode(json.dumps(content, separators=(",", ":")).encode()).decode()


def decode_header(value: str) -> Mapping[str, Any]:
    """What a header's value says. Raises `PaymentUnreadable`."""
    if len(value) > MOST_HEADER:
        raise PaymentUnreadable("invalid_payload")
    try:
        content = json.loads(b64decode(value, validate=True))
    except (ValueError, RecursionError):
        raise PaymentUnreadable("invalid_payload") from None
    return _object(content)


def parse_payment(services: Services, payment: Mapping[str, Any]) -> tuple[Authorization, str]:
    """What was signed, on one of our chains, and the signature. Raises `PaymentUnreadable`."""
    if payment.get("x402Version") != VERSION:
        raise PaymentUnreadable("invalid_x402_version")
    accepted, payload = _object(payment.get("accepted")), _object(payment.get("payload"))
    if accepted.get("scheme") != SCHEME:
        raise PaymentUnreadable("unsupported_scheme")
    chain = find_chain(services, accepted.get("network"))
    if chain is None:
        raise PaymentUnreadable("invalid_network")
    signed = _object(payload.get("authorization"))
    authorization = Authorization(
        SignatureStandard.EIP3009,
        chain.id,
        _address(services, chain, accepted.get("asset")),
        _address(services, chain, signed.get("from")),
        _address(services, chain, signed.get("to")),
        _number(signed.get("value")),
        _number(signed.get("validAfter")),
        _number(signed.get("validBefore")),
        _nonce(signed.get("nonce")),
    )
    return authorization, _text(payload.get("signature"))


def find_chain(services: Services, network: object) -> Chain | None:
    """The live chain of a name in the protocol."""
    known = (services.catalogue.chains[name] for name in services.chains)
    return next((c for c in known if c.kind == "evm" and network_of(c) == network), None)


def _object(value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise PaymentUnreadable("invalid_payload")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise PaymentUnreadable("invalid_payload")
    return value


def _number(value: object) -> int:
    text = _text(value)
    if not (text.isascii() and text.isdecimal() and len(text) <= 78) or int(text) >= 1 << 256:
        raise PaymentUnreadable("invalid_payload")
    return int(text)


def _nonce(value: object) -> str:
    text = _text(value).lower()
    try:
        known = len(text) == _NONCE and text.startswith("0x") and bytes.fromhex(text[2:])
    except ValueError:
        known = b""
    if not known:
        raise PaymentUnreadable("invalid_payload")
    return text


def _address(services: Services, chain: Chain, value: object) -> str:
    try:
        return services.chains[chain.id].canonical_address(_text(value))
    except ValueError:
        raise PaymentUnreadable("invalid_payload") from None
