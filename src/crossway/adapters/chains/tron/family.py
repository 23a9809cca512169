"""The Tron family: opening its chains, checking their nodes, and operating them."""

from collections.abc import Iterator, Mapping, Sequence

from crossway.adapters.chains.evm import coordinator as coordinators
from crossway.adapters.chains.evm.balances import token_balances
from crossway.adapters.chains.evm.chain_context import ChainContext, ChainParams
from crossway.adapters.chains.evm.contracts import REDIRECT_SECONDS
from crossway.adapters.chains.evm.diagnostics import read_head
from crossway.adapters.chains.rpc.diagnostics import Finding
from crossway.adapters.chains.rpc.family import ChainFamily, ChainSettings
from crossway.adapters.chains.rpc.head_tracker import HeadPolicy
from crossway.adapters.chains.rpc.node_diagnostics import NodeHead
from crossway.adapters.chains.rpc.operator import RpcOperator
from crossway.adapters.chains.rpc.operator_txs import (
    UNLIMITED,
    ContractCheck,
    TxPlan,
    UnsignedCall,
)
from crossway.adapters.chains.rpc.pool import ChainIdentity, RpcPool, RpcSession
from crossway.adapters.chains.rpc.profile import ChainProfile
from crossway.adapters.chains.tron import diagnostics, node, operator_txs
from crossway.adapters.chains.tron.address_format import to_base58, to_evm_address
from crossway.adapters.chains.tron.chain import TronChain
from crossway.adapters.chains.tron.chain_params import load_chain_params
from crossway.adapters.chains.tron.contracts import CONTRACT_FIELDS, deployment_from_profile
from crossway.adapters.chains.tron.transactions import KEYS
from crossway.domain.catalogue import Chain
from crossway.domain.money import Token
from crossway.ports.chain_addresses import ChainAddresses


class TronOperator(RpcOperator[TronChain]):
    """`rpc.protocols.ChainOperator` for a Tron chain."""

    def __init__(
        self, chain: TronChain, contracts: Mapping[str, str], environment: Mapping[str, str]
    ) -> None:
        """`contracts` are those that the profile names."""
        super().__init__(chain, environment)
        self._in_profile = dict(contracts)

    def check_contracts(self) -> Sequence[ContractCheck]:
        return operator_txs.check_contracts(self.chain, self._in_profile)

    def plan_deployment(self, payer: str) -> TxPlan:
        signer = self._load_signer(KEYS, payer) if payer else self.chain.context.signer
        return operator_txs.plan_deployment(self.chain, signer)

    def token_balances(self, tokens: Sequence[Token]) -> Mapping[str, int]:
        context = self.chain.context
        owner = context.accounts.relayer
        addresses = {to_evm_address(token.address): token.address for token in tokens}
        held = context.pool.first(lambda s: token_balances(s, owner, list(addresses)))
        return {addresses[address]: amount for address, amount in held.items()}

    def plan_approval(self, tokens: Sequence[Token], units: int | None) -> TxPlan:
        limit = UNLIMITED if units is None else units
        return operator_txs.plan_approval(self.chain, tokens, limit)

    def plan_withdrawal(self, token: Token, to: str, units: int) -> TxPlan:
        return operator_txs.plan_withdrawal(self.chain, token, to, units)

    def agent_calls(self, agent: str, allowed: bool) -> Sequence[UnsignedCall]:
        facts, at = self.chain.context.chain, self.chain.context.deployment
        factory = to_base58(at.factory)
        return [coordinators.unsigned_agent_call(facts, at, factory, agent, allowed)]

    def withdrawal_calls(self, token: Token, to: str, coordinator: str) -> Sequence[UnsignedCall]:
        facts, at = self.chain.context.chain, self.chain.context.deployment
        amounts = {to_base58(at.escrow): self.retained_amount(token.address, coordinator)}
        return coordinators.unsigned_withdrawals(facts, amounts, token, to)

    def _unmet_requirements(self) -> Sequence[str]:
        return diagnostics.unmet_requirements(self.chain)

    def _diagnose(self) -> Iterator[Finding]:
        return diagnostics.diagnose_chain(self.chain)


class TronFamily(ChainFamily):
    """Tron, whose contracts are where the profile says."""

    keys = KEYS

    def open_chain(self, settings: ChainSettings) -> TronOperator:
        signer, profile = settings.relayer_signer(KEYS), settings.profile
        params, at = load_chain_params(), deployment_from_profile(settings.name, profile.contracts)
        chain, tokens = settings.chain, settings.catalogue.by_chain[settings.name]
        ours = tuple(to_base58(address) for address in (*at.contracts, at.implementation))
        coordinator = profile.coordinator or signer.address
        accounts = _accounts(
            signer.address, to_base58(at.escrow), coordinator, profile.treasury, ours
        )
        relayer, treasury = to_evm_address(signer.address), to_evm_address(profile.treasury)
        native = [to_evm_address(t.address) for t in tokens if t.native and t.enabled]
        context = ChainContext(
            chain=chain,
            catalogue=settings.catalogue,
            params=params.evm_params,
            pool=self.connect(chain, profile, settings.environment),
            deployment=at,
            accounts=_accounts(
                relayer, at.escrow, to_evm_address(coordinator), treasury, at.contracts
            ),
            signer=signer,
            limits=params.evm_params.query_limits(),
            tokens=frozenset(to_evm_address(t.address) for t in tokens if not t.native),
            native_token=native[0] if native else "",
            max_scan_blocks=params.max_scan_blocks,
        )
        opened = TronChain(context, accounts, params, HeadPolicy.of(profile))
        return TronOperator(opened, profile.contracts, settings.environment)

    def contract_locations(self, profile: ChainProfile | None) -> Sequence[ContractCheck]:
        if profile is None:
            return []
        fields, addresses = CONTRACT_FIELDS.items(), profile.contracts
        return [ContractCheck(name, addresses[f], "") for f, name in fields if f in addresses]

    def connect(
        self, chain: Chain, profile: ChainProfile, environment: Mapping[str, str]
    ) -> RpcPool:
        batch_size = self._node_params(chain).batch_size
        return node.connect_pool(chain, profile, environment, self._identity(chain), batch_size)

    def _identity(self, chain: Chain) -> ChainIdentity:
        return node.chain_identity(chain)

    def _node_params(self, chain: Chain) -> ChainParams:
        return load_chain_params().evm_params

    def _read_head(self, session: RpcSession) -> NodeHead:
        return read_head(session)

    def _check_capabilities(
        self, chain: Chain, profile: ChainProfile, subject: str, pool: RpcPool, head: NodeHead
    ) -> Iterator[Finding]:
        return diagnostics.check_capabilities(subject, pool, chain, head)


def _accounts(
    relayer: str, escrow: str, coordinator: str, treasury: str, contracts: tuple[str, ...]
) -> ChainAddresses:
    return ChainAddresses(relayer, escrow, coordinator, treasury, True, REDIRECT_SECONDS, contracts)
