"""The Starknet family: opening its chains, checking their nodes, and operating them."""

from collections.abc import Iterator, Mapping, Sequence

from crossway.adapters.chains.rpc.diagnostics import Finding
from crossway.adapters.chains.rpc.keys import Keyring
from crossway.adapters.chains.rpc.operator import RpcOperator
from crossway.adapters.chains.rpc.operator_txs import ContractCheck, TxPlan
from crossway.adapters.chains.rpc.profile import ChainProfile
from crossway.adapters.chains.starknet import diagnostics, factory, operator_txs, readiness
from crossway.adapters.chains.starknet.chain import StarknetChain
from crossway.adapters.chains.starknet.diagnostics import diagnose_nodes
from crossway.adapters.chains.starknet.signers import KEYS
from crossway.domain.catalogue import Catalogue
from crossway.domain.money import Token

__all__ = ["KEYS", "contract_locations", "diagnose_nodes", "open_chain"]


class StarknetOperator(RpcOperator[StarknetChain]):
    """`rpc.protocols.ChainOperator` for a Starknet chain."""

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

    def plan_approval(self, tokens: Sequence[Token], units: int | None) -> TxPlan:
        return operator_txs.empty_plan(self.chain)

    def retained_amount(self, token: str) -> int:
        return operator_txs.retained_amount(self.chain, token)

    def plan_withdrawal(self, token: Token, to: str, units: int) -> TxPlan:
        return operator_txs.plan_withdrawal(self.chain, token, to, units)

    def _key_finding(self) -> Finding:
        return Finding("key", f"opens; its public key is {self.chain.context.signer.address}")

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
) -> StarknetOperator:
    """As in `rpc.protocols.ChainFamily`."""
    chain = factory.open_chain(catalogue, name, profile, environment, ring)
    return StarknetOperator(chain, environment)


def contract_locations(profile: ChainProfile | None) -> Sequence[ContractCheck]:
    """As in `rpc.protocols.ChainFamily`: the same on every Starknet network."""
    return operator_txs.contract_locations()
