"""Finding intents by what a list asks for."""

from typing import Any

from sqlalchemy import Select, or_, select

from crossway.ports.records import IntentFilter
from crossway.storage.tables import intents, transfers


def filtered(query: Select[Any], wanted: IntentFilter) -> Select[Any]:
    """The query with every condition that the filter names."""
    c = intents.c
    if wanted.client_id is not None:
        query = query.where(c.client_id == wanted.client_id)
    if wanted.mode is not None:
        query = query.where(c.mode == wanted.mode)
    if wanted.states:
        query = query.where(c.state.in_([s.value for s in wanted.states]))
    if wanted.source_chain is not None:
        query = query.where(c.source_chain == wanted.source_chain)
    if wanted.destination_chain is not None:
        query = query.where(c.destination_chain == wanted.destination_chain)
    if wanted.sender is not None:
        query = query.where(c.sender == wanted.sender)
    if wanted.before_id is not None:
        query = query.where(c.id < wanted.before_id)
    return query.where(_matches(wanted.text)) if wanted.text else query


def _matches(text: str) -> Any:
    """Any column that identifies an intent equals the text; hashes of its transfers too."""
    by_tx = select(transfers.c.intent_id).where(transfers.c.tx_id == text)
    exact = (intents.c.address, intents.c.destination_address, intents.c.recipient)
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 18 else -1
    return or_(
        *(column == text for column in exact),
        intents.c.sender == text,
        intents.c.tx_hash == text,
        intents.c.id == number,
        intents.c.id.in_(by_tx),
    )
