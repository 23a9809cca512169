"""The money that each alert is about: what waits, failed, strayed or cannot be seen, no more."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final

from crossway.domain.catalogue import Catalogue
from crossway.domain.intent import Intent, State
from crossway.domain.inventory_transfer import InventoryTransfer
from crossway.domain.ledger import (
    UNIFIED_DECIMALS,
    UNIFIED_TOKEN,
    Account,
    is_unified,
    unified_location,
)
from crossway.domain.money import micro_usd_down
from crossway.domain.outbound import OutboundTx, OutboundTxKind
from crossway.domain.owners import owner_of_subject
from crossway.domain.rebalancing import is_rebalancing, rebalancing_id
from crossway.ports.records import Alert
from crossway.ports.store import UnitOfWork

Money = tuple[str, str, int]
"""A chain, or another location of inventory, a token there and an amount in smallest units."""
_PAYER_ACCOUNTS: Final = (Account.HELD, Account.ESCROW)
_OF_BRIDGES: Final = (OutboundTxKind.DELIVER, OutboundTxKind.RELEASE, OutboundTxKind.GIVE_BACK)
_PAYOUTS: Final = ("stock", "unified")


class Valuation:
    """Values money at the prices of one moment, in pico-USD by symbol."""

    def __init__(self, catalogue: Catalogue, pico_usd: Mapping[str, int]) -> None:
        self._catalogue, self._pico_usd = catalogue, pico_usd

    def micro_usd(self, money: Iterable[Money]) -> int:
        """The value of all of it; what has no price counts as nothing."""
        return sum(self._value(*one) for one in money)

    def _value(self, chain: str, address: str, units: int) -> int:
        token = self._catalogue.by_address.get((chain, address))
        symbol = UNIFIED_TOKEN if is_unified(chain) else token.symbol if token else ""
        decimals = token.decimals if token else UNIFIED_DECIMALS
        price = self._pico_usd.get(symbol)
        return 0 if price is None else micro_usd_down(max(units, 0), decimals, price)

    def is_testnet(self, chain: str) -> bool:
        """Whether a chain is a test network."""
        return self._catalogue.chains[chain].testnet


class MoneyOfPayments:
    """What transactions, transfers and the books have of payments and of rebalancing transfers:
    everything of the `owners` that alerts are about, and what other transactions move."""

    def __init__(
        self, unit: UnitOfWork, owners: Collection[int], held_up: Collection[OutboundTx]
    ) -> None:
        self._unit = unit
        subjects = {owner for owner in owners if not is_rebalancing(owner)}
        self._intents = unit.intents.get_many(subjects)
        self._payouts = unit.intents.get_payouts(subjects | {tx.intent_id for tx in held_up})
        self._txs = {tx.id: tx for tx in unit.outbound_txs.list_by_intents(owners)}
        self._transfers = {t.id: t for t in unit.inventory_transfers.list_by_intents(owners)}
        sweeps = [tx for tx in (*self._txs.values(), *held_up) if tx.amount is None]
        keys = {(tx.intent_id, tx.chain, tx.token) for tx in sweeps}
        self._balances = unit.ledger.get_address_balances(keys)

    def of_tx(self, tx_id: int) -> list[Money]:
        """What a transaction moves."""
        tx = self._txs.get(tx_id)
        return self.moved_by(tx) if tx is not None else []

    def moved_by(self, tx: OutboundTx) -> list[Money]:
        """What a transaction moves: a sweep all that lies at the address, one of a bridge the
        payout."""
        if tx.kind is OutboundTxKind.SKIP_NONCE:
            return []
        if tx.kind in _OF_BRIDGES:
            return self.payout(tx.intent_id)
        if tx.amount is not None:
            return [(tx.chain, tx.token, tx.amount)]
        balance = self._balances.get((tx.intent_id, tx.chain, tx.token))
        return [(tx.chain, tx.token, balance.held + balance.dust)] if balance is not None else []

    def at_address(self, intent_id: int, chain: str, token: str) -> list[Money]:
        """What lies at a payment's address, of one token."""
        key = (intent_id, chain, token)
        balance = self._unit.ledger.get_address_balances([key]).get(key)
        return [(chain, token, balance.held + balance.dust)] if balance is not None else []

    def payout(self, intent_id: int) -> list[Money]:
        """What the recipient of a payment gets."""
        payout = self._payouts.get(intent_id)
        return [payout] if payout is not None else []

    def collected(self, intent_id: int) -> list[Money]:
        """What a bridge carries for a payment."""
        intent = self._intents.get(intent_id)
        if intent is None:
            return []
        collected = intent.collected
        return [(intent.terms.source_chain, collected.token, collected.amount)]

    def open_money(self, intent_id: int) -> list[Money]:
        """What a payment is about now: the payout once it was started, else its deposit, as far as
        it has come."""
        intent = self._intents.get(intent_id)
        if intent is None:
            return []
        if intent.state in (State.INITIATED, State.COMPLETED):
            return self.payout(intent_id)
        return [self._deposit(intent)]

    def _deposit(self, intent: Intent) -> Money:
        units = intent.balance_at_address or intent.terms.deposit_amount
        return intent.terms.source_chain, intent.terms.token_in, units

    def booked(self, intent_id: int, account: Account) -> list[Money]:
        """What the books have of a payment's payout in an account of bridges."""
        intent = self._intents.get(intent_id)
        if intent is None:
            return []
        units = self._unit.ledger.sum_by_intent(account, [intent_id]).get(intent_id, 0)
        terms = intent.terms
        return [(terms.destination_chain, terms.token_out, abs(units))]

    def unexplained(self, intent_id: int) -> list[Money]:
        """What was found at a payment's address without a transfer."""
        postings = self._unit.ledger.list_by_tx([intent_id], {f"unexplained:{intent_id}"})
        return [(posting.chain, posting.token, posting.amount) for posting in postings]

    def transfer(self, transfer_id: int, is_testnet: Callable[[str], bool]) -> list[Money]:
        """What an inventory transfer brings."""
        transfer: InventoryTransfer | None = self._transfers.get(transfer_id)
        if transfer is None:
            return []
        if transfer.destination_chain:
            return [(transfer.destination_chain, transfer.destination_token, transfer.amount)]
        unified = unified_location(is_testnet(transfer.source_chain))
        return [(unified, UNIFIED_TOKEN, transfer.amount)]


class AmountsAtRisk:
    """The amounts at risk of alerts that are read together: `owners` are the payments, and the
    rebalancing transfers, that they are about."""

    def __init__(
        self,
        unit: UnitOfWork,
        valuation: Valuation,
        owners: Collection[int],
        held_up: Collection[OutboundTx],
    ) -> None:
        self._unit, self._valuation = unit, valuation
        self._payments = MoneyOfPayments(unit, owners, held_up)
        self._held: Mapping[str, Sequence[Money]] | None = None

    def micro_usd(self, alert: Alert, kind: str, held_up: Sequence[OutboundTx]) -> int:
        """The value of what an alert is about, shown as of `kind`, for whose cause transactions are
        `held_up`; 0 where it is about no money, or nobody knows how much."""
        if kind == "ramp" or alert.key.startswith("record:order:"):
            order = self._unit.orders.get(_number(alert.subject))
            return order.value_micro_usd if order is not None else 0
        if kind == "approval":
            return self._approved_micro_usd(alert)
        return self._valuation.micro_usd(self._money(alert, kind, held_up))

    def _approved_micro_usd(self, alert: Alert) -> int:
        if alert.subject.startswith("rebalancing:"):
            number = rebalancing_id(owner_of_subject(alert.subject))
            transfer = self._unit.rebalancing.get_many([number]).get(number)
            return transfer.micro_usd if transfer is not None else 0
        approval = self._unit.approvals.get(_number(alert.subject))
        return (approval.micro_usd or 0) if approval is not None else 0

    def _money(self, alert: Alert, kind: str, held_up: Sequence[OutboundTx]) -> Sequence[Money]:
        payments, subject = self._payments, _number(alert.subject)
        match kind:
            case "transfer" | "refund" | "reorg" | "signing" | "claim":
                return payments.of_tx(_number(alert.key.rpartition(":")[2]))
            case "foreign":
                _, _, chain, token = alert.key.split(":", 3)
                return payments.at_address(subject, chain, token)
            case "unexplained":
                return payments.unexplained(subject)
            case "stuck" | "engine":
                return payments.open_money(subject)
            case "delayed" | "long_delay" | "halted" | "unfilled":
                return payments.collected(subject)
            case "parked":
                return payments.booked(subject, Account.PARKED)
            case "repeated":
                return payments.booked(subject, Account.UNCLAIMED)
            case "funding_overdue" | "funding_refused":
                number = _number(alert.key.rpartition(":")[2])
                return payments.transfer(number, self._valuation.is_testnet)
            case "chain" | "wrong_chain" | "node":
                return self._held_on(alert.subject)
            case "reconcile":
                return _differences_of_run(self._unit, _number(alert.subject.rpartition(" ")[2]))
        return _held_up_money(kind, held_up, payments)

    def _held_on(self, chain: str) -> Sequence[Money]:
        """Payers' money on a chain, as the books have it: at deposit addresses, and in escrow."""
        if self._held is None:
            held: dict[str, list[Money]] = defaultdict(list)
            balances = self._unit.ledger.get_balances(accounts=_PAYER_ACCOUNTS)
            for (_, place, token), units in balances.items():
                held[place].append((place, token, units))
            self._held = held
        return self._held.get(chain, ())


def _number(text: str) -> int:
    return int(text) if text.isdigit() else 0


def _held_up_money(
    kind: str, held_up: Sequence[OutboundTx], payments: MoneyOfPayments
) -> list[Money]:
    """What the transactions that wait for an alert's cause move: for a lack of inventory, the
    payouts of the payments that wait to be started."""
    return [
        money
        for tx in held_up
        for money in (
            payments.payout(tx.intent_id)
            if kind in _PAYOUTS and tx.kind is OutboundTxKind.START
            else payments.moved_by(tx)
        )
    ]


def _differences_of_run(unit: UnitOfWork, run_id: int) -> list[Money]:
    """How far books and chains are apart, as a reconciliation found."""
    run = unit.treasury.get_reconciliation(run_id)
    return [
        (
            finding["chain"],
            finding["token"],
            abs(int(finding["ledger_amount"]) - int(finding["chain_amount"])),
        )
        for finding in (run.result.get("findings", ()) if run is not None else ())
        if "ledger_amount" in finding and not finding["transient"]
    ]
