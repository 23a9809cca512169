"""The names of payers' pages: a proof that we gave it, and the intent's number, hidden by it.

Nothing is stored for them; they are as good as the vault's index key is secret.
"""

import hmac
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode

from crossway.domain.errors import NotFound
from crossway.ports.services import Services

_PROOF_BYTES, _NUMBER_BYTES = 16, 8
_FORM = re.compile(r"[A-Za-z0-9_-]{32}\Z")
_MOST = 2**63


def sealed(services: Services, intent_id: int) -> str:
    """The name of an intent's page."""
    proof = _proof(services, intent_id)
    number = intent_id ^ _mask(services, proof)
    return urlsafe_b64encode(proof + number.to_bytes(_NUMBER_BYTES, "big")).decode()


def opened(services: Services, name: str) -> int:
    """The number of the intent that a name names; raises `NotFound` for one that we never gave."""
    if not _FORM.match(name):
        raise NotFound("No such page")
    raw = urlsafe_b64decode(name)
    proof, hidden = raw[:_PROOF_BYTES], raw[_PROOF_BYTES:]
    number = int.from_bytes(hidden, "big") ^ _mask(services, proof)
    if not hmac.compare_digest(proof, _proof(services, number)) or number >= _MOST:
        raise NotFound("No such page")
    return number


def _proof(services: Services, intent_id: int) -> bytes:
    return bytes.fromhex(services.vault.index(f"payer's page of intent {intent_id}"))[:_PROOF_BYTES]


def _mask(services: Services, proof: bytes) -> int:
    digest = bytes.fromhex(services.vault.index(f"payer's page number {proof.hex()}"))
    return int.from_bytes(digest[:_NUMBER_BYTES], "big")
