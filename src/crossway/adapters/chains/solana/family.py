"""The Solana family: opening its clusters, checking their nodes, and operating them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from crossway.adapters.chains.addresses import canonical_address
from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.rpc.diagnostics import Finding
from crossway.adapters.chains.rpc.family import ChainFamily, ChainSettings
from crossway.adapters.chains.rpc.head_tracker import HeadPolicy
from crossway.adapters.chains.rpc.node_diagnostics import NodeHead
from crossway.adapters.chains.rpc.operator import RpcOperator
from crossway.adapters.chains.rpc.operator_txs import ContractCheck, TxPlan
from crossway.adapters.chains.rpc.pool import ChainIdentity, RpcPool, RpcSession
from crossway.adapters.chains.rpc.profile import ChainProfile
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse
from crossway.adapters.chains.solana import (
    deployment,
    diagnostics,
    on_chain_program,
    operator_txs,
    rent_reclaim,
)
from crossway.adapters.chains.solana.chain import SolanaChain
from crossway.adapters.chains.solana.chain_context import (
    ChainContext,
    ChainParams,
    load_chain_params,
)
from crossway.adapters.chains.solana.pdas import MintRegistry, ProgramAddresses
from crossway.adapters.chains.solana.signers import (
    DEPOSIT_KEYS,
    KEYS,
    PROGRAM_PURPOSE,
    DepositKeys,
    derived_signer,
)
from crossway.domain.catalogue import Chain
from crossway.domain.money import Token
from crossway.ports.chain_addresses import ChainAddresses
from crossway.ports.signing import MessageSigner

# GRACE of the program; a test compares the two.
REDIRECT_SECONDS = 3 * 86_400
# CAIP-2 names a cluster by the first characters of its genesis hash.
_NAME_LENGTH = 32
_HASH = re.compile(r"[1-9A-HJ-NP-Za-km-z]{32,44}\Z", re.ASCII)
# In addition to the common ones: the node is behind, or does not have the block yet.
_BUSY = (429, -32029, -32005, -32016)


class SolanaOperator(RpcOperator[SolanaChain]):
    """`rpc.protocols.ChainOperator` for a Solana cluster."""

    gas_unit = operator_txs.GAS_UNIT

    def check_contracts(self) -> Sequence[ContractCheck]:
        context = self.chain.context
        program = context.pool.first(
            lambda session: on_chain_program.fetch_program(context, session)
        )
        return [ContractCheck("program", context.program.id, program.problem)]

    def plan_deployment(self, payer: str) -> TxPlan:
        signer = self._load_signer(KEYS, payer) if payer else self.chain.context.signer
        return deployment.plan_deployment(self.chain, signer)

    def plan_finalization(self) -> TxPlan:
        """The step that drops the program's upgrade authority."""
        return deployment.plan_finalization(self.chain)

    def denied_tokens(self) -> Mapping[str, str]:
        """The tokens that the program refuses."""
        why = "its issuer can take back what others hold, which Crossway's program refuses"
        return dict.fromkeys(load_chain_params(self.chain.id).refused, why)

    def plan_rent_reclaim(self) -> TxPlan:
        """The steps that reclaim the rent of old markers."""
        return rent_reclaim.plan_rent_reclaim(self.chain)

    def token_balances(self, tokens: Sequence[Token]) -> Mapping[str, int]:
        return diagnostics.token_balances(self.chain, tokens)

    def plan_withdrawal(self, token: Token, to: str, units: int) -> TxPlan:
        return operator_txs.plan_withdrawal(self.chain, token, to, units)

    def _unmet_requirements(self) -> Iterable[str]:
        return diagnostics.unmet_requirements(self.chain)

    def _diagnose(self) -> Iterator[Finding]:
        return diagnostics.diagnose_chain(self.chain)


class SolanaFamily(ChainFamily):
    """Clusters of Solana, on each of which every operator has a program."""

    keys = KEYS

    def open_chain(self, settings: ChainSettings) -> SolanaOperator:
        name, chain, profile = settings.name, settings.chain, settings.profile
        signer, params = settings.relayer_signer(KEYS), load_chain_params(name)
        program, deposit_keys = _program_addresses(settings, signer), _deposit_keys(settings)
        tokens, relayer = settings.catalogue.by_chain[name], signer.address
        vault, treasury = program.vault(relayer), profile.treasury
        context = ChainContext(
            chain=chain,
            catalogue=settings.catalogue,
            params=params,
            pool=self.connect(chain, profile, settings.environment),
            program=program,
            accounts=ChainAddresses(
                relayer, vault, relayer, treasury, False, REDIRECT_SECONDS, (program.id,)
            ),
            signer=signer,
            deposits=deposit_keys,
            mints=MintRegistry(params.token_2022),
            tokens=tuple(dict.fromkeys(t.address for t in tokens if not t.native)),
            native=next((t.address for t in tokens if t.native and t.enabled), ""),
        )
        return SolanaOperator(SolanaChain(context, HeadPolicy.of(profile)), settings.environment)

    def contract_locations(self, profile: ChainProfile | None) -> Sequence[ContractCheck]:
        if profile is None or not profile.program:
            return []
        return [ContractCheck("program", profile.program, "")]

    def _identity(self, chain: Chain) -> ChainIdentity:
        request = RpcRequest("getGenesisHash")
        return ChainIdentity(request, str(chain.chain_id), _parse_genesis, _BUSY)

    def _node_params(self, chain: Chain) -> ChainParams:
        return load_chain_params(chain.id)

    def _read_head(self, session: RpcSession) -> NodeHead:
        return diagnostics.read_head(session)

    def _check_capabilities(
        self, chain: Chain, profile: ChainProfile, subject: str, pool: RpcPool, head: NodeHead
    ) -> Iterator[Finding]:
        params = load_chain_params(chain.id)
        return diagnostics.check_limits(subject, pool, params, profile.treasury)


def _program_addresses(settings: ChainSettings, signer: MessageSigner) -> ProgramAddresses:
    """The program's address from the profile, or else the one that this key deploys to. Raises
    `ValueError` if the profile is invalid."""
    name, profile = settings.name, settings.profile
    if not profile.program:
        if settings.keyring.watch_only:
            raise ValueError(
                f"chains.{name}.program is missing: a process that does not sign takes the "
                "program's address from there (crossway contracts where prints it)"
            )
        try:
            return ProgramAddresses(derived_signer(signer, PROGRAM_PURPOSE).address)
        except ValueError as error:
            raise ValueError(f"chains.{name}.program is missing: {error}") from None
    try:
        return ProgramAddresses(canonical_address("solana", profile.program))
    except ValueError as error:
        raise ValueError(f"chains.{name}.program {error}") from None


def _deposit_keys(settings: ChainSettings) -> DepositKeys | None:
    profile, field = settings.profile, f"chains.{settings.name}.deposit_key"
    if profile.deposits == "program":
        return None
    if not profile.deposit_key:
        raise ValueError(
            f'{field} must be given where deposits = "derived": env:NAME or keystore:PATH'
        )
    if settings.keyring.watch_only:
        raise ValueError(
            f'chains.{settings.name}.deposits is "derived": addresses for payments follow from '
            "deposit_key, which a process that does not sign does not open. Use deposits = "
            '"program", or run API and engine as one process (crossway serve)'
        )
    keyring, password = settings.keyring, profile.key_password
    return keyring.signer_for(field, DEPOSIT_KEYS, profile.deposit_key, password)


def _parse_genesis(result: Any) -> str:
    if not isinstance(result, str) or not _HASH.match(result):
        raise MalformedResponse("the node did not return a block hash")
    return result[:_NAME_LENGTH]
