"""A complete Crossway whose payments are carried by simulated bridges."""

from pathlib import Path
from typing import Any

from crossway.domain.bridge_transfer import BridgeTransfer
from crossway.domain.intent import Intent
from crossway.domain.outbound import OutboundTx, OutboundTxKind
from crossway.ports.sandbox import BridgeFaults, Faults, StrangerAction
from tests.databases import new_sqlite
from tests.harness import Harness

NAMES = ("BASE", "ARBITRUM", "AVALANCHE", "BSC", "ETHEREUM")
CHAINS = [f"{name}_MAINNET" for name in NAMES]


class BridgeWorld(Harness):
    """A `Harness` with what tests of bridges ask."""

    def __init__(self, folder: Path, *bridges: str, **more: Any) -> None:
        super().__init__(
            new_sqlite(folder),
            chains=more.pop("chains", CHAINS),
            over_bridges=bridges or ("CCTP", "ACROSS"),
            **more,
        )

    def pay(self, **more: str) -> Intent:
        """A payment whose deposit has arrived; nothing is sent yet."""
        intent = self.create_intent(**more)
        self.deposit(intent)
        return intent

    def transfer(self, intent: Intent) -> BridgeTransfer:
        with self.store.read() as unit:
            return unit.bridge_transfers.get_many([intent.id])[intent.id]

    def txs(self, intent: Intent) -> dict[OutboundTxKind, OutboundTx]:
        with self.store.read() as unit:
            return {tx.kind: tx for tx in unit.outbound_txs.list_by_intents([intent.id])}

    def held(self, intent: Intent, address: str, at_source: bool = False) -> int:
        """What an address has of a payment's token, on its destination or its source chain."""
        terms = intent.terms
        chain, token = terms.destination_chain, terms.token_out
        if at_source:
            chain, token = terms.source_chain, terms.token_in
        return self.services.chains[chain].balances([address], token)[address]

    def paid(self, intent: Intent) -> int:
        return self.held(intent, intent.terms.recipient)

    def refunded(self, intent: Intent) -> int:
        return self.held(intent, intent.terms.refund_address, at_source=True)

    def set_faults(self, bridge: str, **faults: float | bool | str) -> None:
        self.bridges.inject_faults(bridge, BridgeFaults(**faults))  # type: ignore[arg-type]

    def act(self, intent: Intent, action: StrangerAction) -> str:
        return self.bridges.act_as_stranger(intent, action)

    def reorganise(self, chain: str, depth: int, drop: int = 0) -> None:
        faults = Faults(reorg_depth=depth, drop_next=drop or None)
        self.sandbox.inject_faults(chain, faults)

    def _state(self, intent: Intent) -> str:
        """The state of its transfer, empty before its deposit was seen."""
        with self.store.read() as unit:
            transfer = unit.bridge_transfers.get_many([intent.id]).get(intent.id)
        return transfer.state if transfer is not None else ""

    def wait_for(self, intent: Intent, *states: str, within: float = 60, step: float = 1) -> str:
        """Wait until its transfer is in one of these states."""
        end = self.machine.seconds + within
        while (now := self._state(intent)) not in states:
            assert self.machine.seconds < end, f"{now} after {within} s, not {states}"
            self.pass_time(step, step)
        return now
