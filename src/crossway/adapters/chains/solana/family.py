"""The Solana family: opening clusters, diagnostics, and operator transactions."""

from collections.abc import Iterator, Mapping, Sequence

from crossway.adapters.chains.rpc.diagnostics import Finding
from crossway.adapters.chains.rpc.keys import Keyring
from crossway.adapters.chains.rpc.operator_txs import ContractCheck, TxPlan
from crossway.adapters.chains.rpc.profile import ChainProfile
from crossway.adapters.chains.solana import (
    deployment,
    diagnostics,
    factory,
    on_chain_program,
    operator_txs,
    rent_reclaim,
)
from crossway.adapters.chains.solana.chain import SolanaChain
from crossway.adapters.chains.solana.chain_params import load_chain_params
from crossway.adapters.chains.solana.diagnostics import diagnose_nodes
from crossway.adapters.chains.solana.signers import KEYS
from crossway.domain.catalogue import Catalogue
from crossway.domain.errors import Unreachable
from crossway.domain.money import Token

__all__ = ["KEYS", "contract_locations", "diagnose_nodes", "open_chain"]


class SolanaOperator:
    """`rpc.protocols.ChainOperator` for a cluster of Solana."""

    def __init__(self, chain: SolanaChain, environment: Mapping[str, str]) -> None:
        self.chain, self._environment = chain, environment

    def unmet_requirements(self) -> list[str]:
        name, relayer = self.chain.id, self.chain.accounts.relayer
        context = self.chain.context
        try:
            lying = context.pool.first(lambda line: on_chain_program.fetch_program(context, line))
            coins, fee = self.chain.native_balance(relayer), self.chain.fee_units()
            number = self.chain.next_nonce(relayer) if coins < fee else 1
        except Unreachable:
            return []
        found = []
        if lying.trouble == "not deployed":
            found.append(
                f"{name}: the program is not deployed at {context.program.id}: run "
                f"crossway contracts deploy --chain {name}"
            )
        elif lying.trouble:
            found.append(f"{name}: {lying.trouble} than Crossway's program")
        # A new account must hold gas; for a used one, missing gas is an alert.
        if coins < fee and number == 0:
            symbol = context.chain.native_symbol
            found.append(f"{name}: the relayer {relayer} has no {symbol} for fees: send some to it")
        return found

    def diagnose(self) -> Iterator[Finding]:
        return diagnostics.diagnose_chain(self.chain)

    def check_contracts(self) -> Sequence[ContractCheck]:
        context = self.chain.context
        found = context.pool.first(lambda line: on_chain_program.fetch_program(context, line))
        return [ContractCheck("program", context.program.id, found.trouble)]

    def plan_deployment(self, payer: str) -> TxPlan:
        signer = self.chain.context.signer
        if payer:
            signer = Keyring(self._environment).signer_for("--key", KEYS, payer)
        return deployment.deployment_plan(self.chain, signer)

    def plan_finalization(self) -> TxPlan:
        """The step that drops the program's upgrade authority."""
        return deployment.final_plan(self.chain)

    def denied_tokens(self) -> Mapping[str, str]:
        """The tokens that the program refuses."""
        why = "its issuer can take back what others hold, which Crossway's program refuses"
        return dict.fromkeys(load_chain_params(self.chain.id).refused, why)

    def plan_rent_reclaim(self) -> TxPlan:
        """The steps that reclaim the rent of old markers."""
        return rent_reclaim.plan_rent_reclaim(self.chain)

    def token_balances(self, tokens: Sequence[Token]) -> Mapping[str, int]:
        return diagnostics.token_balances(self.chain, tokens)

    def plan_approval(self, tokens: Sequence[Token], units: int | None) -> TxPlan:
        # The relayer signs each payment itself, so nothing needs an approval.
        relayer = self.chain.accounts.relayer
        return TxPlan(
            (), relayer, self.chain.native_balance(relayer), operator_txs.LAMPORTS_PER_SOL
        )

    def retained_amount(self, token: str) -> int:
        return operator_txs.retained_amount(self.chain, token)

    def plan_withdrawal(self, token: Token, to: str, units: int) -> TxPlan:
        return operator_txs.withdrawal_plan(self.chain, token, to, units)


def open_chain(
    catalogue: Catalogue,
    name: str,
    profile: ChainProfile,
    environment: Mapping[str, str],
    ring: Keyring,
) -> SolanaOperator:
    """As `rpc.protocols.ChainFamily` says."""
    chain = factory.open_chain(catalogue, name, profile, environment, ring)
    return SolanaOperator(chain, environment)


def contract_locations(profile: ChainProfile | None) -> Sequence[ContractCheck]:
    """As `rpc.protocols.ChainFamily` says: every operator's program lies elsewhere."""
    if profile is None or not profile.program:
        return []
    return [ContractCheck("program", profile.program, "")]
