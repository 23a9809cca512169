"""Mappers for standing addresses and their deposits, and the events of these."""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement

from crossway.domain.deposits import IncomingTransfer
from crossway.domain.event_ids import new_event_id
from crossway.domain.standing import (
    StandingAddress,
    StandingDeposit,
    StandingState,
    standing_owner,
)
from crossway.domain.webhooks import EventType
from crossway.storage.row_mapper import RowMapper, to_json, to_micros
from crossway.storage.sealing import Seal
from crossway.storage.standing_tables import standing_addresses, standing_deposits

ADDRESSES: Final = RowMapper(StandingAddress, standing_addresses, {"number": "id", "id": "name"})
DEPOSITS: Final = RowMapper(
    StandingDeposit,
    standing_deposits,
    {"incoming.index": "tx_index", "incoming.to": "to_address"},
)
EVENT_KIND: Final = "standing_deposit"
# What can change of a deposit: events are rendered from it.
_SNAPSHOT: Final = DEPOSITS.encoder(
    only=("state", "reason", "intent_id", "updated_at", "block_height", "block_hash")
)


def shard_number(column: ColumnElement[int]) -> ColumnElement[int]:
    """The number by which the transactions of a deposit are divided into shards, without its
    sign."""
    return column - standing_owner(0)


def new_deposit_row(
    address: StandingAddress, incoming: IncomingTransfer, depth: int, at: datetime
) -> dict[str, Any]:
    """The row of a transfer that needs so many confirmations."""
    deposit = StandingDeposit(
        0,
        address.number,
        address.client_id,
        address.mode,
        incoming,
        StandingState.SEEN,
        None,
        0,
        "",
        at,
        at,
        at,
    )
    return DEPOSITS.encode_new(deposit) | {"ready_height": incoming.block_height + depth}


def deposit_event_row(deposit: StandingDeposit, seal: Seal) -> dict[str, Any]:
    """The outbox event of a deposit as it is after a change, as its row."""
    return {
        "event_id": new_event_id(),
        "client_id": deposit.client_id,
        "type": EventType.STANDING_DEPOSIT_UPDATED.value,
        "kind": EVENT_KIND,
        "resource_id": deposit.id,
        "at": to_micros(deposit.updated_at),
        "snapshot": seal(to_json(_SNAPSHOT(deposit))),
        "mode": deposit.mode.value,
    }
