"""The Tron family: opening its chains, checking their nodes, and operating them."""

from collections.abc import Iterator, Mapping, Sequence

from crossway.adapters.chains.evm.balances import token_balances
from crossway.adapters.chains.evm.operator_txs import read_retained
from crossway.adapters.chains.rpc.diagnostics import Finding
from crossway.adapters.chains.rpc.keys import Keyring
from crossway.adapters.chains.rpc.operator import RpcOperator
from crossway.adapters.chains.rpc.operator_txs import UNLIMITED, ContractCheck, TxPlan
from crossway.adapters.chains.rpc.profile import ChainProfile
from crossway.adapters.chains.tron import diagnostics, factory, operator_txs, readiness
from crossway.adapters.chains.tron.address_format import to_evm_address
from crossway.adapters.chains.tron.chain import TronChain
from crossway.adapters.chains.tron.contracts import CONTRACT_FIELDS
from crossway.adapters.chains.tron.diagnostics import diagnose_nodes
from crossway.adapters.chains.tron.signers import KEYS
from crossway.domain.catalogue import Catalogue
from crossway.domain.money import Token

__all__ = ["KEYS", "contract_locations", "diagnose_nodes", "open_chain"]


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

    def retained_amount(self, token: str) -> int:
        context, coordinator = self.chain.context, self.chain.accounts.coordinator
        escrow = context.deployment.escrow
        return context.pool.first(lambda s: read_retained(s, "tron", escrow, coordinator, token))

    def plan_withdrawal(self, token: Token, to: str, units: int) -> TxPlan:
        return operator_txs.plan_withdrawal(self.chain, token, to, units)

    def _unmet_requirements(self) -> Sequence[str]:
        return readiness.unmet_requirements(self.chain)

    def _diagnose(self) -> Iterator[Finding]:
        return diagnostics.diagnose_chain(self.chain)


def open_chain(
    catalogue: Catalogue,
    name: str,
    profile: ChainProfile,
    environment: Mapping[str, str],
    ring: Keyring,
) -> TronOperator:
    """As in `rpc.protocols.ChainFamily`."""
    chain = factory.open_chain(catalogue, name, profile, environment, ring)
    return TronOperator(chain, profile.contracts, environment)


def contract_locations(profile: ChainProfile | None) -> Sequence[ContractCheck]:
    """As in `rpc.protocols.ChainFamily`: where the profile says."""
    if profile is None:
        return []
    fields, addresses = CONTRACT_FIELDS.items(), profile.contracts
    return [ContractCheck(name, addresses[f], "") for f, name in fields if f in addresses]
