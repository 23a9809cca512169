"""Misdirected deposits, which go back once their payment has started."""

from collections.abc import Sequence

from crossway.domain.outbound import OutboundTx, OutboundTxKind
from crossway.ports.chain import Chain
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.lifecycle import IntentBatch
from crossway.usecases.payments.returns import enqueue_deposit_returns


def settle_misdirected(
    unit: UnitOfWork, batch: IntentBatch, chain: Chain, settled: Sequence[tuple[OutboundTx, bool]]
) -> None:
    """Close misdirected deposits that were returned; enqueue returns for intents that started.

    `settled` pairs each transaction with whether it succeeded.
    """
    unit.deposits.mark_returned(
        {
            (t.intent_id, chain.id, t.token)
            for t, succeeded in settled
            if succeeded and t.kind is OutboundTxKind.RETURN_EXCESS
        }
    )
    started = [
        t.intent_id for t, succeeded in settled if succeeded and t.kind is OutboundTxKind.START
    ]
    if started:
        enqueue_deposit_returns(unit, batch, started)
