"""What older versions did not store beside an intent, worked out once when the tables change."""

import json
from typing import Final

from sqlalchemy import Connection, bindparam, insert, select, update

from crossway.domain.intent import Weight, weigh
from crossway.storage.desk import values_of
from crossway.storage.finding_tables import metadata_values
from crossway.storage.sets import once_a_row
from crossway.storage.tables import intents

BATCH: Final = 2_000
_WEIGH = (
    update(intents).where(intents.c.id == bindparam("b_id")).values(weight=bindparam("b_weight"))
)


def backfill(db: Connection) -> None:
    """Index the metadata of every intent there is, and weigh what came in for it."""
    after = 0
    query = select(
        intents.c.id, intents.c.metadata, intents.c.total_units, intents.c.received_units
    )
    while rows := db.execute(
        query.where(intents.c.id > after).order_by(intents.c.id).limit(BATCH)
    ).all():
        values, weights = [], []
        for number, metadata, total, received in rows:
            for field, value in values_of(json.loads(metadata)):
                values.append({"value": value, "intent_id": number, "field": field})
            weight = weigh(int(total), int(received))
            if int(received) and weight is not Weight.EXACT:
                weights.append({"b_id": number, "b_weight": weight.value})
        once_a_row(db, insert(metadata_values), values)
        once_a_row(db, _WEIGH, weights)
        after = rows[-1][0]
