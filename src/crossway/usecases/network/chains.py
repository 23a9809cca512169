"""The chains and tokens that can be used, and what an address holds on them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from crossway.domain.catalogue import Chain
from crossway.domain.errors import InvalidInput
from crossway.domain.money import Token
from crossway.domain.quotes import LeftOut
from crossway.ports.chain import Chain as ChainPort
from crossway.ports.services import Patience, Services
from crossway.usecases.pricing.asking import ask

NETWORKS = ("mainnet", "testnet")


@dataclass(frozen=True, slots=True)
class Holding:
    """What an address holds of one token, in the token's units."""

    token: Token
    units: int


@dataclass(frozen=True, slots=True)
class Holdings:
    """Everything above zero that an address holds; `missing` are the chains that gave no answer."""

    by_chain: Mapping[str, tuple[Holding, ...]]
    missing: tuple[LeftOut, ...]


def chains(services: Services, network: str | None = None) -> list[Chain]:
    """The configured chains, all or those of one network (`mainnet` or `testnet`)."""
    if network and network not in NETWORKS:
        raise InvalidInput(f"network must be one of {', '.join(NETWORKS)}")
    known = [c for c in services.catalogue.chains.values() if c.id in services.chains]
    return [c for c in known if not network or c.testnet == (network == "testnet")]


def tokens_of(services: Services, chain: str | None) -> tuple[Token, ...]:
    """The enabled tokens of one chain."""
    found = services.catalogue.chain(chain)
    if found.id not in services.chains:
        raise InvalidInput(f"chain: {found.id} is not configured here")
    return tuple(token for token in services.catalogue.by_chain[found.id] if token.enabled)


def all_tokens(services: Services) -> Mapping[str, tuple[Token, ...]]:
    """The enabled tokens of every configured chain."""
    return {chain.id: tokens_of(services, chain.id) for chain in chains(services)}


def balances(services: Services, address: str) -> Holdings:
    """What an address holds on every chain whose form it has, all chains asked at once."""
    questions: dict[str, Callable[[], tuple[Holding, ...]]] = {}
    for chain, tokens in all_tokens(services).items():
        try:
            canonical = services.chains[chain].canonical_address(address)
        except ValueError:
            continue
        questions[chain] = _question(services.chains[chain], canonical, tokens)
    if not questions:
        raise InvalidInput("address has the form of no supported chain")
    # Nothing can stand in for a chain's answer, so each has the whole time.
    patience = Patience(services.policy.patience.deadline, enough=len(questions))
    answers = ask(services.asking, questions, patience)
    in_order = {chain: answers.given[chain] for chain in questions if chain in answers.given}
    return Holdings(in_order, answers.missing)


def _question(
    chain: ChainPort, address: str, tokens: Sequence[Token]
) -> Callable[[], tuple[Holding, ...]]:
    def question() -> tuple[Holding, ...]:
        # Two symbols can name one contract, which is asked once and shown under the first.
        of = {token.address: token for token in reversed(tokens)}
        held = [(token, chain.balances([address], token.address)) for token in of.values()]
        found = [Holding(token, units.get(address, 0)) for token, units in held]
        order = {token.symbol: place for place, token in enumerate(tokens)}
        return tuple(sorted((h for h in found if h.units), key=lambda h: order[h.token.symbol]))

    return question
