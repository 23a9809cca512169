"""A live Solana cluster behind the chain port."""

from collections.abc import Mapping, Sequence

from crossway.adapters.chains.rpc.head_tracker import HeadPolicy
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_chain import RpcChain
from crossway.adapters.chains.solana import refusals
from crossway.adapters.chains.solana.accounts import fetch_accounts, read_balances
from crossway.adapters.chains.solana.chain_context import ChainContext
from crossway.adapters.chains.solana.deposits import SolanaDeposits
from crossway.adapters.chains.solana.head_tracker import SolanaHeadTracker
from crossway.adapters.chains.solana.instructions import build_instructions, refund_json
from crossway.adapters.chains.solana.pdas import SYSTEM, is_native
from crossway.adapters.chains.solana.tx_history import SolanaTxHistory
from crossway.adapters.chains.solana.tx_sender import SolanaTxSender
from crossway.adapters.chains.solana.wallet_transfers import unsigned_transfer
from crossway.adapters.chains.solana.watched_accounts import DepositMemory
from crossway.domain.outbound_call import OutboundCall
from crossway.ports.chain_calls import PublicCall


class SolanaChain(RpcChain[ChainContext, SolanaTxSender]):
    """`ports.chain.Chain` over the nodes of a cluster, which also builds wallets' transfers.
    Heights are slots; nonces are sequence numbers that our transactions carry."""

    kind = "solana"
    has_nonces = False

    def __init__(self, context: ChainContext, policy: HeadPolicy) -> None:
        memory, head_tracker = DepositMemory(), SolanaHeadTracker(context, policy)
        sender = SolanaTxSender(context, head_tracker, memory)
        deposits, tx_history = SolanaDeposits(context, memory), SolanaTxHistory(context)
        super().__init__(context, head_tracker, sender, deposits, tx_history)

    def deposit_token_account(self, address: str, token: str) -> str | None:
        return None if is_native(token) else self.context.mints.account_of(address, token)

    def public_call(self, call: OutboundCall) -> PublicCall | None:
        if self.context.instruction_context.keyed:
            return None  # The deposit address signs with a key of ours.
        # Without creating the receiver's token account, whose rent the signer would have to pay.
        *_, refund = build_instructions(self.context.instruction_context, call, 0, over=False)
        return PublicCall(str(refund.program_id), refund_json(refund))

    def unsigned_transfer(self, sender: str, to: str, token: str, units: int) -> bytes:
        decimals = self.context.catalogue.by_address[self.id, token].decimals
        recent = self.heads().block_hash
        return unsigned_transfer(self.context.mints, sender, to, token, decimals, units, recent)

    def _native_token(self) -> str:
        return SYSTEM

    def _read_balances(
        self, session: RpcSession, addresses: Sequence[str], token: str
    ) -> Mapping[str, int]:
        return read_balances(self.context, session, addresses, token)

    def _read_retained(self, session: RpcSession, account: str, token: str) -> int:
        context = self.context
        address = context.program.retained(account, token)
        found = fetch_accounts(context, session, [address], 0, 16)[0]
        if found is None or found.owner != context.program.id or found.data[:1] != b"R":
            return 0
        return int.from_bytes(found.data[8:16], "little")

    def _read_refusals(self, session: RpcSession, calls: Sequence[OutboundCall]) -> Sequence[str]:
        return refusals.read_refusals(self.context, session, calls)
