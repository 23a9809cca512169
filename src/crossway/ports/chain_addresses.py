"""Crossway's own addresses on a chain."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ChainAddresses:
    """Crossway's own addresses on a chain.

    `shared`: the bridger is a contract that holds several parties' money, each by its terms.
    `redirect_seconds` after expiry, the coordinator may send the rest at a deposit address to
    another address than its refund address; 0 where no contract asks for a coordinator.
    `contracts` are our contracts beside the bridger. `collectors` are the contracts of bridges by
    the name that a quote gives; `pools` are those of others from which bridges return deposits that
    they could not carry.

    So many seconds after expiry, anyone may have the bridger return a deposit that nobody paid out
    (`reclaim_seconds`), and a coordinator's agents can pay its payees alone; 0 where the bridger
    knows neither. `old_bridgers` hold deposits and retained amounts of earlier payments. On the
    `exchange`, starts of payments out of inventory swap deposits; empty where none does.

    `gas_accounts` hold gas alone and make calls that anyone may make, beside the relayer.
    """

    relayer: str
    bridger: str
    coordinator: str
    treasury: str
    shared: bool = False
    redirect_seconds: int = 0
    contracts: tuple[str, ...] = ()
    collectors: Mapping[str, str] = field(default_factory=dict)
    pools: frozenset[str] = frozenset()
    reclaim_seconds: int = 0
    old_bridgers: tuple[str, ...] = ()
    exchange: str = ""
    gas_accounts: tuple[str, ...] = ()

    @property
    def senders(self) -> tuple[str, ...]:
        """The accounts with which transactions are signed, each with nonces of its own."""
        return self.relayer, *self.gas_accounts

    def name_sender(self, account: str) -> str:
        """A sender within a sentence."""
        return "the relayer's account" if account == self.relayer else f"the gas account {account}"

    def collector(self, name: str) -> str:
        """The account that collects a payment's deposit: a bridge's contract, or the bridger."""
        return self.collectors[name] if name else self.bridger

    def is_reclaimable(self, bridger: str) -> bool:
        """Whether anyone may have this bridger return a deposit in the end."""
        return bool(self.reclaim_seconds) and bridger == self.bridger

    def is_coordinator(self, coordinator: str) -> bool:
        """Whether the relayer is itself this coordinator, or no contract asks for one."""
        return coordinator == self.relayer or not self.redirect_seconds

    def role_of(self, address: str) -> str | None:
        """What an address is to us, such as "the relayer"; None where it is not ours."""
        roles = dict.fromkeys((*self.contracts, self.bridger), "a contract")
        roles |= dict.fromkeys(self.gas_accounts, "a gas account")
        roles |= {
            self.coordinator: "the coordinator",
            self.treasury: "the treasury",
            self.relayer: "the relayer",
        }
        return roles.get(address) if address else None
