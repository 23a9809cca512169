"""The ways to pay a link that a payer's own wallets can cover, cheapest first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from crossway.domain.catalogue import ChainKind
from crossway.ports.policy import TimeoutPolicy
from crossway.ports.services import Services
from crossway.usecases.chains.request_fields import parse_address
from crossway.usecases.parallel_calls import call_all
from crossway.usecases.payers.checkout import PaymentMethod

_TIMEOUT_SECONDS = 5


@dataclass(frozen=True, slots=True)
class HeldMethod:
    """A way to pay, and the `balance` of its token that a wallet's account has, in units."""

    method: PaymentMethod
    balance: int


@dataclass(frozen=True, slots=True)
class HeldMethods:
    """The ways to pay that are covered, and the chains whose nodes did not answer in time."""

    covered: list[HeldMethod]
    unread: list[str]


def list_families(services: Services, methods: Sequence[PaymentMethod]) -> list[ChainKind]:
    """The families of the chains that can be paid on, in the order of the methods."""
    chains = services.catalogue.chains
    return list(dict.fromkeys(chains[method.source.source].kind for method in methods))


def find_held(
    services: Services, methods: Sequence[PaymentMethod], accounts: Mapping[str, str]
) -> HeldMethods:
    """Those of the methods, in their order, that the accounts cover, one by family of chains.

    Our nodes are asked, since a wallet tells of one chain only. Raises `InvalidInput` for what is
    no address there."""
    by_chain: dict[str, list[PaymentMethod]] = {}
    for method in methods:
        by_chain.setdefault(method.source.source, []).append(method)
    calls = {}
    for chain_id, there in by_chain.items():
        chain = services.catalogue.chains[chain_id]
        if account := accounts.get(chain.kind):
            address = parse_address(services, chain, account, chain.kind)
            tokens = {method.option.address for method in there}
            calls[chain_id] = partial(_read_balances, services, chain_id, address, tokens)
    answers = call_all(services.executor, calls, TimeoutPolicy(_TIMEOUT_SECONDS, len(calls)))
    held = [
        HeldMethod(method, answers.results[method.source.source][method.option.address])
        for method in methods
        if method.source.source in answers.results
    ]
    return HeldMethods(
        [one for one in held if one.balance >= one.method.option.deposit_amount],
        [source.subject for source in answers.excluded],
    )


def _read_balances(
    services: Services, chain: str, account: str, tokens: set[str]
) -> Mapping[str, int]:
    read = services.chains[chain].balances
    return {token: read([account], token)[account] for token in tokens}
