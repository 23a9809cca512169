"""The supported chains and tokens, and the balances of an address on all chains."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from crossway.domain.catalogue import Chain
from crossway.domain.clients import Mode, Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.money import Token
from crossway.domain.quotes import ExcludedSource
from crossway.ports.chain import Chain as ChainPort
from crossway.ports.policy import TimeoutPolicy
from crossway.ports.services import Services
from crossway.usecases.chains.request_fields import parse_known_chain
from crossway.usecases.parallel_calls import call_all

NETWORKS = ("mainnet", "testnet")
CHAIN_TYPES = ("EVM", "STARKNET", "SOLANA", "TRON")


@dataclass(frozen=True, slots=True)
class TokenBalance:
    """An address's balance of one token, in its smallest units."""

    token: Token
    amount: int


@dataclass(frozen=True, slots=True)
class AddressBalances:
    """The balances of an address; `excluded` names the chains that did not respond."""

    by_chain: Mapping[str, tuple[TokenBalance, ...]]
    excluded: tuple[ExcludedSource, ...]


def list_chains(
    services: Services, caller: Principal | None = None, network: str | None = None
) -> list[Chain]:
    """The configured chains, all or those of one network (`mainnet` or `testnet`)."""
    if network and network not in NETWORKS:
        raise InvalidInput(f"network must be one of {', '.join(NETWORKS)}")
    if caller is not None:
        caller.require_chain_allowed(network == "testnet", "network")
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


def get_balances(
    services: Services,
    caller: Principal,
    address: str,
    network: str | None = None,
    chain_type: str | None = None,
    with_zero: bool = False,
) -> AddressBalances:
    """The balances of an address on every chain that accepts its format, read in parallel; of one
    network or one family of chains (`CHAIN_TYPES`) if given. A live key sees no test networks.
    `with_zero`: tokens without a balance too."""
    calls: dict[str, Callable[[], tuple[TokenBalance, ...]]] = {}
    for chain in _list_of_type(services, caller, network, chain_type):
        try:
            canonical = services.chains[chain.id].canonical_address(address)
        except ValueError:
            continue
        tokens = _enabled_tokens(services, chain)
        calls[chain.id] = _balance_reader(services.chains[chain.id], canonical, tokens, with_zero)
    if not calls:
        of_type = f"{chain_type} " if chain_type else "supported "
        raise InvalidInput(f"address has the format of no {of_type}chain")
    # No chain's answer can replace another's, so each has the full time limit.
    results = call_all(services.executor, calls, TimeoutPolicy(enough=len(calls)))
    by_chain = {chain: results.results[chain] for chain in calls if chain in results.results}
    return AddressBalances(by_chain, results.excluded)


def _list_of_type(
    services: Services, caller: Principal, network: str | None, chain_type: str | None
) -> list[Chain]:
    if chain_type is not None and chain_type not in CHAIN_TYPES:
        raise InvalidInput(f"chainType must be one of {', '.join(CHAIN_TYPES)}")
    if network is None and caller.mode is Mode.LIVE:
        network = "mainnet"
    chains = list_chains(services, caller, network)
    return [c for c in chains if chain_type is None or c.kind == chain_type.lower()]


def _balance_reader(
    chain: ChainPort, address: str, tokens: Sequence[Token], with_zero: bool
) -> Callable[[], tuple[TokenBalance, ...]]:
    def read_balances() -> tuple[TokenBalance, ...]:
        # Two symbols can name one contract, which is read once and listed under the first.
        by_address = {token.address: token for token in reversed(tokens)}
        balances = [
            (token, chain.balances([address], token.address)) for token in by_address.values()
        ]
        found = [TokenBalance(token, amounts.get(address, 0)) for token, amounts in balances]
        order = {token.symbol: index for index, token in enumerate(tokens)}
        shown = [balance for balance in found if balance.amount or with_zero]
        return tuple(sorted(shown, key=lambda balance: order[balance.token.symbol]))

    return read_balances
