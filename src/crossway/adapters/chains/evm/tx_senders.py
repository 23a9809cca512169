"""Sending with several accounts of an EVM chain: each transaction through its account's sender."""

from collections.abc import Collection, Mapping, Sequence
from itertools import groupby

from crossway.adapters.chains.evm.chain_context import ChainContext, EvmHeadTracker
from crossway.adapters.chains.evm.market_price import MarketTip
from crossway.adapters.chains.evm.tx_sender import EvmTxSender
from crossway.domain.outbound_call import OutboundCall
from crossway.ports.chain import SignedTx, TxStatus


class EvmTxSenders(EvmTxSender):
    """The relayer's sender, and behind it those of the accounts that hold gas alone."""

    def __init__(self, context: ChainContext, head_tracker: EvmHeadTracker) -> None:
        tip = MarketTip()
        super().__init__(context, head_tracker, context.signer, tip)
        self._others = {
            signer.address: EvmTxSender(context, head_tracker, signer, tip)
            for signer in context.gas_signers
        }

    def sign(self, calls: Sequence[tuple[OutboundCall, int]], fee_units: int) -> Sequence[SignedTx]:
        signed: dict[int, SignedTx] = {}
        by_account = sorted(range(len(calls)), key=lambda number: calls[number][0].account)
        for account, numbers in groupby(by_account, key=lambda number: calls[number][0].account):
            own = list(numbers)
            sign = self._others[account].sign if account in self._others else super().sign
            signed |= dict(zip(own, sign([calls[n] for n in own], fee_units), strict=True))
        return [signed[number] for number in range(len(calls))]

    def broadcast(self, transactions: Sequence[SignedTx]) -> Sequence[str]:
        errors: dict[str, str] = {}
        for account, sender in self._others.items():
            own = [one for one in transactions if one.account == account]
            results = sender.broadcast(own)
            errors |= {one.tx_id: error for one, error in zip(own, results, strict=True)}
        rest = [one for one in transactions if one.account not in self._others]
        results = super().broadcast(rest)
        errors |= {one.tx_id: error for one, error in zip(rest, results, strict=True)}
        return [errors[one.tx_id] for one in transactions]

    def status(self, tx_ids: Collection[str]) -> Mapping[str, TxStatus]:
        statuses: dict[str, TxStatus] = {}
        rest = set(tx_ids)
        for sender in self._others.values():
            own = {tx_id for tx_id in rest if sender.knows(tx_id)}
            rest -= own
            statuses |= sender.status(own)
        statuses.update(super().status(rest))
        return statuses
