"""Intents and their moves to rows and back."""

import json
from typing import Any
from uuid import uuid4

from crossway.domain.intent import Costs, Intent, State, Terms, Weight, weigh
from crossway.ports.records import Change, MoveRecord
from crossway.storage.announcements import announcement_row
from crossway.storage.rows import instant, micros


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
        "order_id": intent.order_id,
        "weight": weight(intent),
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
        order_id=row[47],
    )


def weight(intent: Intent) -> str:
    """What a list finds it by when something came in that is not what was asked, else nothing."""
    found = weigh(intent.terms.total_units, intent.received_units)
    return found.value if intent.received_units and found is not Weight.EXACT else ""


def facts_of(intent: Intent) -> str:
    """What of an intent can change, as it stood at a move: announcements are drawn from it."""
    return json.dumps(
        {
            "state": intent.state.value,
            "tx_hash": intent.tx_hash,
            "relayer": intent.relayer,
            "relayer_claimed": intent.relayer_claimed,
            "needs_relay": intent.needs_relay,
            "received_units": str(intent.received_units),
        },
        separators=(",", ":"),
    )


def announced(event_id: str, type: str, intent: Intent) -> dict[str, Any]:
    """The announcement of an intent as it stands after a move, as its row."""
    return announcement_row(
        event_id, intent.client_id, type, "intent", intent.id, micros(intent.updated_at),
        facts_of(intent),
    )  # fmt: skip


def change_row(before: Intent, after: Intent) -> dict[str, Any]:
    """What of an intent its events changed, as the parameters of its update."""
    return {
        "b_id": after.id,
        "b_state": before.state.value,
        "b_to": after.state.value,
        "b_received": str(after.received_units),
        "b_held": str(after.held_units),
        "b_weight": weight(after),
        "b_relayer": after.relayer,
        "b_claimed": after.relayer_claimed,
        "b_needs": after.needs_relay,
        "b_tx": after.tx_hash,
        "b_at": micros(after.updated_at),
    }


def move_row(change: Change) -> dict[str, Any]:
    """One event as a line of its intent's history."""
    after = change.after
    return {
        "event_id": f"evt_{uuid4().hex}",
        "intent_id": after.id,
        "client_id": after.client_id,
        "at": micros(after.updated_at),
        "event": change.event.value,
        "from_state": change.before.state.value,
        "to_state": after.state.value,
        "tells": change.move.tells,
        "note": change.note,
    }


def move_of(row: Any) -> MoveRecord:
    """The move of a whole row."""
    return MoveRecord(
        id=row.event_id,
        intent_id=row.intent_id,
        at=instant(row.at),
        event=row.event,
        from_state=None if row.from_state is None else State(row.from_state),
        to_state=State(row.to_state),
        tells=row.tells,
        note=row.note,
    )
