"""The deposits of intents, however many an intent has."""

from collections import Counter
from collections.abc import Collection

from sqlalchemy import Connection, select, text

from crossway.domain.deposits import DepositState
from crossway.domain.ledger import AddressKey
from crossway.sql.in_values import in_values
from crossway.storage.tables import deposits, intents

_NEAR = deposits.alias()


class DepositsOfIntents:
    """The part of `SqlDeposits` that tells about payments without listing their deposits."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def sum_seen(self, intent_ids: Collection[int]) -> dict[AddressKey, int]:
        columns = (deposits.c.intent_id, deposits.c.chain, deposits.c.token, deposits.c.amount)
        query = select(*columns).where(
            in_values(deposits.c.intent_id, intent_ids),
            deposits.c.state == DepositState.SEEN.value,
        )
        sums: dict[AddressKey, int] = Counter()
        for intent_id, chain, token, amount in self._db.execute(query) if intent_ids else ():
            sums[intent_id, chain, token] += int(amount)
        return sums

    def find_late(self, intent_ids: Collection[int]) -> set[int]:
        # The condition of the partial index, and ours.
        unexpected = "purpose IN ('LATE', 'WRONG_TOKEN', 'WRONG_CHAIN')"
        return self._find(intent_ids, f"{unexpected} AND purpose = 'LATE'")

    def find_orphaned(self, intent_ids: Collection[int]) -> set[int]:
        return self._find(intent_ids, "state = 'ORPHANED'")

    def _find(self, intent_ids: Collection[int], condition: str) -> set[int]:
        """Those of the payments that have a deposit with a property; each is found by an index."""
        some = select(_NEAR.c.id).where(_NEAR.c.intent_id == intents.c.id, text(condition))
        query = select(intents.c.id).where(
            in_values(intents.c.id, intent_ids), some.correlate(intents).exists()
        )
        return set(self._db.execute(query).scalars())
