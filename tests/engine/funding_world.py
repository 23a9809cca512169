"""A complete Crossway whose inventory simulated bridges move."""

from collections import defaultdict
from pathlib import Path
from typing import Any

from crossway.domain.intent import Intent
from crossway.domain.inventory_transfer import InventoryTransfer, InventoryTransferKind
from crossway.domain.ledger import Account, is_unified
from crossway.ports.records import Alert
from crossway.ports.sandbox import Faults
from tests.bridges.world import BridgeWorld
from tests.harness import CATALOGUE

MINT, DEPOSIT, TRANSFER = (
    InventoryTransferKind.MINT,
    InventoryTransferKind.DEPOSIT,
    InventoryTransferKind.TRANSFER,
)
BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
OPENING = 1_000_000 * 10**6
"""What the relayer has of USDC on each chain at the beginning."""


class FundingWorld(BridgeWorld):
    """A `BridgeWorld` with what tests of inventory transfers ask."""

    def __init__(self, folder: Path, *bridges: str, **more: Any) -> None:
        super().__init__(folder, *bridges, **more)
        self.set_balances: dict[str, int] = {}

    def set_inventory(self, chain: str, units: int) -> None:
        """Set what the relayer has of USDC on a chain."""
        self.sandbox.inject_faults(chain, Faults(balances={"relayer": {"USDC": units}}))
        self.set_balances[chain] = units

    def moved(self, intent: Intent, kind: InventoryTransferKind) -> InventoryTransfer | None:
        with self.store.read() as unit:
            transfers = unit.inventory_transfers.list_by_intents([intent.id])
        return next((t for t in transfers if t.kind is kind), None)

    def first_moved(self, kind: InventoryTransferKind) -> InventoryTransfer:
        """The first transfer of a kind of the first payment."""
        with self.store.read() as unit:
            transfers = unit.inventory_transfers.list_by_intents([1])
        return next(t for t in transfers if t.kind is kind)

    def state(self, intent: Intent, kind: InventoryTransferKind) -> str:
        transfer = self.moved(intent, kind)
        return "" if transfer is None else transfer.state

    def wait_moved(
        self, intent: Intent, kind: InventoryTransferKind, *states: str, within: float = 120
    ) -> InventoryTransfer:
        """Wait until a transfer of a payment is in one of these states."""
        end = self.machine.seconds + within
        while (now := self.state(intent, kind)) not in states:
            assert self.machine.seconds < end, f"{now!r} after {within} s, not {states}"
            self.pass_time(1)
        transfer = self.moved(intent, kind)
        assert transfer is not None
        return transfer

    def unified(self) -> int:
        """The unified balance of the main networks, as the service gives it."""
        balances = self.services.inventory_bridges["GATEWAY"].balances()
        return sum(n for c, n in balances.items() if not CATALOGUE.chains[c].testnet)

    def inventory(self, chain: str) -> int:
        """What the relayer has of USDC on a chain."""
        token = CATALOGUE.tokens[chain, "USDC"].address
        relayer = self.services.chains[chain].accounts.relayer
        return self.services.chains[chain].balances([relayer], token)[relayer]

    def alerts(self, kind: str) -> list[Alert]:
        with self.store.read() as unit:
            return [alert for alert in unit.alerts.list_active() if alert.kind == kind]

    def booked(self, account: Account, location: str) -> int:
        """The balance of an account at a location in USDC."""
        with self.store.read() as unit:
            balances = unit.ledger.get_balances()
        token = "USDC" if is_unified(location) else CATALOGUE.tokens[location, "USDC"].address
        return balances.get((account, location, token), 0)

    def check_books(self) -> None:
        """Every account of a token sums to zero, the relayer's balances are as booked, and what
        crossed cancels out over all places."""
        with self.store.read() as unit:
            balances = unit.ledger.get_balances()
        totals: dict[tuple[str, str], int] = defaultdict(int)
        crossed: dict[str, int] = defaultdict(int)
        for (account, location, token), units in balances.items():
            totals[location, token] += units
            if account is Account.CROSSED:
                crossed["USDC"] += units
        assert set(totals.values()) <= {0}
        assert set(crossed.values()) <= {0}
        for chain in self.services.chains:
            began = self.set_balances.get(chain, None)
            usdc = CATALOGUE.tokens.get((chain, "USDC"))
            if usdc is None or usdc.decimals != 6:
                continue
            expected = (OPENING if began is None else began) + self.booked(Account.INVENTORY, chain)
            assert self.inventory(chain) == expected, chain
