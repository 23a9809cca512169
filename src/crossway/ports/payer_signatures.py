"""The ports of payers' signatures: a chain whose tokens take them, and their repository."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, runtime_checkable

from crossway.domain.payer_signatures import (
    Authorization,
    PayerSignature,
    SignatureOutcome,
    SignatureStandard,
)


@dataclass(frozen=True, slots=True)
class SigningDomain:
    """The name and the version under which a token's holders sign; by Permit2, `spender` is the
    contract that moves what the holder allowed Permit2 to."""

    name: str
    version: str
    standard: SignatureStandard = SignatureStandard.EIP3009
    spender: str = ""


@dataclass(frozen=True, slots=True)
class SignatureCheck:
    """What the chain says of a signature that was not carried out: `ended` where its nonce was used
    already or made worthless, else `refusal`, why the call would fail now, empty where it would
    not."""

    ended: SignatureOutcome | None = None
    refusal: str = ""


@runtime_checkable
class TakesSignatures(Protocol):
    """A chain on which tokens can be moved by their holder's signature alone."""

    def signing_domain(self, token: str) -> SigningDomain | None:
        """The domain of a token as it says itself, else that of Permit2; None where the token signs
        under a domain that is not what it says and the chain has no Permit2, or not our contract.
        Raises `Unreachable`."""
        ...

    def may_sign(self, token: str, account: str, amount: int) -> bool:
        """Whether an account need not approve anything before it signs for this amount of a token.
        Raises `Unreachable`."""
        ...

    def typed_data(self, authorization: Authorization, domain: SigningDomain) -> Mapping[str, Any]:
        """What a wallet is to sign, as `eth_signTypedData_v4` takes it. Pure."""
        ...

    def parse_signature(
        self, authorization: Authorization, domain: SigningDomain, text: str
    ) -> bytes:
        """The bytes of a signature in hex. Pure. Raises `ValueError` with a sentence where it is
        not the payer's, for exactly this, in the one form that tokens accept."""
        ...

    def check_signatures(self, signatures: Sequence[PayerSignature]) -> Sequence[SignatureCheck]:
        """What would become of each if it were carried out now. Sends nothing that could be
        included. Raises `Unreachable`."""
        ...


class PayerSignatureRepository(Protocol):
    """Payers' signatures, each stored with the outbound transaction that carries it out, whose
    cause is its nonce."""

    def add(self, signature: PayerSignature) -> PayerSignature:
        """Store one, whose id the database gives. Raises `Conflict` where this nonce of the account
        is stored already."""
        ...

    def list_of_intent(self, intent_id: int) -> list[PayerSignature]:
        """Oldest first."""
        ...

    def get_many(self, intent_ids: Collection[int]) -> dict[tuple[int, str], PayerSignature]:
        """All of these payments, by payment and nonce."""
        ...

    def find_account_nonce(
        self, chain: str, token: str, payer: str, nonce: str
    ) -> PayerSignature | None: ...

    def mark_offers(self, intent_ids: Collection[int], at: datetime) -> None:
        """Note that payments were quoted to be made by a signature, and offered so (x402)."""
        ...

    def is_offer(self, intent_id: int) -> bool:
        """Whether a payment was offered so, and its quote pays for its signature."""
        ...

    def count_reverts(self, chain: str, since: datetime, payer: str | None = None) -> int:
        """How many transactions failed since an instant to carry out signatures on a chain, with a
        `payer` those of this account. Where somebody else carried the signature out before ours,
        the payment is made, and it does not count: who overtakes ours must not close the way."""
        ...

    def has_paid(self, chain: str, token: str, payer: str) -> bool:
        """Whether a signature of an account for this token was ever carried out."""
        ...

    def count_revert(self, intent_id: int, nonce: str, at: datetime) -> None:
        """Count a transaction that failed to carry one out."""
        ...

    def apply(self, intent_id: int, nonce: str, outcome: SignatureOutcome, at: datetime) -> None:
        """Apply what became of one. One that ended meanwhile is left alone."""
        ...
