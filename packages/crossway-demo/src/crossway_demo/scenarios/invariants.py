"""Invariants that hold after every scenario: chains and books explain every unit of money."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace

from crossway.domain.deposits import Deposit, DepositPurpose, DepositState, IncomingTransfer
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account, Posting, balances, is_fiat
from crossway.domain.money import format_units
from crossway.domain.outbound import OPEN_STATES, OutboundTxKind, OutboundTxState
from crossway.domain.outbound_call import fill_marker
from crossway.ports.alert_repository import AlertFilter
from crossway.ports.chain import AccountTx
from crossway.usecases.money.reconciliation import reconcile
from crossway.usecases.money.reconciliation_findings import Reconciliation
from crossway.usecases.payments.timeline import IntentTimeline
from crossway_demo.scenarios.scenario import ExpectedOutcome, ReturnedFunds
from crossway_demo.scenarios.scenario_world import ScenarioWorld

_MAX_TRANSFERS, RETURNS = 1_000, (OutboundTxKind.REFUND, OutboundTxKind.RETURN_EXCESS)
# Crossway's own accounts on chain, with the ledger accounts that mirror each.
ACCOUNTS = {
    "relayer": (Account.INVENTORY,),
    "bridger": (Account.ESCROW, Account.SPREAD),
    "treasury": (
        *(Account.SERVICE_FEES, Account.APP_FEES, Account.BRIDGE_SURPLUS, Account.UNCLAIMED),
        Account.TREASURY,
    ),
}
# Identifiers of chains, transactions and providers; texts for people use display names.
INTERNAL_NAMES = re.compile(
    r"[A-Z]{2,}_[A-Z]{2,}|\b(START|FILL|REFUND|REIMBURSE|RETURN_EXCESS|SKIP_NONCE)\b"
)


def find_violations(world: ScenarioWorld, expected: ExpectedOutcome) -> list[str]:
    """One sentence for every invariant and every expectation that does not hold."""
    return list(_violations(world, expected))


def _violations(world: ScenarioWorld, expected: ExpectedOutcome) -> Iterator[str]:
    # Scenarios pay the relayer by hand: our own accounts are checked below, from where they began.
    compared = reconcile(replace(world.services, sandbox=None), world.operator)
    yield from _check_books(world)
    for intent in world.intents:
        timeline = world.timeline(intent)
        yield from _check_held_funds(timeline)
        yield from _check_recipient(world, timeline)
        yield from _check_deposits(timeline)
        yield from _check_next_action(timeline)
        if not world.had_reorg:
            yield from _check_events(timeline)
    yield from _check_outcome(world, expected)
    yield from _check_token_flow(world, world.timeline(), expected)
    yield from _check_own_accounts(world, compared)
    if len(compared.differences) != expected.differences:
        yield from (item.message for item in compared.differences)
    yield from (f"{chain} did not respond: {why}" for chain, why in compared.unavailable.items())
    unknown = compared.unknown_txs
    count = len(unknown) + sum(map(len, compared.idle_txs.values()))
    if count != expected.unbooked_txs:
        sentences = " ".join(item.message for item in unknown)
        yield f"{count} transactions are not booked, not {expected.unbooked_txs}: {sentences}"


def _check_books(world: ScenarioWorld) -> Iterator[str]:
    """The books balance for every token, and the stored balances equal the sum of postings."""
    with world.services.store.read() as unit:
        stored = {key: amount for key, amount in unit.ledger.get_balances().items() if amount}
        owners = [t.owner for t in unit.rebalancing.list_page(_MAX_TRANSFERS)]
        owners += [intent.id for intent in world.intents]
        postings = [p for owner in owners for _, p in unit.ledger.list_by_intent(owner)]
    computed = {key: amount for key, amount in balances(postings).items() if amount}
    if stored != computed:
        yield "the stored balances differ from the sum of the postings"
    totals: dict[tuple[str, str], int] = defaultdict(int)
    for (_, chain, token), amount in stored.items():
        totals[chain, token] += amount
    yield from (f"the books of {asset} are out by {n}" for asset, n in totals.items() if n)


def _net_balances(timeline: IntentTimeline) -> dict[tuple[Account, str, str], int]:
    postings: list[Posting] = [posting for _, posting in timeline.postings]
    return {key: amount for key, amount in balances(postings).items() if amount}


def _check_held_funds(timeline: IntentTimeline) -> Iterator[str]:
    """Nothing is held or in escrow at the end without an explanation."""
    intent, net = timeline.intent, _net_balances(timeline)
    asset = (intent.terms.source_chain, intent.terms.token_in)
    booked = net.get((Account.HELD, *asset), 0)
    if booked != intent.balance_at_address:
        yield f"#{intent.id} holds {intent.balance_at_address} by its record, {booked} by the books"
    for (account, chain, token), amount in net.items():
        if account is Account.HELD and not _is_held_explained(timeline, chain, token):
            yield f"#{intent.id}: {amount} of {token} held on {chain} without a reason"
        if account is Account.ESCROW and not _has_open_tx(timeline, OutboundTxKind.REIMBURSE):
            yield f"#{intent.id}: {amount} of {token} collected and never paid out"
        if account is Account.DUST and amount < 0:
            yield f"#{intent.id}: the dust of {token} is negative"


def _is_held_explained(timeline: IntentTimeline, chain: str, token: str) -> bool:
    """A failed refund that waits for an operator, or a payment that is not complete yet."""
    incomplete = timeline.intent.state in (State.PENDING, State.FUNDED, State.INITIATED)
    return incomplete or any(
        tx.kind in RETURNS and tx.state is OutboundTxState.FAILED and tx.reason
        for tx in timeline.outbound_txs
        if (tx.chain, tx.token) == (chain, token)
    )


def _has_open_tx(timeline: IntentTimeline, kind: OutboundTxKind) -> bool:
    return any(tx.kind is kind and tx.state in OPEN_STATES for tx in timeline.outbound_txs)


def _check_recipient(world: ScenarioWorld, timeline: IntentTimeline) -> Iterator[str]:
    """The recipient is paid exactly once if the payment is completed, else not at all."""
    intent = timeline.intent
    terms = intent.terms
    chain = world.services.chains[terms.destination_chain]
    paid = chain.balances([terms.recipient], terms.token_out)[terms.recipient]
    due = terms.payout_amount if intent.state is State.COMPLETED else 0
    if paid != due:
        yield f"#{intent.id} is {intent.state}: its recipient has {paid}, not {due}"
    executed = chain.executed({fill_marker(intent)})
    if bool(executed) != (intent.state is State.COMPLETED):
        yield f"#{intent.id} is {intent.state}: the chain's fill marker contradicts it"


def _check_deposits(timeline: IntentTimeline) -> Iterator[str]:
    """Every deposit is credited with a purpose, or orphaned with a reason."""
    for deposit in timeline.deposits:
        if deposit.state is DepositState.SEEN:
            yield f"deposit {deposit.id} was detected and never credited"
        elif deposit.state is DepositState.ORPHANED and not deposit.note:
            yield f"deposit {deposit.id} is orphaned without a reason"
        elif deposit.purpose is DepositPurpose.ZERO_VALUE and not deposit.note:
            yield f"zero-value deposit {deposit.id} has no reason"
    net = _net_balances(timeline)
    dust = sum(amount for (account, _, _), amount in net.items() if account is Account.DUST)
    if dust and not any("Kept" in deposit.note for deposit in timeline.deposits):
        yield f"#{timeline.intent.id} kept {dust} as dust without a reason at any deposit"


def _check_events(timeline: IntentTimeline) -> Iterator[str]:
    """Every event is emitted at most once."""
    emitted = Counter(item.event_type for item in timeline.transitions if item.event_type)
    yield from (f"{event} was emitted {n} times" for event, n in emitted.items() if n > 1)


def _check_next_action(timeline: IntentTimeline) -> Iterator[str]:
    """The sentence about the next action is true."""
    sentence, intent = timeline.next_action, timeline.intent
    failed = any(
        tx.state is OutboundTxState.FAILED and tx.kind in RETURNS for tx in timeline.outbound_txs
    )
    open_txs = [tx for tx in timeline.outbound_txs if tx.state in OPEN_STATES]
    if failed:
        actors: tuple[str, ...] = ("Operator:",)
    elif timeline.progress is not None and intent.state is not State.PENDING:
        actors = ("Crossway:", "Circle:", "Across:", "Operator:", "None.")
    elif intent.state is State.PENDING and not open_txs:
        actors = ("Payer:",)
    elif [tx for tx in open_txs if tx.kind is not OutboundTxKind.REIMBURSE]:
        actors = ("Crossway:",)
    else:
        actors = ("None.", "Crossway: repay the relayer")
    if not sentence.startswith(actors):
        yield f"#{intent.id} is {intent.state}, so this is wrong: {sentence}"


def _check_outcome(world: ScenarioWorld, expected: ExpectedOutcome) -> Iterator[str]:
    state = world.reload().state
    if state is not expected.state:
        yield f"the payment is {state}, not {expected.state}"
    active = world.alerts()
    if world.alert_kinds() != expected.alerts:
        texts = " ".join(f"[{alert.key}] {alert.message}" for alert in active)
        kinds = sorted(world.alert_kinds())
        yield f"alerts of kind {kinds} are active, not {sorted(expected.alerts)}: {texts}"
    with world.services.store.read() as unit:
        resolved = [item.alert for item in unit.alerts.list_resolved(AlertFilter(), 100)]
    for alert in [*active, *resolved]:
        if INTERNAL_NAMES.search(alert.message):
            yield f"an alert uses an internal name: {alert.message}"


def _check_token_flow(
    world: ScenarioWorld, timeline: IntentTimeline, expected: ExpectedOutcome
) -> Iterator[str]:
    """All deposits in the payment's own token end where the scenario expects them."""
    intent = timeline.intent
    terms = intent.terms
    deposited = _deposited_amount(timeline)
    chain = world.services.chains[terms.source_chain]
    balance = chain.balances([intent.address], terms.token_in)[intent.address]
    refunded = chain.balances([terms.refund_address], terms.token_in)[terms.refund_address]
    collected = terms.deposit_amount if intent.state is State.COMPLETED else 0
    elsewhere = _amount_sent_elsewhere(world, timeline)
    costs = intent.costs.network_fee_units
    kept = costs if expected.returned is ReturnedFunds.LESS_COSTS else 0
    if deposited != collected + refunded + kept + elsewhere + balance:
        yield f"{deposited} deposited, {collected} collected, {refunded} refunded, {balance} held"
    as_expected = {
        ReturnedFunds.NOTHING: refunded == 0,
        ReturnedFunds.EXCESS: 0 < refunded < deposited,
        ReturnedFunds.LESS_COSTS: 0 < refunded == deposited - costs < deposited,
        ReturnedFunds.ALL: 0 < refunded == deposited,
    }
    if not as_expected[expected.returned]:
        yield f"{refunded} of {deposited} was refunded, which is not {expected.returned}"
    if bool(balance) != (expected.dust or expected.held):
        yield f"{balance} is held at the deposit address"


def _deposited_amount(timeline: IntentTimeline) -> int:
    """What was deposited in the payment's own token, and what is in no transfer that a node
    reports."""
    asset = (timeline.intent.terms.source_chain, timeline.intent.terms.token_in)
    arrived: list[IncomingTransfer | Posting] = [
        *(d.incoming for d in timeline.deposits if _is_from_payer(d)),
        *(p for _, p in timeline.postings if p.tx.startswith("unexplained:")),
    ]
    return sum(item.amount for item in arrived if (item.chain, item.token) == asset)


def _is_from_payer(deposit: Deposit) -> bool:
    """Whether a deposit is credited, and not what a bridge returned."""
    is_returned = deposit.purpose is DepositPurpose.BRIDGE_RETURN
    return deposit.state is DepositState.CREDITED and not is_returned


def _amount_sent_elsewhere(world: ScenarioWorld, timeline: IntentTimeline) -> int:
    """The amount that an operator refunded to another address than the refund address."""
    terms = timeline.intent.terms
    others = {tx.to_address for tx in timeline.outbound_txs if tx.kind in RETURNS}
    others -= {terms.refund_address}
    chain = world.services.chains[terms.source_chain]
    return sum(chain.balances(others, terms.token_in).values())


def _check_own_accounts(world: ScenarioWorld, compared: Reconciliation) -> Iterator[str]:
    """Relayer, collecting account and treasury hold their opening balance plus what is booked.

    A transaction that the books lack is either missing as a whole, or was booked again when the
    chain showed that it had been executed: then only its fees are missing.
    """
    with world.services.store.read() as unit:
        booked = unit.ledger.get_balances()
    for chain in world.services.chains.values():
        native = world.services.catalogue.native_token(chain.id)
        unbooked = [item.tx for item in compared.unknown_txs if item.chain == chain.id]
        unbooked += [tx for (c, _), txs in compared.idle_txs.items() if c == chain.id for tx in txs]
        for name, accounts in ACCOUNTS.items():
            addresses = [getattr(chain.accounts, name)]
            addresses += chain.accounts.gas_accounts if name == "relayer" else ()
            for token in {t for _, c, t in booked if c == chain.id} | {native}:
                opening = sum(world.opening_balances.amount(chain.id, a, token) for a in addresses)
                on_chain = sum(chain.balances(addresses, token).values()) - opening
                in_books = sum(booked.get((account, chain.id, token), 0) for account in accounts)
                pays_fees = (name, token) == ("relayer", native)
                fees = sum(tx.included.fee_units for tx in unbooked) if pays_fees else 0
                whole = _moved_amount(unbooked, addresses, token) - fees
                if on_chain - in_books not in (-fees, whole):
                    yield f"the {name} on {chain.id} has {on_chain} {token}, the books {in_books}"


def _moved_amount(txs: list[AccountTx], addresses: list[str], token: str) -> int:
    return sum(
        transfer.amount * ((transfer.to in addresses) - (transfer.source in addresses))
        for tx in txs
        for transfer in tx.included.transfers
        if transfer.token == token
    )


def final_balances(world: ScenarioWorld, intent: Intent) -> list[str]:
    """Where every unit of a payment is at the end, as lines of text."""
    net = _net_balances(world.timeline(intent))
    return [
        f"{account.value.replace('_', ' ')}: {_format_amount(world, chain, token, amount)} on "
        f"{world.display_name(chain)}"
        for (account, chain, token), amount in sorted(net.items())
        if account not in (Account.PAYER, Account.CUSTOMER)
    ]


def _format_amount(world: ScenarioWorld, chain: str, address: str, amount: int) -> str:
    """An amount of a token, or of fiat money at a provider, with its symbol."""
    if is_fiat(chain):
        digits = world.services.fiat.corridor(address).currency.digits
        return f"{format_units(amount, digits, digits)} {address}"
    token = world.services.catalogue.by_address.get((chain, address))
    if token is None:
        return f"{amount} units of {address}"
    return f"{format_units(amount, token.decimals)} {token.symbol}"
