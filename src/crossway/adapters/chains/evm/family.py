"""The EVM family: how its chains are opened, looked at, and what operators do on them."""

from collections.abc import Iterator, Mapping, Sequence

from crossway.adapters.chains.evm import errands, examining, opening
from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.contracts import deployment
from crossway.adapters.chains.evm.examining import nodes_findings
from crossway.adapters.chains.evm.signers import KEYS
from crossway.adapters.chains.evm.starting import missing
from crossway.adapters.chains.live.errands import Placed, Plan
from crossway.adapters.chains.live.findings import Finding
from crossway.adapters.chains.live.keys import Keyring
from crossway.adapters.chains.live.profile import ChainProfile
from crossway.domain.catalogue import Catalogue
from crossway.domain.money import Token

__all__ = ["KEYS", "nodes_findings", "open_chain", "placed"]


class OpenedEvm:
    """`live.families.Opened` for an EVM chain."""

    def __init__(self, chain: EvmChain, environment: Mapping[str, str]) -> None:
        self.chain, self._environment = chain, environment

    def missing(self) -> list[str]:
        return missing(self.chain)

    def findings(self) -> Iterator[Finding]:
        return examining.chain_findings(self.chain)

    def contracts(self) -> Sequence[Placed]:
        at = self.chain.ground.at
        trouble = self.chain.ground.nodes.one(lambda line: errands.contract_trouble(line, at))
        return [Placed(n, a, trouble[n]) for n, a in errands.contract_addresses(at).items()]

    def deployment(self, payer: str) -> Plan:
        signer = self.chain.ground.signer
        if payer:
            signer = Keyring(self._environment).signer_for("--key", KEYS, payer)
        return errands.deployment_plan(self.chain, signer)

    def held(self, tokens: Sequence[Token]) -> Mapping[str, int]:
        owner, places = self.chain.own.relayer, [one.address for one in tokens]
        return self.chain.ground.nodes.one(lambda line: errands.holdings(line, owner, places))

    def approval(self, tokens: Sequence[Token], units: int | None) -> Plan:
        most = errands.EVERYTHING if units is None else units
        return errands.approval_plan(self.chain, tokens, most)

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
) -> OpenedEvm:
    """As `live.families.Family` says."""
    return OpenedEvm(opening.open_chain(catalogue, name, profile, environment, ring), environment)


def placed(profile: ChainProfile | None) -> Sequence[Placed]:
    """As `live.families.Family` says: the same on every EVM chain."""
    return [Placed(n, a, "") for n, a in errands.contract_addresses(deployment()).items()]
