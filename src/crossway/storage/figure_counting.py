"""Counts payments anew from their rows: payments, transitions and postings of fees."""

import json
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from sqlalchemy import Connection, literal, or_, select

from crossway.domain.intent import State
from crossway.domain.ledger import Account
from crossway.domain.payment_figures import PaymentFigures, value_of_fee
from crossway.domain.payment_outcome import StateChange, find_outcome
from crossway.domain.swaps import Swap
from crossway.sql.in_values import within
from crossway.storage.figure_rows import MICROS_IN_HOUR
from crossway.storage.prepared import fetch
from crossway.storage.tables import intents, postings, transitions

# What payers were charged beyond the amount and the merchant's fee, less what bridges took of it.
_INCOME: Final = (Account.SERVICE_FEES, Account.SPREAD, Account.BRIDGE_SURPLUS)
_FEES: Final = (*_INCOME, Account.BRIDGE_FEES, Account.NETWORK_FEES)
_FEE_VALUES: Final = [account.value for account in _FEES]
_c, _t, _p = intents.c, transitions.c, postings.c
# In the order of the fields of `_Payment`.
_PAYMENTS: Final = select(
    *(_c.id, _c.created_at, _c.mode, _c.client_id, _c.source_chain, _c.destination_chain),
    *(_c.bridge, _c.asset_symbol, _c.asset_decimals, _c.state, _c.deposit_amount),
    *(_c.received_amount, _c.amount_micro_usd),
    *(_c.out_symbol, _c.out_decimals, _c.payout_amount, _c.swap),
    _c.amount_micro_usd + _c.service_micro_usd + _c.bridge_micro_usd + _c.app_micro_usd,
).where(within(_c.id, "ids"))
_CHANGES: Final = (
    select(_t.intent_id, _t.at, _t.event, _t.from_state, _t.to_state)
    .where(within(_t.intent_id, "ids"))
    .order_by(_t.id)
)
# Appending nothing keeps the planner from using the indexes of the accounts.
_FEE_LITERALS: Final = [literal(value) for value in _FEE_VALUES]
IS_FEE: Final = or_((_p.debit + "").in_(_FEE_LITERALS), (_p.credit + "").in_(_FEE_LITERALS))
_FEE_POSTINGS: Final = select(_p.intent_id, _p.chain, _p.debit, _p.credit, _p.amount).where(
    IS_FEE, within(_p.intent_id, "ids")
)
Fees = dict[tuple[str, str], list[int]]


def count_payments(db: Connection, ids: Collection[int]) -> list[PaymentFigures]:
    """See `ports.payment_figures.PaymentFiguresRepository.count`."""
    changes = defaultdict[int, list[StateChange]](list)
    for intent_id, *change in fetch(db, _CHANGES, {"ids": ids}):
        changes[intent_id].append(StateChange(*change))
    fees = defaultdict[int, Fees](lambda: defaultdict(list))
    for intent_id, chain, debit, credit, amount in fetch(db, _FEE_POSTINGS, {"ids": ids}):
        for account, sign in ((debit, 1), (credit, -1)):
            if account in _FEE_VALUES:
                fees[intent_id][account, chain].append(sign * int(amount))
    rows = [_Payment(*row) for row in fetch(db, _PAYMENTS, {"ids": ids})]
    return [_count(row, changes.get(row.id, ()), fees.get(row.id, {})) for row in rows]


class _Payment(NamedTuple):
    """The columns of a payment that are counted."""

    id: int
    created_at: int
    mode: str
    client_id: str
    source_chain: str
    destination_chain: str
    bridge: str
    asset_symbol: str
    asset_decimals: int
    state: str
    deposit_amount: str
    received_amount: str
    amount_micro_usd: int
    out_symbol: str
    out_decimals: int
    payout_amount: str
    swap: str | None
    total_micro_usd: int


def _count(row: _Payment, changes: Sequence[StateChange], fees: Fees) -> PaymentFigures:
    state, received = State(row.state), row.received_amount != "0"
    outcome = find_outcome(state, row.created_at, received, changes)
    return PaymentFigures(
        intent_id=row.id,
        created_at=row.created_at,
        hour=row.created_at // MICROS_IN_HOUR,
        mode=row.mode,
        client_id=row.client_id,
        source_chain=row.source_chain,
        destination_chain=row.destination_chain,
        bridge=row.bridge,
        symbol=row.asset_symbol,
        decimals=row.asset_decimals,
        state=state,
        cause=outcome.cause,
        bucket=outcome.bucket,
        deposited=outcome.deposited,
        started=outcome.started,
        underpaid=received and not outcome.deposited,
        requested_micro_usd=row.amount_micro_usd,
        service_fee_micro_usd=_value(row, fees, *_INCOME),
        bridge_fee_micro_usd=_value(row, fees, Account.BRIDGE_FEES),
        deposit_units=int(row.deposit_amount) if state is State.COMPLETED else 0,
        network_fees={
            chain: total
            for (account, chain), amounts in fees.items()
            if account == Account.NETWORK_FEES and (total := sum(amounts))
        },
    )


def _collected(row: _Payment) -> tuple[str, int, int, int]:
    """The symbol and decimals of what the start collects, its units and their value: the deposit,
    or what it is swapped for."""
    if row.swap is None:
        units = int(row.deposit_amount)
        return row.asset_symbol, row.asset_decimals, units, row.total_micro_usd
    swap = Swap(**json.loads(row.swap))
    return swap.symbol, swap.decimals, swap.output, row.total_micro_usd - swap.cost_micro_usd


def _value(row: _Payment, fees: Fees, *accounts: Account) -> int:
    """What a payment added to these accounts, in micro-USD at its agreed prices."""
    agreed = {
        # What a bridge delivers is income on the destination chain, in the token of the payout.
        row.destination_chain: (
            *(row.out_symbol, row.out_decimals),
            *(int(row.payout_amount), row.amount_micro_usd),
        ),
        row.source_chain: _collected(row),
    }
    # Each posting is rounded by itself, as in the books, so that a reversal cancels it.
    return sum(
        (1 if n > 0 else -1) * value_of_fee(abs(n), *terms)
        for account in accounts
        for chain, terms in agreed.items()
        for n in fees.get((account, chain), ())
    )
