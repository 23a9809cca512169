"""The repositories of the ledger, corridor statistics, inventory targets and reconciliations."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from crossway.domain.clients import Mode
from crossway.domain.corridor_stats import CorridorVolume, Period, PeriodVolume
from crossway.domain.ledger import Account, AddressBalance, AddressKey, BalanceKey, Posting
from crossway.domain.return_budget import ReturnBudget


@dataclass(frozen=True, slots=True)
class PostingFilter:
    """Filters postings by account and by days since 1970 (both ends included). A page starts
    before `before_id`, newest first, or after `after_id`, oldest first."""

    balance_key: BalanceKey | None = None
    first_day: int | None = None
    last_day: int | None = None
    before_id: int | None = None
    after_id: int | None = None


@dataclass(frozen=True, slots=True)
class StoredPosting:
    """A posting with its id and time."""

    id: int
    at: datetime
    posting: Posting


@dataclass(frozen=True, slots=True)
class Turnover:
    """Total debits and credits of an account, both zero or more."""

    debits: int
    credits: int


class LedgerRepository(Protocol):
    """The double-entry ledger."""

    def post(self, batch: Sequence[Posting], at: datetime) -> None: ...
    def list_by_intent(
        self, intent_id: int, newest: int | None = None
    ) -> list[tuple[datetime, Posting]]:
        """Oldest first. Where a number is given, only the newest deposits and amounts kept as dust,
        and all others."""
        ...

    def count_by_intent(self, intent_id: int) -> int: ...
    def list_by_tx(self, intent_ids: Collection[int], txs: Collection[str]) -> list[Posting]: ...

    def sum_by_intent(
        self, account: Account, intent_ids: Collection[int], *against: Account
    ) -> dict[int, int]:
        """Debits less credits of an account for each of these payments, in smallest units; with
        `against` only those whose other side is one of these. Payments without one are left out.
        For accounts that have one token per payment."""
        ...

    def get_address_balances(
        self, keys: Collection[AddressKey]
    ) -> dict[AddressKey, AddressBalance]:
        """The running balances at deposit addresses; keys without a posting are left out."""
        ...

    def list_address_balances(self, intent_id: int, limit: int) -> list[AddressBalance]:
        """The running balances of one payment, its own token first."""
        ...

    def list_misdirected(
        self, intent_ids: Collection[int] | None, limit: int
    ) -> list[AddressBalance]:
        """Where more than zero is held of another token or on another chain than the payment's
        own, of these payments or of all."""
        ...

    def list_claimable(self, chain: str, from_intent: int, limit: int) -> list[AddressBalance]:
        """Where dust lies on a chain, or what waits for a sweep that was never signed, by payment,
        from one of them."""
        ...

    def get_balances(
        self, chain: str = "", accounts: Collection[Account] = ()
    ) -> dict[BalanceKey, int]:
        """The balance of every account that has one, or only on a chain, or of these accounts."""
        ...

    def list_opened_accounts(self) -> set[BalanceKey]:
        """Accounts with a posting against EQUITY: an opening balance or an adjustment."""
        ...

    def get_balances_before(self, day: int) -> dict[BalanceKey, int]:
        """The opening balance of every account on a day, in days since 1970, UTC."""
        ...

    def sum_moved(self, debit: Account, credit: Account, chain: str, token: str) -> int:
        """The sum of all postings of a token between two accounts in this direction."""
        ...

    def sum_of_tx(self, account: Account, chain: str, token: str, tx: str, since: datetime) -> int:
        """What the postings of a transaction since a time added to an account, less what they
        took."""
        ...

    def sum_credits(self, account: Account, chain: str, token: str, first_day: int) -> int:
        """What was taken from an account since a day, included."""
        ...

    def get_turnovers(self, account: Account, first_day: int) -> dict[BalanceKey, Turnover]:
        """Debits and credits of an account by chain and token since a day, included."""
        ...

    def list_page(self, filter: PostingFilter, limit: int) -> list[StoredPosting]:
        """Newest first; oldest first where `after_id` is given (0 for the start)."""
        ...


class CorridorStatsRepository(Protocol):
    """Counts and volumes of ended payments by corridor, hour and day."""

    def add(self, volumes: Sequence[CorridorVolume], at: datetime) -> None:
        """Add to the hour and the day of an instant; negative counts correct earlier ones."""
        ...

    def sum_since(self, mode: Mode | None, period: Period, at: datetime) -> list[CorridorVolume]:
        """Totals by corridor of a mode, or of both, since the start of the hour or day of an
        instant."""
        ...

    def list_between(
        self, mode: Mode | None, source: str, destination: str, period: Period, at: datetime
    ) -> list[tuple[int, CorridorVolume]]:
        """Those from one chain to another with the number of their hour or day, counted since 1970,
        since the start of the hour or day of an instant."""
        ...

    def list_volumes(
        self, mode: Mode | None, period: Period, first: int, end: int | None = None
    ) -> list[PeriodVolume]:
        """Totals of all corridors for each hour or day since 1970 from `first` until before
        `end`."""
        ...


@dataclass(frozen=True, slots=True)
class InventoryTarget:
    """The amount of a token that the relayer should hold on a chain; who set it and when."""

    chain: str
    token: str
    amount: int
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class BridgeReceivable:
    """An amount in the smallest unit that a bridge owes the relayer for one payment, since when
    and by when."""

    intent_id: int
    chain: str
    token: str
    amount: int
    bridge: str
    since: datetime
    due: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class PayoutsBrought:
    """Payouts for which a bridge is bringing inventory, in smallest units; of these, `unsent` are
    those for which nothing has left yet."""

    units: int
    unsent: int


@dataclass(frozen=True, slots=True)
class ReconciliationRun:
    """One comparison of ledger and chains. `ended_at` is None while it runs."""

    id: int
    started_by: str
    started_at: datetime
    ended_at: datetime | None
    chains_done: int
    chains_total: int
    differences: int
    result: Mapping[str, Any]


class TreasuryRepository(Protocol):
    """The relayer's reserved inventory, its targets, and reconciliations."""

    def sum_reserved(self) -> dict[tuple[str, str], int]:
        """Amounts that started payments will pay out of inventory, by chain and token; a payment
        counts as started once its start is signed."""
        ...

    def sum_brought(self) -> dict[tuple[str, str], PayoutsBrought]:
        """Those of the same amounts for which bridges are bringing inventory."""
        ...

    def sum_waiting(self) -> dict[tuple[str, str], int]:
        """Amounts that funded payments need out of inventory, by chain and token, whose starts are
        not signed."""
        ...

    def sum_waiting_in_advance(self) -> dict[tuple[str, str], int]:
        """Payouts in advance of a bridge that wait for inventory, by chain and token: the bridge
        pays them otherwise."""
        ...

    def list_bridge_receivables(self, limit: int) -> list[BridgeReceivable]:
        """Open reimbursements by bridges."""
        ...

    def list_targets(self) -> list[InventoryTarget]: ...
    def set_target(self, target: InventoryTarget) -> None: ...
    def delete_target(self, chain: str, token: str) -> None: ...

    def lock_return_budget(self, chain: str) -> ReturnBudget | None:
        """A chain's budget, which nobody else changes until the unit of work ends."""
        ...

    def list_return_budgets(self) -> list[ReturnBudget]:
        """Those of chains on which something was returned at our cost."""
        ...

    def save_return_budget(self, budget: ReturnBudget) -> None: ...

    def start_reconciliation(
        self, started_by: str, at: datetime, chains_total: int, for_day: int | None = None
    ) -> int | None:
        """The id of a new run; None when there is one for this day already."""
        ...

    def has_reconciliation_for(self, day: int) -> bool: ...
    def record_progress(self, run_id: int, chains_done: int) -> None: ...
    def finish_reconciliation(
        self, run_id: int, at: datetime, differences: int, result: Mapping[str, Any]
    ) -> None: ...

    def get_reconciliation(self, run_id: int) -> ReconciliationRun | None: ...
    def list_reconciliations(
        self, limit: int, before_id: int | None = None
    ) -> list[ReconciliationRun]:
        """Newest first."""
        ...

    def list_running_reconciliations(self) -> list[ReconciliationRun]: ...
