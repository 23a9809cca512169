"""Mappers for the tables of deposits, outbound transactions, clients and API keys."""

from datetime import datetime
from typing import Any, Final

from crossway.domain.clients import ApiKey, Client
from crossway.domain.deposits import Deposit
from crossway.domain.outbound import OutboundTx, OutboundTxState
from crossway.ports.records import NewOutboundTx, TxAttempt
from crossway.storage.row_mapper import RowMapper, to_micros
from crossway.storage.tables import api_keys, clients, deposits, outbound_txs, tx_attempts

CLIENTS: Final = RowMapper(Client, clients)
API_KEYS: Final = RowMapper(ApiKey, api_keys)
DEPOSITS: Final = RowMapper(
    Deposit, deposits, {"incoming.index": "tx_index", "incoming.to": "to_address"}
)
OUTBOUND_TXS: Final = RowMapper(OutboundTx, outbound_txs)
NEW_OUTBOUND_TXS: Final = RowMapper(NewOutboundTx, outbound_txs)
TX_ATTEMPTS: Final = RowMapper(TxAttempt, tx_attempts)


def new_outbound_tx_row(new: NewOutboundTx, at: datetime) -> dict[str, Any]:
    """The row of an outbound transaction that is due."""
    return NEW_OUTBOUND_TXS.encode(new) | {
        "state": OutboundTxState.DUE.value,
        "attempt_count": 0,
        "reason": "",
        "tx_id": None,
        "block_height": None,
        "created_at": to_micros(at),
        "updated_at": to_micros(at),
    }
