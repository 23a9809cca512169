"""Rows to records and back, one pair of functions for each noun."""

import json
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any

from crossway.domain.clients import Brand, Client, Key, Mode, Scope
from crossway.domain.deposits import Deposit, DepositState, Incoming, Purpose
from crossway.domain.transfers import Duty, Transfer, TransferState
from crossway.ports.records import Attempt, Owed

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


def maybe_micros(at: datetime | None) -> int | None:
    """As `micros`, keeping None."""
    return None if at is None else micros(at)


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
        refund_addresses=json.loads(row.refund_addresses),
        brand=Brand(**json.loads(row.brand)),
    )


def client_row(client: Client) -> dict[str, object]:
    """A client as its row."""
    return {
        "id": client.id,
        "name": client.name,
        "app_fee_bps": client.app_fee_bps,
        "app_fee_cap_micro_usd": client.app_fee_cap_micro_usd,
        "requests_per_minute": client.requests_per_minute,
        "created_at": micros(client.created_at),
        "refund_addresses": json.dumps(dict(client.refund_addresses)),
        "brand": json.dumps(asdict(client.brand)),
    }


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
        ends_at=maybe_instant(row.ends_at),
        requests_per_minute=row.requests_per_minute,
        addresses=tuple(row.addresses.split()),
    )


def key_row(key: Key, secret_hash: str) -> dict[str, object]:
    """A key as its row, its number apart."""
    return {
        "client_id": key.client_id,
        "mode": key.mode.value,
        "scopes": " ".join(sorted(scope.value for scope in key.scopes)),
        "shown": key.shown,
        "secret_hash": secret_hash,
        "created_at": micros(key.created_at),
        "revoked_at": maybe_micros(key.revoked_at),
        "last_used_at": maybe_micros(key.last_used_at),
        "ends_at": maybe_micros(key.ends_at),
        "requests_per_minute": key.requests_per_minute,
        "addresses": " ".join(key.addresses),
    }


def owed_row(owed: Owed, at: datetime) -> dict[str, object]:
    """A duty as the row of a transfer that is due."""
    return {
        "intent_id": owed.intent_id,
        "duty": owed.duty.value,
        "cause": owed.cause,
        "chain": owed.chain,
        "token": owed.token,
        "units": None if owed.units is None else str(owed.units),
        "to_address": owed.to_address,
        "state": TransferState.DUE.value,
        "tries": 0,
        "reason": "",
        "next_at": micros(owed.next_at),
        "tx_id": None,
        "block_height": None,
        "created_at": micros(at),
        "updated_at": micros(at),
    }


def attempt_row(attempt: Attempt) -> dict[str, object]:
    """Signed bytes as their row."""
    return {
        "transfer_id": attempt.transfer_id,
        "chain": attempt.chain,
        "account": attempt.account,
        "nonce": str(attempt.signed.nonce),
        "tx_id": attempt.signed.tx_id,
        "fee_units": str(attempt.signed.fee_units),
        "raw": attempt.signed.raw,
        "at": micros(attempt.at),
    }
