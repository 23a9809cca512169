"""URLs of payer pages. The token in a checkout URL is an authentication tag and the intent's id,
masked by the tag.

Tokens are not stored. Their security rests on the secrecy of the vault's index key.
"""

import hmac
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode

from crossway.domain.errors import NotFound
from crossway.ports.services import Services

_PROOF_BYTES, _ID_BYTES = 16, 8
_PATTERN = re.compile(r"[A-Za-z0-9_-]{32}\Z")
_MAX_ID = 2**63


def checkout_url(services: Services, request_origin: str, intent_id: int) -> str:
    """The checkout URL of an intent. Without a configured public URL it begins with
    `request_origin`; where there is no request (an empty one), with the URL of this machine."""
    ingress = services.policy.ingress
    origin = ingress.public_url or request_origin or ingress.local_url
    return f"{origin}/pay/{create_token(services, intent_id)}"


def link_url(services: Services, request_origin: str, link_id: str) -> str:
    """The URL of a payment link's page; `request_origin` as in `checkout_url`."""
    return f"{services.policy.ingress.public_url or request_origin}/pay/l/{link_id}"


def create_token(services: Services, intent_id: int) -> str:
    """The token of an intent's checkout URL. It cannot be guessed, and reveals neither the intent's
    id nor the number of payments."""
    proof = _proof(services, intent_id)
    number = intent_id ^ _mask(services, proof)
    return urlsafe_b64encode(proof + number.to_bytes(_ID_BYTES, "big")).decode()


def parse_token(services: Services, token: str) -> int:
    """The intent id of a token; raises `NotFound` for a token that was not created here."""
    if not _PATTERN.match(token):
        raise NotFound("No such page")
    decoded = urlsafe_b64decode(token)
    proof, masked = decoded[:_PROOF_BYTES], decoded[_PROOF_BYTES:]
    number = int.from_bytes(masked, "big") ^ _mask(services, proof)
    if not hmac.compare_digest(proof, _proof(services, number)) or number >= _MAX_ID:
        raise NotFound("No such page")
    return number


def _proof(services: Services, intent_id: int) -> bytes:
    return bytes.fromhex(services.vault.blind_index(f"payer's page of intent {intent_id}"))[
        :_PROOF_BYTES
    ]


def _mask(services: Services, proof: bytes) -> int:
    digest = bytes.fromhex(services.vault.blind_index(f"payer's page number {proof.hex()}"))
    return int.from_bytes(digest[:_ID_BYTES], "big")
