"""A live Starknet chain behind the chain port."""

from collections.abc import Collection, Mapping, Sequence

from crossway.adapters.chains.rpc.head_tracker import HeadPolicy
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_chain import RpcChain
from crossway.adapters.chains.starknet import balances, coordinator, refusals
from crossway.adapters.chains.starknet.calldata import encode_calls
from crossway.adapters.chains.starknet.chain_context import ChainContext, StarknetHeadTracker
from crossway.adapters.chains.starknet.deposits import StarknetDeposits
from crossway.adapters.chains.starknet.tx_history import StarknetTxHistory
from crossway.adapters.chains.starknet.tx_sender import StarknetTxSender
from crossway.domain.outbound_call import OutboundCall
from crossway.ports.chain_calls import PublicCall


class StarknetChain(RpcChain[ChainContext, StarknetTxSender]):
    """`ports.chain.Chain` over the nodes of a Starknet chain."""

    kind = "starknet"
    # The sequencer replaces a transaction by one with the same nonce and a 10 % higher fee.
    has_nonces = True

    def __init__(self, context: ChainContext, policy: HeadPolicy) -> None:
        head_tracker = StarknetHeadTracker(context, policy)
        sender = StarknetTxSender(context, head_tracker)
        deposits, tx_history = StarknetDeposits(context), StarknetTxHistory(context)
        super().__init__(context, head_tracker, sender, deposits, tx_history)

    def public_call(self, call: OutboundCall) -> PublicCall | None:
        (encoded,) = encode_calls(self.context.catalogue, self.context.deployment, call)
        return PublicCall(encoded.to, " ".join([encoded.entry, *map(hex, encoded.data)]))

    def _native_token(self) -> str:
        return self.context.fee_token

    def _read_balances(
        self, session: RpcSession, addresses: Sequence[str], token: str
    ) -> Mapping[str, int]:
        return balances.read_balances(self.context, session, addresses, token)

    def _read_agencies(self, session: RpcSession, coordinators: Collection[str]) -> set[str]:
        at, relayer = self.context.deployment, self.accounts.relayer
        return coordinator.read_authorized(session, at, relayer, coordinators)

    def _read_retained(self, session: RpcSession, account: str, token: str) -> int:
        return coordinator.read_retained(session, self.context.deployment, account, token)

    def _read_refusals(self, session: RpcSession, calls: Sequence[OutboundCall]) -> Sequence[str]:
        return refusals.read_refusals(self.context, session, calls)
