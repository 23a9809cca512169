"""A live EVM chain behind the chain port."""

from collections.abc import Collection, Mapping, Sequence

from crossway.adapters.chains.evm import balances, coordinator, refusals
from crossway.adapters.chains.evm.calldata import ZERO, encode_call
from crossway.adapters.chains.evm.chain_context import ChainContext, EvmHeadTracker
from crossway.adapters.chains.evm.deposits import EvmDeposits
from crossway.adapters.chains.evm.tx_history import EvmTxHistory
from crossway.adapters.chains.evm.tx_sender import EvmTxSender
from crossway.adapters.chains.rpc.head_tracker import HeadPolicy
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_chain import RpcChain
from crossway.domain.outbound_call import OutboundCall
from crossway.ports.chain_calls import PublicCall


class EvmChain(RpcChain[ChainContext, EvmTxSender]):
    """`ports.chain.Chain` over the nodes of an EVM chain."""

    kind = "evm"
    has_nonces = True

    def __init__(self, context: ChainContext, policy: HeadPolicy) -> None:
        head_tracker = EvmHeadTracker(context, policy)
        sender = EvmTxSender(context, head_tracker)
        deposits, tx_history = EvmDeposits(context), EvmTxHistory(context)
        super().__init__(context, head_tracker, sender, deposits, tx_history)

    def public_call(self, call: OutboundCall) -> PublicCall | None:
        encoded = encode_call(self.context.catalogue, self.context.deployment, call)
        return PublicCall(encoded.to, encoded.hex)

    def _native_token(self) -> str:
        return ZERO

    def _read_balances(
        self, session: RpcSession, addresses: Sequence[str], token: str
    ) -> Mapping[str, int]:
        return balances.read_balances(self.context, session, addresses, token)

    def _read_agencies(self, session: RpcSession, coordinators: Collection[str]) -> set[str]:
        at, relayer = self.context.deployment, self.accounts.relayer
        return coordinator.read_authorized(session, self.kind, at, relayer, coordinators)

    def _read_retained(self, session: RpcSession, account: str, token: str) -> int:
        at = self.context.deployment
        return coordinator.read_retained(session, self.kind, at, account, token)

    def _read_refusals(self, session: RpcSession, calls: Sequence[OutboundCall]) -> Sequence[str]:
        return refusals.read_refusals(self.context, session, calls)
