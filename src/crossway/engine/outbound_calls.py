"""The calls of outbound transactions of every kind, from what is stored of them."""

from collections.abc import Mapping, Sequence

from crossway.domain.intent import Intent
from crossway.domain.outbound import INVENTORY_KINDS, OutboundTx, OutboundTxKind
from crossway.domain.outbound_call import OutboundCall
from crossway.domain.owners import is_payment
from crossway.engine.inventory_txs import build_inventory_calls
from crossway.engine.pay_ins import with_signatures
from crossway.engine.tx_builder import build_outbound_call
from crossway.ports.chain import Chain
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.standing_calls import build_standing_calls


def build_calls(
    unit: UnitOfWork,
    services: Services,
    chain: Chain,
    txs: Sequence[OutboundTx],
    intents: Mapping[int, Intent],
) -> dict[int, OutboundCall]:
    """By transaction, its call, the same each time; missing where a bridge is not configured any
    more. `intents` are those of the transactions that belong to payments."""
    transfers = unit.bridge_transfers.get_many(
        {tx.intent_id for tx in txs if tx.kind is OutboundTxKind.DELIVER}
    )
    calls = {
        tx.id: build_outbound_call(
            tx, intents[tx.intent_id], chain.accounts, transfers.get(tx.intent_id)
        )
        for tx in txs
        if tx.kind not in INVENTORY_KINDS and is_payment(tx.intent_id)
    }
    calls |= build_standing_calls(unit, chain, txs)
    calls |= build_inventory_calls(unit, services, chain, txs, intents)
    return with_signatures(unit, txs, calls)
