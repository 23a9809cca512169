"""The supported chains and tokens, and the balances of an address on all chains."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from crossway.domain.catalogue import Chain
from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.money import Token
from crossway.domain.quotes import ExcludedSource
from crossway.ports.chain import Chain as ChainPort
from crossway.ports.policy import TimeoutPolicy
from crossway.ports.services import Services
from crossway.usecases.chains.request_fields import parse_known_chain
from crossway.usecases.parallel_calls import call_all

NETWORKS = ("mainnet", "testnet")


@dataclass(frozen=True, slots=True)
class TokenBalance:
    """An address's balance of one token, in its smallest units."""

    token: Token
    amount: int


@dataclass(frozen=True, slots=True)
class AddressBalances:
    """The positive balances of an address; `excluded` names the chains that did not respond."""

    by_chain: Mapping[str, tuple[TokenBalance, ...]]
    excluded: tuple[ExcludedSource, ...]


def list_chains(
    services: Services, caller: Principal | None = None, network: str | None = None
) -> list[Chain]:
    """The configured chains, all or those of one network (`mainnet` or `testnet`)."""
    if network and network not in NETWORKS:
        raise InvalidInput(f"network must be one of {', '.join(NETWORKS)}")
    if caller is not None:
        caller.require_chain_allowed(network == "testnet")
    configured = [c for c in services.catalogue.chains.values() if c.id in services.chains]
    return [c for c in configured if not network or c.testnet == (network == "testnet")]


def chain_name(services: Services, chain: str) -> str:
    """The display name of a chain."""
    return services.catalogue.chains[chain].name


def list_tokens(services: Services, caller: Principal | None, chain: object) -> tuple[Token, ...]:
    """The enabled tokens of one chain."""
    known_chain = parse_known_chain(services, caller, chain)
    if known_chain.id not in services.chains:
        raise InvalidInput(f"chain: {known_chain.id} is not configured here")
    return _enabled_tokens(services, known_chain)


def list_all_tokens(services: Services) -> Mapping[str, tuple[Token, ...]]:
    """The enabled tokens of every configured chain."""
    return {chain.id: _enabled_tokens(services, chain) for chain in list_chains(services)}


def _enabled_tokens(services: Services, chain: Chain) -> tuple[Token, ...]:
    return tuple(token for token in services.catalogue.by_chain[chain.id] if token.enabled)


def get_balances(services: Services, address: str) -> AddressBalances:
    """The balances of an address on every chain that accepts its format, read in parallel."""
    calls: dict[str, Callable[[], tuple[TokenBalance, ...]]] = {}
    for chain, tokens in list_all_tokens(services).items():
        try:
            canonical = services.chains[chain].canonical_address(address)
        except ValueError:
            continue
        calls[chain] = _balance_reader(services.chains[chain], canonical, tokens)
    if not calls:
        raise InvalidInput("address has the format of no supported chain")
    # No chain's answer can replace another's, so each has the full time limit.
    results = call_all(services.executor, calls, TimeoutPolicy(enough=len(calls)))
    by_chain = {chain: results.results[chain] for chain in calls if chain in results.results}
    return AddressBalances(by_chain, results.excluded)


def _balance_reader(
    chain: ChainPort, address: str, tokens: Sequence[Token]
) -> Callable[[], tuple[TokenBalance, ...]]:
    def read_balances() -> tuple[TokenBalance, ...]:
        # Two symbols can name one contract, which is read once and listed under the first.
        by_address = {token.address: token for token in reversed(tokens)}
        balances = [
            (token, chain.balances([address], token.address)) for token in by_address.values()
        ]
        positive = [TokenBalance(token, amounts.get(address, 0)) for token, amounts in balances]
        order = {token.symbol: index for index, token in enumerate(tokens)}
        return tuple(sorted((b for b in positive if b.amount), key=lambda b: order[b.token.symbol]))

    return read_balances
