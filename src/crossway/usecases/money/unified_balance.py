"""The unified balance at Circle Gateway: a place of inventory beside the chains."""

from dataclasses import dataclass
from typing import Final

from crossway.domain.clients import Principal
from crossway.domain.inventory_transfer import InventoryTransfer
from crossway.domain.ledger import UNIFIED_TOKEN, Account, is_unified, unified_location
from crossway.domain.quotes import BridgeName
from crossway.domain.roles import Permission
from crossway.ports.services import Services

UNIFIED_KIND: Final = "unified"
_MAX_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class UnifiedBalance:
    """The unified balance of main networks or of test networks, in units of USDC: what the service
    says may be minted, and what the books have; `is_opened`, whether they include what was there
    before: `known_opening`, which the simulated network alone tells, is included unbooked."""

    location: str
    available: int
    booked: int
    is_opened: bool
    known_opening: int = 0

    @property
    def difference(self) -> int:
        """What the service has more than the books."""
        return self.available - self.booked


def read_unified_balances(services: Services) -> list[UnifiedBalance]:
    """The unified balances; none where no payment may need one and the books have none. Raises
    `Unreachable`."""
    bridge = services.inventory_bridges.get(BridgeName.GATEWAY)
    with services.store.read() as unit:
        ledger = unit.ledger.get_balances()
        opened = unit.ledger.list_opened_accounts()
    is_offered = any(offered.name == BridgeName.GATEWAY for offered in services.bridges)
    if bridge is None or not (is_offered or any(is_unified(key[1]) for key in ledger)):
        return []
    sandbox = services.bridge_sandbox if services.sandbox is not None else None
    openings = sandbox.opening_balances(BridgeName.GATEWAY) if sandbox is not None else None
    balances, facts = bridge.balances(), services.catalogue.chains
    result = []
    for testnet in sorted({facts[chain].testnet for chain in balances}):
        location = unified_location(testnet)
        key = (Account.INVENTORY, location, UNIFIED_TOKEN)
        is_opened, booked = key in opened, ledger.get(key, 0)
        known = 0
        if openings is not None and not is_opened:
            known = sum(n for c, n in openings.items() if facts[c].testnet == testnet)
            is_opened = True
        available = sum(n for c, n in balances.items() if facts[c].testnet == testnet)
        result.append(UnifiedBalance(location, available, booked + known, is_opened, known))
    return result


def list_unified_balances(services: Services, caller: Principal) -> list[UnifiedBalance]:
    """The unified balances, for display. Raises `Unreachable`."""
    caller.require_permission(Permission.VIEW)
    return read_unified_balances(services)


def list_open_transfers(services: Services, caller: Principal) -> list[InventoryTransfer]:
    """The inventory transfers that are under way, oldest first."""
    caller.require_permission(Permission.VIEW)
    with services.store.read() as unit:
        return unit.inventory_transfers.list_open(_MAX_SHOWN)
