"""Transactions and addresses of the simulated chains, with the records that they belong to."""

from collections.abc import Sequence
from dataclasses import dataclass

from crossway.domain.catalogue import Chain
from crossway.domain.clients import Principal
from crossway.domain.deposits import IncomingTransfer
from crossway.domain.errors import NotFound
from crossway.domain.rebalancing import is_rebalancing, rebalancing_id
from crossway.domain.roles import Permission
from crossway.ports.sandbox import Sandbox
from crossway.ports.services import Services
from crossway.ports.simulated_transactions import SimulatedTransaction
from crossway.usecases.simulator.chain_controls import SimulatedBalance, get_balances

MAX_TRANSFERS = 50
_MAX_HITS = 50


@dataclass(frozen=True, slots=True)
class SimulatedAddress:
    """An address of a simulated chain: what it holds there, and the newest transfers to it."""

    chain: Chain
    address: str
    balances: tuple[SimulatedBalance, ...]
    transfers: Sequence[IncomingTransfer]


def get_transaction(
    services: Services, caller: Principal, chain_id: str, tx_hash: str
) -> SimulatedTransaction:
    """A transaction of a simulated chain. Raises `NotFound` for an unknown chain or hash."""
    sandbox, chain = _require(services, caller, chain_id)
    found = sandbox.find_transaction(chain.id, tx_hash.strip()) if tx_hash.strip() else None
    if found is None:
        raise NotFound(f"{chain.name} has no transaction with this hash")
    return found


def get_address(
    services: Services, caller: Principal, chain_id: str, address: str
) -> SimulatedAddress:
    """An address of a simulated chain. Raises `NotFound` for an unknown chain and for what is no
    address there."""
    sandbox, chain = _require(services, caller, chain_id)
    try:
        canonical = services.chains[chain.id].canonical_address(address.strip())
    except ValueError:
        raise NotFound(f"This is no address of {chain.name}") from None
    balances = get_balances(services, caller, canonical)
    return SimulatedAddress(
        chain,
        canonical,
        tuple(balance for balance in balances if balance.chain == chain.id),
        sandbox.list_transfers_to(chain.id, canonical, MAX_TRANSFERS),
    )


def list_rebalancing_of(services: Services, caller: Principal, tx_hash: str) -> list[int]:
    """The numbers of the rebalancing transfers to which a transaction belongs."""
    caller.require_permission(Permission.VIEW)
    with services.store.read() as unit:
        hits = unit.search.find((tx_hash,), None, _MAX_HITS)
    owners = {int(hit.id) for hit in hits if hit.kind == "payment"}
    return sorted(rebalancing_id(owner) for owner in owners if is_rebalancing(owner))


def _require(services: Services, caller: Principal, chain_id: str) -> tuple[Sandbox, Chain]:
    caller.require_permission(Permission.VIEW)
    if services.sandbox is None:
        raise NotFound("There is no simulated network here")
    chain = services.catalogue.chains.get(chain_id)
    if chain is None or chain_id not in services.chains:
        raise NotFound("There is no such chain")
    return services.sandbox, chain
