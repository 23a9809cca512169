"""Replaces stuck transactions by ones with the same nonce and a higher fee."""

from collections.abc import Sequence

from crossway.domain.outbound import OutboundTxEvent
from crossway.engine.tx_builder import build_outbound_call
from crossway.engine.tx_submitter import broadcast
from crossway.ports.chain import Chain, SignedTx
from crossway.ports.records import OutboundTxChange, TxAttempt
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork

# A stuck transaction is not bumped once its fee is this many times the chain's current fee.
_MAX_FEE_FACTOR = 2
_REPLACED_REASON = "Pending for too long: sent again with a higher fee."


def bump_fees(services: Services, chain: Chain, stuck: Sequence[TxAttempt]) -> None:
    """Replace transactions that wait too long by ones with the same nonce and a higher fee.

    A transaction that already pays well above the current fee is not stuck because of its fee and
    is left alone; otherwise its fee would grow without limit.
    """
    current_fee = chain.fee_units()
    underpriced = [a for a in stuck if a.signed.fee_units < _MAX_FEE_FACTOR * current_fee]
    if not underpriced:
        return
    fee = max([current_fee, *(a.signed.fee_units * 5 // 4 + 1 for a in underpriced)])

    def work(unit: UnitOfWork) -> Sequence[SignedTx]:
        now = services.clock.now()
        locked = unit.outbound_txs.lock_signed(
            {a.outbound_tx_id: a.signed.tx_id for a in underpriced}
        )
        still_signed = [(tx, a) for a in underpriced if (tx := locked.get(a.outbound_tx_id))]
        intents = unit.intents.get_many({tx.intent_id for tx, _ in still_signed})
        calls = [
            (build_outbound_call(tx, intents[tx.intent_id], chain.accounts), a.signed.nonce)
            for tx, a in still_signed
        ]
        signed = chain.sign(calls, fee)
        replaced = [(tx, s) for (tx, _), s in zip(still_signed, signed, strict=True)]
        unit.outbound_txs.add_attempts(
            [TxAttempt(tx.id, chain.id, chain.accounts.relayer, s, now) for tx, s in replaced]
        )
        changes = [
            OutboundTxChange.after_event(
                tx, OutboundTxEvent.REPLACE, _REPLACED_REASON, now, tx_id=s.tx_id
            )
            for tx, s in replaced
        ]
        unit.outbound_txs.update(changes, now)
        return signed

    broadcast(services, chain, services.store.write(work))
