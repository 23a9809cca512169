"""Record numbers as outsiders see them: permuted by a key, so that they do not tell the volume."""

from enum import StrEnum
from functools import lru_cache
from hashlib import blake2b
from typing import Final

PURPOSE: Final = "public ids"
# JavaScript reads integers up to this one exactly.
MAX_PUBLIC_ID: Final = 2**53 - 1
_HALF_BITS: Final = 27
_HALF_MASK: Final = 2**_HALF_BITS - 1
_ROUNDS: Final = 8


class RecordKind(StrEnum):
    """The kinds of numbered records that outsiders see; each has a permutation of its own."""

    INTENT = "intent"
    ORDER = "ramp_order"
    WEBHOOK = "webhook"
    DELIVERY = "delivery"
    LINK_USE = "payment_link_use"
    EXPORT = "export"
    STANDING_DEPOSIT = "standing_deposit"
    INVOICE = "invoice"
    SUBSCRIPTION = "subscription"


class PublicIds:
    """A permutation of the integers from 1 to `MAX_PUBLIC_ID` for each kind of record.

    A Feistel network over 54 bits, walked on until its result is in range: each step of the walk is
    a permutation, and so is the walk. Without the key a number looks random and leads to no other.
    """

    def __init__(self, key: bytes) -> None:
        """`key` is secret and never changes; it has at most 64 bytes."""
        # What all numbers of a kind begin with is digested once.
        self._rounds = {
            kind: [
                blake2b(f"{kind} {number} ".encode(), digest_size=8, key=key)
                for number in range(_ROUNDS)
            ]
            for kind in RecordKind
        }

    def encode(self, kind: RecordKind, record_id: int) -> int:
        """The public number of a record. Raises `ValueError` outside the range."""
        return self._walk(kind, record_id, range(_ROUNDS))

    def decode(self, kind: RecordKind, public_id: int) -> int:
        """The record number of a public one. Raises `ValueError` outside the range."""
        return self._walk(kind, public_id, range(_ROUNDS - 1, -1, -1))

    def _walk(self, kind: RecordKind, number: int, rounds: range) -> int:
        if not 1 <= number <= MAX_PUBLIC_ID:
            raise ValueError(f"a record number must be from 1 to {MAX_PUBLIC_ID}")
        while True:
            number = self._permute(kind, number, rounds)
            if 1 <= number <= MAX_PUBLIC_ID:
                return number

    def _permute(self, kind: RecordKind, number: int, rounds: range) -> int:
        left, right = number >> _HALF_BITS, number & _HALF_MASK
        # Backwards the halves change places, so that the same step undoes itself.
        if rounds[0]:
            left, right = right, left
        for round_number in rounds:
            left, right = right, left ^ self._mix(kind, round_number, right)
        if rounds[0]:
            left, right = right, left
        return left << _HALF_BITS | right

    def _mix(self, kind: RecordKind, round_number: int, half: int) -> int:
        """A keyed digest of "kind round half"."""
        digest = self._rounds[kind][round_number].copy()
        digest.update(b"%d" % half)
        return int.from_bytes(digest.digest(), "big") & _HALF_MASK


@lru_cache(maxsize=16)
def public_ids(key: bytes) -> PublicIds:
    """The permutations of a key."""
    return PublicIds(key)
