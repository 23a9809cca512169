"""The EVM family: opening its chains, checking their nodes, and operating them."""

from collections.abc import Iterator, Mapping, Sequence

from crossway.adapters.chains.evm import diagnostics, factory, operator_txs, readiness
from crossway.adapters.chains.evm.balances import token_balances
from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.contracts import default_deployment
from crossway.adapters.chains.evm.diagnostics import diagnose_nodes
from crossway.adapters.chains.evm.signers import KEYS
from crossway.adapters.chains.rpc.diagnostics import Finding
from crossway.adapters.chains.rpc.keys import Keyring
from crossway.adapters.chains.rpc.operator import RpcOperator
from crossway.adapters.chains.rpc.operator_txs import UNLIMITED, ContractCheck, TxPlan
from crossway.adapters.chains.rpc.profile import ChainProfile
from crossway.domain.catalogue import Catalogue
from crossway.domain.money import Token

__all__ = ["KEYS", "contract_locations", "diagnose_nodes", "open_chain"]


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

    def retained_amount(self, token: str) -> int:
        escrow = self.chain.context.deployment.escrow
        coordinator = self.chain.accounts.coordinator
        return self.chain.context.pool.first(
            lambda s: operator_txs.read_retained(s, "evm", escrow, coordinator, token)
        )

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
) -> EvmOperator:
    """As in `rpc.protocols.ChainFamily`."""
    return EvmOperator(factory.open_chain(catalogue, name, profile, environment, ring), environment)


def contract_locations(profile: ChainProfile | None) -> Sequence[ContractCheck]:
    """As in `rpc.protocols.ChainFamily`: the same on every EVM chain."""
    addresses = operator_txs.contract_addresses(default_deployment())
    return [ContractCheck(name, address, "") for name, address in addresses.items()]
