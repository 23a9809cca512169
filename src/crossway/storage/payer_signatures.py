"""Payers' signatures, and the payments that are offered for one."""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, func, insert, select, text, update
from sqlalchemy.exc import IntegrityError

from crossway.domain.errors import Conflict
from crossway.domain.payer_signatures import (
    PayerSignature,
    SignatureEvent,
    SignatureOutcome,
    SignatureState,
    advance_signature,
)
from crossway.sql.in_values import in_values
from crossway.storage.row_mapper import RowMapper, to_micros
from crossway.storage.signature_tables import payer_signatures, x402_offers

SIGNATURES: Final = RowMapper(PayerSignature, payer_signatures, {"authorization.to": "to_address"})
_c = payer_signatures.c


class SqlPayerSignatures:
    """`ports.payer_signatures.PayerSignatureRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def add(self, signature: PayerSignature) -> PayerSignature:
        try:
            with self._db.begin_nested():
                result = self._db.execute(
                    insert(payer_signatures), SIGNATURES.encode_new(signature)
                )
        except IntegrityError:
            raise Conflict("This signature is stored already.") from None
        key = result.inserted_primary_key
        assert key is not None
        return replace(signature, id=int(key[0]))

    def list_of_intent(self, intent_id: int) -> list[PayerSignature]:
        query = select(payer_signatures).where(_c.intent_id == intent_id).order_by(_c.id)
        return [SIGNATURES.decode(row) for row in self._db.execute(query)]

    def get_many(self, intent_ids: Collection[int]) -> dict[tuple[int, str], PayerSignature]:
        if not intent_ids:
            return {}
        query = select(payer_signatures).where(in_values(_c.intent_id, intent_ids))
        found = [SIGNATURES.decode(row) for row in self._db.execute(query)]
        return {(one.intent_id, one.authorization.nonce): one for one in found}

    def find_account_nonce(
        self, chain: str, token: str, payer: str, nonce: str
    ) -> PayerSignature | None:
        query = select(payer_signatures).where(
            _c.chain == chain, _c.token == token, _c.payer == payer, _c.nonce == nonce
        )
        row = self._db.execute(query).first()
        return None if row is None else SIGNATURES.decode(row)

    def mark_offers(self, intent_ids: Collection[int], at: datetime) -> None:
        rows = [{"intent_id": one, "created_at": to_micros(at)} for one in intent_ids]
        self._db.execute(insert(x402_offers), rows)

    def is_offer(self, intent_id: int) -> bool:
        query = select(x402_offers.c.intent_id).where(x402_offers.c.intent_id == intent_id)
        return self._db.execute(query).first() is not None

    def count_reverts(self, chain: str, since: datetime, payer: str | None = None) -> int:
        query = select(func.coalesce(func.sum(_c.revert_count), 0)).where(
            # A literal, as the index on those that failed has it.
            text("revert_count > 0"),
            _c.chain == chain,
            _c.updated_at >= to_micros(since),
            _c.state != SignatureState.PAID.value,
        )
        if payer is not None:
            query = query.where(_c.payer == payer)
        return int(self._db.execute(query).scalar_one())

    def has_paid(self, chain: str, token: str, payer: str) -> bool:
        of_account = _c.chain == chain, _c.token == token, _c.payer == payer
        paid = select(_c.id).where(*of_account, _c.state == SignatureState.PAID.value)
        return self._db.execute(paid.limit(1)).first() is not None

    def count_revert(self, intent_id: int, nonce: str, at: datetime) -> None:
        change = {"revert_count": _c.revert_count + 1, "updated_at": to_micros(at)}
        self._db.execute(
            update(payer_signatures)
            .where(_c.intent_id == intent_id, _c.nonce == nonce)
            .values(change)
        )

    def apply(self, intent_id: int, nonce: str, outcome: SignatureOutcome, at: datetime) -> None:
        # Only what was paid can be reversed; everything else happens to one that is stored.
        is_reversal = outcome.event is SignatureEvent.REVERSE
        before = SignatureState.PAID if is_reversal else SignatureState.STORED
        change = {
            "state": advance_signature(before, outcome.event).value,
            "reason": outcome.reason,
            "tx_id": outcome.tx_id,
            "updated_at": to_micros(at),
        }
        self._db.execute(
            update(payer_signatures)
            .where(_c.intent_id == intent_id, _c.nonce == nonce, _c.state == before.value)
            .values(change)
        )
