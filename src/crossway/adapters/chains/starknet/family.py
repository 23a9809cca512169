"""The Starknet family: opening its chains, checking their nodes, and operating them."""

from collections.abc import Iterator, Mapping, Sequence

from crossway.adapters.chains.addresses import canonical_address
from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.rpc.diagnostics import Finding
from crossway.adapters.chains.rpc.family import ChainFamily, ChainSettings
from crossway.adapters.chains.rpc.head_tracker import HeadPolicy
from crossway.adapters.chains.rpc.node_diagnostics import NodeHead
from crossway.adapters.chains.rpc.operator import RpcOperator
from crossway.adapters.chains.rpc.operator_txs import ContractCheck, TxPlan, UnsignedCall
from crossway.adapters.chains.rpc.pool import ChainIdentity, RpcPool, RpcSession
from crossway.adapters.chains.rpc.profile import ChainProfile
from crossway.adapters.chains.starknet import coordinator, diagnostics, operator_txs
from crossway.adapters.chains.starknet.chain import StarknetChain
from crossway.adapters.chains.starknet.chain_context import (
    ChainContext,
    ChainParams,
    load_chain_params,
)
from crossway.adapters.chains.starknet.contracts import REDIRECT_SECONDS, default_deployment
from crossway.adapters.chains.starknet.events import TransferLayouts
from crossway.adapters.chains.starknet.felts import decode_short_string
from crossway.adapters.chains.starknet.rpc_schemas import parse_felt
from crossway.adapters.chains.starknet.signers import KEYS
from crossway.domain.catalogue import Chain
from crossway.domain.money import Token
from crossway.ports.chain_addresses import ChainAddresses

_FEE_TOKEN = "STRK"


class StarknetOperator(RpcOperator[StarknetChain]):
    """`rpc.protocols.ChainOperator` for a Starknet chain."""

    gas_unit = operator_txs.GAS_UNIT

    def check_contracts(self) -> Sequence[ContractCheck]:
        return self.chain.context.pool.first(operator_txs.check_contracts)

    def plan_deployment(self, payer: str) -> TxPlan:
        if payer:
            raise ValueError(
                "--key: on Starknet a key does not determine its account: the relayer's account "
                "pays"
            )
        return operator_txs.plan_deployment(self.chain)

    def token_balances(self, tokens: Sequence[Token]) -> Mapping[str, int]:
        return operator_txs.relayer_balances(self.chain, [token.address for token in tokens])

    def plan_withdrawal(self, token: Token, to: str, units: int) -> TxPlan:
        return operator_txs.plan_withdrawal(self.chain, token, to, units)

    def agent_calls(self, agent: str, allowed: bool) -> Sequence[UnsignedCall]:
        context = self.chain.context
        return [coordinator.unsigned_agent_call(context.chain, context.deployment, agent, allowed)]

    def withdrawal_calls(self, token: Token, to: str, account: str) -> Sequence[UnsignedCall]:
        facts, at = self.chain.context.chain, self.chain.context.deployment
        units = self.retained_amount(token.address, account)
        return [coordinator.unsigned_withdrawal(facts, at, token, to, units)] if units else []

    def _describe_key(self) -> str:
        return f"its public key is {self.chain.context.signer.address}"

    def _unmet_requirements(self) -> Sequence[str]:
        return diagnostics.unmet_requirements(self.chain)

    def _diagnose(self) -> Iterator[Finding]:
        return diagnostics.diagnose_chain(self.chain)


class StarknetFamily(ChainFamily):
    """Chains with the same contract addresses everywhere; the relayer's account is a contract
    that the profile names."""

    keys = KEYS

    def open_chain(self, settings: ChainSettings) -> StarknetOperator:
        chain, profile, at = settings.chain, settings.profile, default_deployment()
        account, treasury = relayer_account(chain.id, profile), profile.treasury
        signer, params = settings.relayer_signer(KEYS), load_chain_params(chain.id)
        catalogue = settings.catalogue
        context = ChainContext(
            chain=chain,
            catalogue=catalogue,
            params=params,
            pool=self.connect(chain, profile, settings.environment),
            deployment=at,
            accounts=ChainAddresses(
                account,
                at.escrow,
                profile.coordinator or account,
                treasury,
                True,
                REDIRECT_SECONDS,
                at.contracts,
            ),
            signer=signer,
            limits=params.query_limits(),
            layouts=TransferLayouts(),
            tokens=frozenset(token.address for token in catalogue.by_chain[chain.id]),
            fee_token=catalogue.tokens[chain.id, _FEE_TOKEN].address,
        )
        return StarknetOperator(
            StarknetChain(context, HeadPolicy.of(profile)), settings.environment
        )

    def contract_locations(self, profile: ChainProfile | None) -> Sequence[ContractCheck]:
        return operator_txs.contract_locations()

    def _identity(self, chain: Chain) -> ChainIdentity:
        return ChainIdentity(
            RpcRequest("starknet_chainId"),
            decode_short_string(int(chain.chain_id, 16)),
            lambda result: (
                decode_short_string(parse_felt(result, "a chain id")) or str(result)[:40]
            ),
        )

    def _node_params(self, chain: Chain) -> ChainParams:
        return load_chain_params(chain.id)

    def _read_head(self, session: RpcSession) -> NodeHead:
        return diagnostics.read_head(session)

    def _check_capabilities(
        self, chain: Chain, profile: ChainProfile, subject: str, pool: RpcPool, head: NodeHead
    ) -> Iterator[Finding]:
        params = load_chain_params(chain.id)
        return diagnostics.check_capabilities(subject, pool, params, head, profile.account)


def relayer_account(name: str, profile: ChainProfile) -> str:
    """The relayer's account. Raises `ValueError`."""
    if not profile.account:
        raise ValueError(
            f"chains.{name}.account must be the address of the relayer's account: on Starknet an "
            "account is a contract, and a key does not determine its address"
        )
    try:
        canonical = canonical_address("starknet", profile.account)
    except ValueError as error:
        raise ValueError(f"chains.{name}.account {error}") from None
    if canonical != profile.account:
        raise ValueError(f"chains.{name}.account must be written {canonical}")
    return canonical
