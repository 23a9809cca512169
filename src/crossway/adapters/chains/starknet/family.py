"""The Starknet family: how its chains are opened, looked at, and what operators do on them."""

from collections.abc import Iterator, Mapping, Sequence

from crossway.adapters.chains.live.errands import Placed, Plan
from crossway.adapters.chains.live.findings import Finding
from crossway.adapters.chains.live.keys import Keyring
from crossway.adapters.chains.live.profile import ChainProfile
from crossway.adapters.chains.starknet import balances, errands, examining, opening
from crossway.adapters.chains.starknet.chain import StarknetChain
from crossway.adapters.chains.starknet.examining import nodes_findings
from crossway.adapters.chains.starknet.keys import KEYS
from crossway.adapters.chains.starknet.starting import missing
from crossway.domain.catalogue import Catalogue
from crossway.domain.money import Token

__all__ = ["KEYS", "nodes_findings", "open_chain", "placed"]


class OpenedStarknet:
    """`live.families.Opened` for a Starknet chain."""

    def __init__(self, chain: StarknetChain) -> None:
        self.chain = chain

    def missing(self) -> list[str]:
        return missing(self.chain)

    def findings(self) -> Iterator[Finding]:
        return examining.chain_findings(self.chain)

    def contracts(self) -> Sequence[Placed]:
        return self.chain.ground.nodes.one(errands.trouble)

    def deployment(self, payer: str) -> Plan:
        if payer:
            raise ValueError(
                "--key: on Starknet a key does not tell its account: the relayer's account pays"
            )
        return errands.deployment_plan(self.chain)

    def held(self, tokens: Sequence[Token]) -> Mapping[str, int]:
        ground, owner = self.chain.ground, self.chain.own.relayer
        places = list(dict.fromkeys(one.address for one in tokens))
        return ground.nodes.one(
            lambda line: {p: balances.read(ground, line, [owner], p)[owner] for p in places}
        )

    def approval(self, tokens: Sequence[Token], units: int | None) -> Plan:
        return errands.nothing(self.chain)

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
) -> OpenedStarknet:
    """As `live.families.Family` says."""
    return OpenedStarknet(opening.open_chain(catalogue, name, profile, environment, ring))


def placed(profile: ChainProfile | None) -> Sequence[Placed]:
    """As `live.families.Family` says: the same on every Starknet network."""
    return errands.placed()
