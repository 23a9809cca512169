"""A live Tron chain behind the chain port: converts between Tron's formats, which the port uses,
and those of JSON-RPC, which the shared EVM code uses."""

from collections.abc import Collection, Mapping, Sequence

from crossway.adapters.chains.evm import balances, coordinator, refusals
from crossway.adapters.chains.evm.calldata import ZERO, encode_call
from crossway.adapters.chains.evm.chain_context import ChainContext, EvmHeadTracker
from crossway.adapters.chains.rpc.head_tracker import HeadPolicy
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_chain import RpcChain
from crossway.adapters.chains.tron.address_format import to_base58, to_evm_address
from crossway.adapters.chains.tron.blocks import BlockReader
from crossway.adapters.chains.tron.chain_params import TronParams
from crossway.adapters.chains.tron.deposits import TronDeposits
from crossway.adapters.chains.tron.sequence import SequenceTracker
from crossway.adapters.chains.tron.tx_history import TronTxHistory
from crossway.adapters.chains.tron.tx_results import TxResults
from crossway.adapters.chains.tron.tx_sender import TronTxSender
from crossway.domain.outbound_call import OutboundCall
from crossway.ports.chain_addresses import ChainAddresses
from crossway.ports.chain_calls import PublicCall

_NATIVE = "native"


class TronChain(RpcChain[ChainContext, TronTxSender]):
    """`ports.chain.Chain` over the nodes of Tron."""

    kind = "tron"
    has_nonces = False

    def __init__(
        self,
        context: ChainContext,
        accounts: ChainAddresses,
        params: TronParams,
        policy: HeadPolicy,
    ) -> None:
        """`context` has addresses in EVM form, `accounts` in base58check."""
        blocks = BlockReader(context.accounts.relayer, params.blocks_per_request)
        head_tracker, results = EvmHeadTracker(context, policy), TxResults(context)
        sequence = SequenceTracker(context, blocks)
        sender = TronTxSender(context, head_tracker, params, results, sequence)
        tx_history = TronTxHistory(context, sender, results, sequence)
        deposits = TronDeposits(context, blocks)
        super().__init__(context, head_tracker, sender, deposits, tx_history, accounts)

    def deposit_address(self, intent_hash: str) -> str:
        return to_base58(super().deposit_address(intent_hash))

    def public_call(self, call: OutboundCall) -> PublicCall | None:
        encoded = encode_call(self.context.catalogue, self.context.deployment, call)
        return PublicCall(to_base58(encoded.to), encoded.hex)

    def _native_token(self) -> str:
        return _NATIVE

    def _read_balances(
        self, session: RpcSession, addresses: Sequence[str], token: str
    ) -> Mapping[str, int]:
        by_evm_address = {to_evm_address(address): address for address in addresses}
        evm_token = ZERO if token == _NATIVE else to_evm_address(token)
        held = balances.read_balances(self.context, session, list(by_evm_address), evm_token)
        return {by_evm_address[address]: amount for address, amount in held.items()}

    def _read_agencies(self, session: RpcSession, coordinators: Collection[str]) -> set[str]:
        at, accounts = self.context.deployment, self.accounts
        return coordinator.read_authorized(session, self.kind, at, accounts, coordinators)

    def _read_retained(self, session: RpcSession, account: str, token: str) -> int:
        at = self.context.deployment
        return sum(coordinator.read_retained(session, self.kind, at, account, token).values())

    def _read_refusals(self, session: RpcSession, calls: Sequence[OutboundCall]) -> Sequence[str]:
        return refusals.read_refusals(self.context, session, calls)
