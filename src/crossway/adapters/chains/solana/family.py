"""The Solana family: how its clusters are opened, looked at, and what operators do on them."""

from collections.abc import Iterator, Mapping, Sequence

from crossway.adapters.chains.live.errands import Placed, Plan
from crossway.adapters.chains.live.findings import Finding
from crossway.adapters.chains.live.keys import Keyring
from crossway.adapters.chains.live.profile import ChainProfile
from crossway.adapters.chains.solana import code, deploying, errands, examining, opening, reclaiming
from crossway.adapters.chains.solana.chain import SolanaChain
from crossway.adapters.chains.solana.examining import nodes_findings
from crossway.adapters.chains.solana.signers import KEYS
from crossway.adapters.chains.solana.traits import traits
from crossway.domain.catalogue import Catalogue
from crossway.domain.errors import Unreachable
from crossway.domain.money import Token

__all__ = ["KEYS", "nodes_findings", "open_chain", "placed"]


class OpenedSolana:
    """`live.families.Opened` for a cluster of Solana."""

    def __init__(self, chain: SolanaChain, environment: Mapping[str, str]) -> None:
        self.chain, self._environment = chain, environment

    def missing(self) -> list[str]:
        name, relayer = self.chain.id, self.chain.own.relayer
        ground = self.chain.ground
        try:
            lying = ground.nodes.one(lambda line: code.lying(ground, line))
            coins, fee = self.chain.native_balance(relayer), self.chain.fee_units()
            number = self.chain.next_nonce(relayer) if coins < fee else 1
        except Unreachable:
            return []
        found = []
        if lying.trouble == "not deployed":
            found.append(
                f"{name}: the program is not deployed at {ground.program.id}: run "
                f"crossway contracts deploy --chain {name}"
            )
        elif lying.trouble:
            found.append(f"{name}: {lying.trouble} than Crossway's program")
        # An account that was never used must have money for fees; later, its want is an alarm.
        if coins < fee and number == 0:
            symbol = ground.chain.native_symbol
            found.append(f"{name}: the relayer {relayer} has no {symbol} for fees: send some to it")
        return found

    def findings(self) -> Iterator[Finding]:
        return examining.chain_findings(self.chain)

    def contracts(self) -> Sequence[Placed]:
        ground = self.chain.ground
        found = ground.nodes.one(lambda line: code.lying(ground, line))
        return [Placed("program", ground.program.id, found.trouble)]

    def deployment(self, payer: str) -> Plan:
        signer = self.chain.ground.signer
        if payer:
            signer = Keyring(self._environment).signer_for("--key", KEYS, payer)
        return deploying.deployment_plan(self.chain, signer)

    def finishing(self) -> Plan:
        """Let nobody replace the program any more."""
        return deploying.final_plan(self.chain)

    def refused(self) -> Mapping[str, str]:
        """Tokens that the program refuses."""
        why = "its issuer can take back what others hold, which Crossway's program refuses"
        return dict.fromkeys(traits(self.chain.id).refused, why)

    def reclaiming(self) -> Plan:
        """Get the rent of old notes back."""
        return reclaiming.reclaiming_plan(self.chain)

    def held(self, tokens: Sequence[Token]) -> Mapping[str, int]:
        return examining.holdings(self.chain, tokens)

    def approval(self, tokens: Sequence[Token], units: int | None) -> Plan:
        # The relayer signs each payment itself: nobody else takes its tokens.
        relayer = self.chain.own.relayer
        return Plan((), relayer, self.chain.native_balance(relayer), errands.UNIT)

    def kept(self, token: str) -> int:
        return errands.kept_units(self.chain, token)

    def withdrawal(self, token: Token, to: str, units: int) -> Plan:
        return errands.withdrawal_plan(self.chain, token, to, units)


def open_chain(
    catalogue: Catalogue,
    name: str,
    profile: ChainProfile,
    environment: Mapping[str, str],
    ring: Keyring,
) -> OpenedSolana:
    """As `live.families.Family` says."""
    chain = opening.open_chain(catalogue, name, profile, environment, ring)
    return OpenedSolana(chain, environment)


def placed(profile: ChainProfile | None) -> Sequence[Placed]:
    """As `live.families.Family` says: every operator's program lies elsewhere."""
    if profile is None or not profile.program:
        return []
    return [Placed("program", profile.program, "")]
