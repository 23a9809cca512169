"""The EVM family: opening its chains, checking their nodes, and operating them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from crossway.adapters.chains.evm import coordinator, diagnostics, operator_txs, parked
from crossway.adapters.chains.evm.balances import token_balances
from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.chain_context import (
    ChainContext,
    ChainParams,
    load_chain_params,
)
from crossway.adapters.chains.evm.contracts import (
    RECLAIM_SECONDS,
    REDIRECT_SECONDS,
    chain_deployment,
    default_deployment,
)
from crossway.adapters.chains.evm.coordinator import read_withdrawable
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
from crossway.domain.intent import Intent
from crossway.domain.money import Token
from crossway.ports.chain_addresses import ChainAddresses

_NO_ENVIRONMENT: Mapping[str, str] = MappingProxyType({})


class EvmOperator(RpcOperator[EvmChain]):
    """`rpc.protocols.ChainOperator` for an EVM chain."""

    def __init__(
        self,
        chain: EvmChain,
        environment: Mapping[str, str] = _NO_ENVIRONMENT,
        bridges: Collection[str] = (),
    ) -> None:
        """`bridges` are those whose contracts are needed."""
        super().__init__(chain, environment)
        self._bridges = bridges

    def check_contracts(self) -> Sequence[ContractCheck]:
        at = self.chain.context.deployment
        problems = self.chain.context.pool.first(
            lambda session: operator_txs.check_code(session, at, self._bridges)
        )
        addresses = operator_txs.contract_addresses(at) | operator_txs.earlier_contracts(at)
        return [ContractCheck(name, addresses[name], what) for name, what in problems.items()]

    def plan_deployment(self, payer: str) -> TxPlan:
        signer = self._load_signer(KEYS, payer) if payer else self.chain.context.signer
        return operator_txs.plan_deployment(self.chain, signer, self._bridges)

    def token_balances(self, tokens: Sequence[Token]) -> Mapping[str, int]:
        owner, addresses = self.chain.accounts.relayer, [token.address for token in tokens]
        return self.chain.context.pool.first(lambda s: token_balances(s, owner, addresses))

    def plan_approval(self, tokens: Sequence[Token], units: int | None) -> TxPlan:
        limit = UNLIMITED if units is None else units
        return operator_txs.plan_approval(self.chain, tokens, limit)

    def plan_withdrawal(self, token: Token, to: str, units: int) -> TxPlan:
        return operator_txs.plan_withdrawal(self.chain, token, to, units)

    def agent_calls(self, agent: str, allowed: bool) -> Sequence[UnsignedCall]:
        facts, at = self.chain.context.chain, self.chain.context.deployment
        # The treasury stays a payee of other agents.
        payees = (agent, self.chain.accounts.treasury) if allowed else (agent,)
        return [
            coordinator.unsigned_agent_call(facts, at, at.factory, agent, allowed),
            *coordinator.unsigned_payee_calls(facts, at.escrow2, payees, allowed),
        ]

    def retained_amount(self, token: str, coordinator: str) -> int:
        context = self.chain.context
        amounts = context.pool.first(
            lambda session: read_withdrawable(
                session, "evm", context.deployment, coordinator, token
            )
        )
        return sum(amounts.values())

    def withdrawal_calls(self, token: Token, to: str, account: str) -> Sequence[UnsignedCall]:
        context = self.chain.context
        amounts = context.pool.first(
            lambda session: read_withdrawable(
                session, "evm", context.deployment, account, token.address
            )
        )
        return coordinator.unsigned_withdrawals(context.chain, amounts, token, to)

    def unpark_time(self, intent: Intent) -> datetime | None:
        return parked.read_unpark_time(self.chain.context, intent)

    def plan_unpark(self, intent: Intent) -> TxPlan:
        return operator_txs.plan_unpark(self.chain, intent)

    def unpark_call(self, intent: Intent) -> UnsignedCall:
        return parked.unsigned_unpark(self.chain.context, intent)

    def missing_permissions(self, account: str) -> Sequence[str]:
        context, accounts = self.chain.context, self.chain.accounts
        if account == accounts.relayer:
            return []
        return context.pool.first(
            lambda session: coordinator.read_missing_permissions(
                session, "evm", context.deployment, accounts, {account}
            )
        )[account]

    def _unmet_requirements(self) -> Sequence[str]:
        return diagnostics.unmet_requirements(self.chain)

    def _diagnose(self) -> Iterator[Finding]:
        return diagnostics.diagnose_chain(self.chain, self._bridges)


class EvmFamily(ChainFamily):
    """Chains whose contracts have the same addresses everywhere."""

    keys = KEYS

    def open_chain(self, settings: ChainSettings) -> EvmOperator:
        signer = settings.relayer_signer(KEYS)
        gas_signers = settings.gas_signers(KEYS, signer.address)
        chain, profile, at = settings.chain, settings.profile, chain_deployment(settings.chain)
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
                at.escrow2,
                profile.coordinator or relayer,
                treasury,
                True,
                REDIRECT_SECONDS,
                (*at.contracts, at.implementation),
                at.bridges,
                frozenset({chain.across_pool} if chain.across_pool else ()),
                RECLAIM_SECONDS,
                (at.escrow,),
                gas_accounts=tuple(one.address for one in gas_signers),
            ),
            signer=signer,
            gas_signers=gas_signers,
            limits=params.query_limits(),
            tokens=frozenset(token.address for token in tokens if not token.native),
            native_token=next((t.address for t in tokens if t.native and t.enabled), ""),
        )
        chain_adapter = EvmChain(context, HeadPolicy.of(profile))
        return EvmOperator(chain_adapter, settings.environment, settings.bridges)

    def contract_locations(self, profile: ChainProfile | None) -> Sequence[ContractCheck]:
        at = default_deployment()
        addresses = operator_txs.contract_addresses(at) | operator_txs.earlier_contracts(at)
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
