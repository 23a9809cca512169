"""Rows to records and back, one pair of functions for each noun."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from crossway.domain.clients import Client, Key, Mode, Scope
from crossway.domain.deposits import Deposit, DepositState, Incoming, Purpose
from crossway.domain.intent import Costs, Intent, State, Terms
from crossway.domain.transfers import Duty, Transfer, TransferState

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def micros(at: datetime) -> int:
    """An instant as whole microseconds since 1970, exactly."""
    return (at - _EPOCH) // _MICROSECOND


def instant(value: int) -> datetime:
    """The UTC instant of these microseconds."""
    return _EPOCH + timedelta(microseconds=value)


def maybe_instant(value: int | None) -> datetime | None:
    """As `instant`, keeping None."""
    return None if value is None else instant(value)


def intent_row(intent: Intent) -> dict[str, Any]:
    """An intent as its row, without the id."""
    terms, costs = intent.terms, intent.costs
    return {
        "client_id": intent.client_id,
        "mode": intent.mode,
        "key": intent.key,
        "address": intent.address,
        "destination_address": intent.destination_address,
        "deposit_token_account": intent.deposit_token_account,
        "nonce": str(terms.nonce),
        "source_chain": terms.source_chain,
        "destination_chain": terms.destination_chain,
        "token_in": terms.token_in,
        "token_out": terms.token_out,
        "total_units": str(terms.total_units),
        "out_units": str(terms.out_units),
        "recipient": terms.recipient,
        "refund_address": terms.refund_address,
        "bridge": terms.bridge,
        "expires_at": micros(terms.expires_at),
        "amount_micro_usd": costs.amount_micro_usd,
        "service_micro_usd": costs.service_micro_usd,
        "bridge_micro_usd": costs.bridge_micro_usd,
        "app_micro_usd": costs.app_micro_usd,
        "fees_units": str(costs.fees_units),
        "app_fee_units": str(costs.app_fee_units),
        "sender": intent.sender,
        "amount_units": str(intent.amount_units),
        "amount_symbol": intent.amount_symbol,
        "asset_symbol": intent.asset_symbol,
        "asset_decimals": intent.asset_decimals,
        "out_symbol": intent.out_symbol,
        "out_decimals": intent.out_decimals,
        "slippage": intent.slippage,
        "settle_seconds": intent.settle_seconds,
        "bridge_data": intent.bridge_data,
        "coordinator": intent.coordinator,
        "bridger": intent.bridger,
        "metadata": json.dumps(intent.metadata, separators=(",", ":")),
        "payment_link_id": intent.payment_link_id,
        "state": intent.state.value,
        "received_units": str(intent.received_units),
        "held_units": str(intent.held_units),
        "relayer": intent.relayer,
        "relayer_claimed": intent.relayer_claimed,
        "needs_relay": intent.needs_relay,
        "tx_hash": intent.tx_hash,
        "created_at": micros(intent.created_at),
        "updated_at": micros(intent.updated_at),
    }


def intent_of(row: Any) -> Intent:
    """The intent of a whole row, columns in the order of the table."""
    return Intent(
        id=row[0],
        client_id=row[1],
        mode=row[2],
        key=row[3],
        address=row[4],
        destination_address=row[5],
        deposit_token_account=row[6],
        terms=Terms(
            nonce=int(row[7]),
            source_chain=row[8],
            destination_chain=row[9],
            token_in=row[10],
            token_out=row[11],
            total_units=int(row[12]),
            out_units=int(row[13]),
            recipient=row[14],
            refund_address=row[15],
            bridge=row[16],
            expires_at=instant(row[17]),
        ),
        costs=Costs(
            amount_micro_usd=row[18],
            service_micro_usd=row[19],
            bridge_micro_usd=row[20],
            app_micro_usd=row[21],
            fees_units=int(row[22]),
            app_fee_units=int(row[23]),
        ),
        sender=row[24],
        amount_units=int(row[25]),
        amount_symbol=row[26],
        asset_symbol=row[27],
        asset_decimals=row[28],
        out_symbol=row[29],
        out_decimals=row[30],
        slippage=row[31],
        settle_seconds=row[32],
        bridge_data=row[33],
        coordinator=row[34],
        bridger=row[35],
        metadata=json.loads(row[36]) if row[36] != "{}" else {},
        payment_link_id=row[37],
        state=State(row[38]),
        received_units=int(row[39]),
        held_units=int(row[40]),
        relayer=row[41],
        relayer_claimed=bool(row[42]),
        needs_relay=bool(row[43]),
        tx_hash=row[44],
        created_at=instant(row[45]),
        updated_at=instant(row[46]),
    )


def transfer_of(row: Any) -> Transfer:
    """The transfer of a whole row, columns in the order of the table."""
    return Transfer(
        id=row[0],
        intent_id=row[1],
        duty=Duty(row[2]),
        cause=row[3],
        chain=row[4],
        token=row[5],
        units=None if row[6] is None else int(row[6]),
        to_address=row[7],
        state=TransferState(row[8]),
        tries=row[9],
        reason=row[10],
        next_at=instant(row[11]),
        tx_id=row[12],
        block_height=row[13],
        created_at=instant(row[14]),
        updated_at=instant(row[15]),
    )


def deposit_of(row: Any) -> Deposit:
    """The deposit of a whole row, columns by name."""
    return Deposit(
        id=row.id,
        intent_id=row.intent_id,
        incoming=Incoming(
            chain=row.chain,
            tx_hash=row.tx_hash,
            index=row.tx_index,
            block_height=row.block_height,
            block_hash=row.block_hash,
            token=row.token,
            sender=row.sender,
            to=row.to_address,
            units=int(row.units),
            at=instant(row.at),
        ),
        state=DepositState(row.state),
        purpose=None if row.purpose is None else Purpose(row.purpose),
        note=row.note,
        credited_at=maybe_instant(row.credited_at),
    )


def client_of(row: Any) -> Client:
    """The client of a whole row."""
    return Client(
        id=row.id,
        name=row.name,
        app_fee_bps=row.app_fee_bps,
        app_fee_cap_micro_usd=row.app_fee_cap_micro_usd,
        requests_per_minute=row.requests_per_minute,
        created_at=instant(row.created_at),
    )


def key_of(row: Any) -> Key:
    """The key of a whole row."""
    return Key(
        id=row.id,
        client_id=row.client_id,
        mode=Mode(row.mode),
        scopes=frozenset(Scope(s) for s in row.scopes.split(" ") if s),
        shown=row.shown,
        created_at=instant(row.created_at),
        revoked_at=maybe_instant(row.revoked_at),
        last_used_at=maybe_instant(row.last_used_at),
    )
