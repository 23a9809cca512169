"""Addresses of the contracts on Tron: they do not follow from the code, so the profile has them."""

from collections.abc import Mapping

from crossway.adapters.chains.addresses import canonical_address
from crossway.adapters.chains.evm.calldata import ZERO
from crossway.adapters.chains.evm.contracts import Deployment, build_deployment
from crossway.adapters.chains.tron.address_format import to_evm_address

TRON_PREFIX = 0x41
FAMILY = "tron"
CONTRACT_FIELDS = {"factory": "IntentFactory", "escrow": "Escrow", "filler": "Filler"}
# Only a test machine with EVM hashing sets the CREATE2 prefix.
_PREFIX_FIELD = "prefix"


def deployment_from_profile(name: str, contracts: Mapping[str, str]) -> Deployment:
    """The contracts that a profile names, with addresses in EVM form; the zero address for those
    that it does not name yet. Raises `ValueError` that names the invalid field."""
    for field in contracts:
        if field not in CONTRACT_FIELDS and field != _PREFIX_FIELD:
            known = ", ".join(CONTRACT_FIELDS)
            raise ValueError(f"chains.{name}.contracts.{field} is unknown: expected {known}")
    addresses = {}
    for field in CONTRACT_FIELDS:
        try:
            text = contracts.get(field, "")
            addresses[field] = to_evm_address(canonical_address("tron", text)) if text else ZERO
        except ValueError as error:
            raise ValueError(f"chains.{name}.contracts.{field} {error}") from None
    factory, escrow, filler = (addresses[field] for field in ("factory", "escrow", "filler"))
    return build_deployment(factory, escrow, filler, _prefix(name, contracts), FAMILY)


def _prefix(name: str, contracts: Mapping[str, str]) -> int:
    wrong = f"chains.{name}.contracts.{_PREFIX_FIELD} must be 0x41"
    try:
        prefix = int(contracts.get(_PREFIX_FIELD, hex(TRON_PREFIX)), 16)
    except ValueError:
        raise ValueError(wrong) from None
    if prefix not in (TRON_PREFIX, 0xFF):
        raise ValueError(wrong)
    return prefix


def contract_addresses(at: Deployment) -> dict[str, str]:
    """The address of each contract in EVM form, empty where it is unknown."""
    addresses = {
        "IntentFactory": at.factory,
        "Escrow": at.escrow,
        "Filler": at.filler,
        "DepositAddress": at.implementation if at.factory != ZERO else ZERO,
    }
    return {name: "" if address == ZERO else address for name, address in addresses.items()}
