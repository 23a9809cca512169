"""A live EVM chain behind the chain port."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from crossway.adapters.chains.evm import balances, coordinator, reclaims, refusals, typed_data
from crossway.adapters.chains.evm.balances import code_request
from crossway.adapters.chains.evm.bridge_end import EvmBridgeEnd
from crossway.adapters.chains.evm.call_batches import calls_per_tx
from crossway.adapters.chains.evm.calldata import ZERO, encode_call
from crossway.adapters.chains.evm.chain_context import ChainContext, EvmHeadTracker
from crossway.adapters.chains.evm.deposits import EvmDeposits
from crossway.adapters.chains.evm.payer_signatures import (
    TokenDomains,
    check_signatures,
    may_sign,
)
from crossway.adapters.chains.evm.public_calls import public_call
from crossway.adapters.chains.evm.rpc_schemas import parse_data
from crossway.adapters.chains.evm.standing import EvmStanding
from crossway.adapters.chains.evm.swap_quoter import EvmSwapQuoter
from crossway.adapters.chains.evm.token_transfers import find_token_transfers
from crossway.adapters.chains.evm.tx_history import EvmTxHistory
from crossway.adapters.chains.evm.tx_senders import EvmTxSenders
from crossway.adapters.chains.rpc.head_tracker import HeadPolicy
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_chain import RpcChain
from crossway.domain.deposits import IncomingTransfer
from crossway.domain.errors import Unreachable
from crossway.domain.outbound_call import OutboundCall
from crossway.domain.payer_signatures import Authorization, PayerSignature, SignatureStandard
from crossway.ports.chain_calls import PublicCall
from crossway.ports.payer_signatures import SignatureCheck, SigningDomain


class EvmChain(RpcChain[ChainContext, EvmTxSenders]):
    """`ports.chain.Chain` over the nodes of an EVM chain."""

    kind = "evm"
    has_nonces = True

    def __init__(self, context: ChainContext, policy: HeadPolicy) -> None:
        head_tracker = EvmHeadTracker(context, policy)
        sender = EvmTxSenders(context, head_tracker)
        deposits, tx_history = EvmDeposits(context), EvmTxHistory(context)
        super().__init__(context, head_tracker, sender, deposits, tx_history)
        self.bridge_end = EvmBridgeEnd(context)
        self.swap_quoter = EvmSwapQuoter(context)
        self.standing = EvmStanding(context)
        self._has_call_batch = False
        self._domains = TokenDomains(context)
        self._chain_number = int(context.chain.chain_id)

    def calls_per_tx(self, fee_units: int) -> int:
        # A signer outside sees one call with each signature, by which it has rules of its own.
        if self.has_outside_signer or not self._find_call_batch():
            return 1
        return calls_per_tx(self.context.params, fee_units)

    def _find_call_batch(self) -> bool:
        """Whether the contract is there: a call of an address without code would do nothing."""
        at = self.context.deployment.call_batch
        if at and not self._has_call_batch:
            with suppress(Unreachable):
                code = self.context.pool.first(lambda session: session.call(code_request(at))[0])
                self._has_call_batch = bool(parse_data(code, "code"))
        return self._has_call_batch

    def public_call(self, call: OutboundCall) -> PublicCall | None:
        return public_call(encode_call(self.context.catalogue, self.context.deployment, call))

    def find_reclaims(self, intent_hashes: Collection[str], since: datetime) -> Mapping[str, str]:
        return reclaims.find_reclaims(self.context, intent_hashes, since)

    def token_transfers(self, tx_id: str, to: str) -> Sequence[IncomingTransfer]:
        """As `HasTokenTransfers`."""
        require_current = self._head_tracker.require_current
        return find_token_transfers(self.context, require_current, tx_id, to)

    def signing_domain(self, token: str) -> SigningDomain | None:
        """As `TakesSignatures`, like the next four."""
        return self._domains.get(token)

    def may_sign(self, token: str, account: str, amount: int) -> bool:
        """Whether an account need not approve anything first."""
        domain = self.signing_domain(token)
        if domain is None or domain.standard is SignatureStandard.EIP3009:
            return domain is not None
        return may_sign(self.context, token, account, amount)

    def typed_data(self, authorization: Authorization, domain: SigningDomain) -> Mapping[str, Any]:
        """What a wallet is to sign."""
        return typed_data.typed_data(self._chain_number, authorization, domain)

    def parse_signature(
        self, authorization: Authorization, domain: SigningDomain, text: str
    ) -> bytes:
        """The bytes of a signature, if it is the payer's."""
        return typed_data.parse_signature(self._chain_number, authorization, domain, text)

    def check_signatures(self, signatures: Sequence[PayerSignature]) -> Sequence[SignatureCheck]:
        """What would become of each if it were carried out now."""
        return check_signatures(self.context, self._head_tracker.require_current, signatures)

    def _native_token(self) -> str:
        return ZERO

    def _read_balances(
        self, session: RpcSession, addresses: Sequence[str], token: str
    ) -> Mapping[str, int]:
        return balances.read_balances(self.context, session, addresses, token)

    def _read_agencies(self, session: RpcSession, coordinators: Collection[str]) -> set[str]:
        at, accounts = self.context.deployment, self.accounts
        return coordinator.read_authorized(session, self.kind, at, accounts, coordinators)

    def _read_retained(self, session: RpcSession, account: str, token: str) -> int:
        at = self.context.deployment
        return sum(coordinator.read_retained(session, self.kind, at, account, token).values())

    def _read_refusals(self, session: RpcSession, calls: Sequence[OutboundCall]) -> Sequence[str]:
        return refusals.read_refusals(self.context, session, calls)
