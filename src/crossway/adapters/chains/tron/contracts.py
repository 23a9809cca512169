"""Where Crossway's contracts lie on Tron: at no address that follows from their code, so that the
profile names them."""

from collections.abc import Mapping

from crossway.adapters.chains.addresses import canonical
from crossway.adapters.chains.evm.calldata import ZERO
from crossway.adapters.chains.evm.contracts import Deployment, deployment_at
from crossway.adapters.chains.tron.forms import plain

TRON_PREFIX = 0x41
FAMILY = "tron"
NAMES = {"factory": "IntentFactory", "escrow": "Escrow", "filler": "Filler"}
# A machine for tests that hashes as EVM chains do is named by its prefix, and no real network is.
_PREFIX = "prefix"


def deployment_of(name: str, contracts: Mapping[str, str]) -> Deployment:
    """The contracts that a profile names, in plain addresses; those that it does not name yet are
    at the zero address. Raises `ValueError` with a sentence that names the field."""
    for field in contracts:
        if field not in NAMES and field != _PREFIX:
            there = ", ".join(NAMES)
            raise ValueError(f"chains.{name}.contracts.{field} is unknown: expected {there}")
    placed = {}
    for field in NAMES:
        try:
            given = contracts.get(field, "")
            placed[field] = plain(canonical("tron", given)) if given else ZERO
        except ValueError as error:
            raise ValueError(f"chains.{name}.contracts.{field} {error}") from None
    try:
        prefix = int(contracts.get(_PREFIX, hex(TRON_PREFIX)), 16)
    except ValueError:
        raise ValueError(f"chains.{name}.contracts.{_PREFIX} must be 0x41") from None
    if prefix not in (TRON_PREFIX, 0xFF):
        raise ValueError(f"chains.{name}.contracts.{_PREFIX} must be 0x41")
    return deployment_at(placed["factory"], placed["escrow"], placed["filler"], prefix, FAMILY)


def addresses(at: Deployment) -> dict[str, str]:
    """Each contract and its plain address, empty where nobody has named it."""
    placed = {
        "IntentFactory": at.factory,
        "Escrow": at.escrow,
        "Filler": at.filler,
        "DepositAddress": at.implementation if at.factory != ZERO else ZERO,
    }
    return {name: "" if address == ZERO else address for name, address in placed.items()}
