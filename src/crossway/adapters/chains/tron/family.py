"""The Tron family: how its chains are opened, looked at, and what operators do on them."""

from collections.abc import Iterator, Mapping, Sequence

from crossway.adapters.chains.evm.errands import EVERYTHING, holdings
from crossway.adapters.chains.live.errands import Placed, Plan
from crossway.adapters.chains.live.findings import Finding
from crossway.adapters.chains.live.keys import Keyring
from crossway.adapters.chains.live.profile import ChainProfile
from crossway.adapters.chains.tron import errands, examining, opening
from crossway.adapters.chains.tron.chain import TronChain
from crossway.adapters.chains.tron.contracts import NAMES
from crossway.adapters.chains.tron.examining import nodes_findings
from crossway.adapters.chains.tron.forms import plain
from crossway.adapters.chains.tron.signers import KEYS
from crossway.adapters.chains.tron.starting import missing
from crossway.domain.catalogue import Catalogue
from crossway.domain.money import Token

__all__ = ["KEYS", "nodes_findings", "open_chain", "placed"]


class OpenedTron:
    """`live.families.Opened` for a Tron chain."""

    def __init__(
        self, chain: TronChain, contracts: Mapping[str, str], environment: Mapping[str, str]
    ) -> None:
        self.chain, self._environment = chain, environment
        self._in_profile = dict(contracts)

    def missing(self) -> list[str]:
        return missing(self.chain)

    def findings(self) -> Iterator[Finding]:
        return examining.chain_findings(self.chain)

    def contracts(self) -> Sequence[Placed]:
        return errands.contracts(self.chain, self._in_profile)

    def deployment(self, payer: str) -> Plan:
        signer = self.chain.ground.signer
        if payer:
            signer = Keyring(self._environment).signer_for("--key", KEYS, payer)
        return errands.deployment_plan(self.chain, signer)

    def held(self, tokens: Sequence[Token]) -> Mapping[str, int]:
        ground = self.chain.ground
        places = {plain(one.address): one.address for one in tokens}
        found = ground.nodes.one(lambda line: holdings(line, ground.own.relayer, list(places)))
        return {places[place]: units for place, units in found.items()}

    def approval(self, tokens: Sequence[Token], units: int | None) -> Plan:
        most = EVERYTHING if units is None else units
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
) -> OpenedTron:
    """As `live.families.Family` says."""
    chain = opening.open_chain(catalogue, name, profile, environment, ring)
    return OpenedTron(chain, profile.contracts, environment)


def placed(profile: ChainProfile | None) -> Sequence[Placed]:
    """As `live.families.Family` says: where the profile names them, as nothing else tells."""
    if profile is None:
        return []
    named = profile.contracts
    return [Placed(name, named[field], "") for field, name in NAMES.items() if field in named]
