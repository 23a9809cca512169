"""The EVM family: opening its chains, checking their nodes, and operating them."""

from collections.abc import Iterator, Mapping, Sequence

from crossway.adapters.chains.evm import coordinator, diagnostics, operator_txs
from crossway.adapters.chains.evm.balances import token_balances
from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.chain_context import (
    ChainContext,
    ChainParams,
    load_chain_params,
)
from crossway.adapters.chains.evm.contracts import REDIRECT_SECONDS, default_deployment
from crossway.adapters.chains.evm.node_checks import check_node
from crossway.adapters.chains.evm.rpc_schemas import parse_quantity
from crossway.adapters.chains.evm.transactions import KEYS
from crossway.adapters.chains.rpc.client import RpcRequest
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
from crossway.domain.catalogue import Chain
from crossway.domain.money import Token
from crossway.ports.chain import ChainAddresses


class EvmOperator(RpcOperator[EvmChain]):
    """`rpc.protocols.ChainOperator` for an EVM chain."""

    def check_contracts(self) -> Sequence[ContractCheck]:
        at = self.chain.context.deployment
        problems = self.chain.context.pool.first(lambda s: operator_txs.check_code(s, at))
        addresses = operator_txs.contract_addresses(at)
        return [ContractCheck(name, a, problems[name]) for name, a in addresses.items()]

    def plan_deployment(self, payer: str) -> TxPlan:
        signer = self._load_signer(KEYS, payer) if payer else self.chain.context.signer
        return operator_txs.plan_deployment(self.chain, signer)

    def token_balances(self, tokens: Sequence[Token]) -> Mapping[str, int]:
        owner, addresses = self.chain.accounts.relayer, [token.address for token in tokens]
        return self.chain.context.pool.first(lambda s: token_balances(s, owner, addresses))

    def plan_approval(self, tokens: Sequence[Token], units: int | None) -> TxPlan:
        limit = UNLIMITED if units is None else units
        return operator_txs.plan_approval(self.chain, tokens, limit)

    def plan_withdrawal(self, token: Token, to: str, units: int) -> TxPlan:
        return operator_txs.plan_withdrawal(self.chain, token, to, units)

    def agent_call(self, agent: str, allowed: bool) -> UnsignedCall:
        facts, at = self.chain.context.chain, self.chain.context.deployment
        return coordinator.unsigned_agent_call(facts, at, at.factory, agent, allowed)

    def withdrawal_call(self, token: Token, to: str, units: int) -> UnsignedCall:
        facts, at = self.chain.context.chain, self.chain.context.deployment
        return coordinator.unsigned_withdrawal(facts, at, at.escrow, token, to, units)

    def _unmet_requirements(self) -> Sequence[str]:
        return diagnostics.unmet_requirements(self.chain)

    def _diagnose(self) -> Iterator[Finding]:
        return diagnostics.diagnose_chain(self.chain)


class EvmFamily(ChainFamily):
    """Chains whose contracts have the same addresses everywhere."""

    keys = KEYS

    def open_chain(self, settings: ChainSettings) -> EvmOperator:
        signer = settings.relayer_signer(KEYS)
        chain, profile, at = settings.chain, settings.profile, default_deployment()
        params, tokens = load_chain_params(chain.id), settings.catalogue.by_chain[chain.id]
        relayer, treasury = signer.address, profile.treasury
        context = ChainContext(
            chain=chain,
            catalogue=settings.catalogue,
            params=params,
            pool=self.connect(chain, profile, settings.environment),
            deployment=at,
            accounts=ChainAddresses(
                relayer,
                at.escrow,
                profile.coordinator or relayer,
                treasury,
                True,
                REDIRECT_SECONDS,
                (*at.contracts, at.implementation),
            ),
            signer=signer,
            limits=params.query_limits(),
            tokens=frozenset(token.address for token in tokens if not token.native),
            native_token=next((t.address for t in tokens if t.native and t.enabled), ""),
        )
        return EvmOperator(EvmChain(context, HeadPolicy.of(profile)), settings.environment)

    def contract_locations(self, profile: ChainProfile | None) -> Sequence[ContractCheck]:
        addresses = operator_txs.contract_addresses(default_deployment())
        return [ContractCheck(name, address, "") for name, address in addresses.items()]

    def _identity(self, chain: Chain) -> ChainIdentity:
        return ChainIdentity(
            RpcRequest("eth_chainId"),
            str(chain.chain_id),
            lambda result: str(parse_quantity(result, "a chain id")),
        )

    def _node_params(self, chain: Chain) -> ChainParams:
        return load_chain_params(chain.id)

    def _read_head(self, session: RpcSession) -> NodeHead:
        return diagnostics.read_head(session)

    def _check_capabilities(
        self, chain: Chain, profile: ChainProfile, subject: str, pool: RpcPool, head: NodeHead
    ) -> Iterator[Finding]:
        return check_node(subject, pool, chain, load_chain_params(chain.id), head)
