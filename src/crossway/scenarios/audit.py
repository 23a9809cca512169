"""What must hold after every scenario: each unit explained, on the chains and in the books."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from crossway.domain.deposits import DepositState, Purpose
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account, Posting, balances
from crossway.domain.transfers import OPEN, Duty, TransferState
from crossway.ports.alarm_records import AlarmFilter
from crossway.ports.chain import Made
from crossway.scenarios.scenario import Back, Ends
from crossway.scenarios.stage import Stage
from crossway.usecases.money.reconciliation import Reconciliation, reconcile
from crossway.usecases.payments.tracking import Story

RETURNS = (Duty.REFUND, Duty.RETURN_EXCESS)
# Books of the relayer's and the bridge's own; who holds them on a chain; who began with something.
ACCOUNTS = {
    "relayer": (Account.INVENTORY,),
    "bridger": (Account.ESCROW, Account.BRIDGE_FEES),
    "treasury": (Account.SERVICE_FEES, Account.APP_FEES),
}
# What chains, duties and providers are called in programs; people know them by names.
INTERNAL = re.compile(r"[A-Z]{2,}_[A-Z]{2,}|\b(START|FILL|REFUND|REIMBURSE|RETURN_EXCESS)\b")


def complaints(stage: Stage, ends: Ends) -> list[str]:
    """Every sentence that should be true at the end and is not."""
    return list(_complaints(stage, ends))


def _complaints(stage: Stage, ends: Ends) -> Iterator[str]:
    found = reconcile(stage.services, stage.operator)
    yield from _books(stage)
    for intent in stage.made:
        story = stage.story(intent)
        yield from _addresses(stage, story)
        yield from _recipient(stage, story)
        yield from _deposits(story)
        yield from _next(story)
        if not stage.reorganised:
            yield from _announcements(story)
    yield from _end(stage, ends)
    yield from _money(stage, stage.story(), ends)
    yield from _own_accounts(stage, found)
    if len(found.differences) != ends.differences:
        yield from (one.words for one in found.differences)
    yield from (f"{chain} gave no answer: {why}" for chain, why in found.silent.items())
    if len(found.unknown) != ends.unknown:
        yield (
            f"{len(found.unknown)} transactions are unknown to the books, not {ends.unknown}: "
            + (" ".join(one.words for one in found.unknown))
        )


def _books(stage: Stage) -> Iterator[str]:
    """They balance to zero for every token, and the stored balances are what the postings give."""
    with stage.services.store.read() as unit:
        stored = {key: units for key, units in unit.books.balances().items() if units}
        posted = [p for intent in stage.made for _, p in unit.books.of(intent.id)]
    computed = {key: units for key, units in balances(posted).items() if units}
    if stored != computed:
        yield "the stored balances of the books are not what their postings add up to"
    totals: dict[tuple[str, str], int] = defaultdict(int)
    for (_, chain, token), units in stored.items():
        totals[chain, token] += units
    yield from (f"the books of {place} are out by {n}" for place, n in totals.items() if n)


def _net(story: Story) -> dict[tuple[Account, str, str], int]:
    posted: list[Posting] = [posting for _, posting in story.postings]
    return {key: units for key, units in balances(posted).items() if units}


def _addresses(stage: Stage, story: Story) -> Iterator[str]:
    """Nothing is held or collected at the end unless something explains it."""
    intent, net = story.intent, _net(story)
    place = (intent.terms.source_chain, intent.terms.token_in)
    booked = net.get((Account.HELD, *place), 0)
    if booked != intent.held_units:
        yield f"#{intent.id} holds {intent.held_units} by its record, {booked} by the books"
    for (account, chain, token), units in net.items():
        if account is Account.HELD and not _held_explained(story, chain, token):
            yield f"#{intent.id}: {units} of {token} held on {chain} without a reason"
        if account is Account.ESCROW and not _open(story, Duty.REIMBURSE):
            yield f"#{intent.id}: {units} of {token} collected and never paid out"
        if account is Account.KEPT and units < 0:
            yield f"#{intent.id}: less than nothing of {token} was kept"


def _held_explained(story: Story, chain: str, token: str) -> bool:
    """A failed return that waits for an operator, or a payment that waits for more."""
    waits = story.intent.state in (State.PENDING, State.FUNDED, State.INITIATED)
    return waits or any(
        t.duty in RETURNS and t.state is TransferState.FAILED and t.reason
        for t in story.transfers
        if (t.chain, t.token) == (chain, token)
    )


def _open(story: Story, duty: Duty) -> bool:
    return any(t.duty is duty and t.state in OPEN for t in story.transfers)


def _recipient(stage: Stage, story: Story) -> Iterator[str]:
    """Paid exactly once when completed, else not at all."""
    intent = story.intent
    terms = intent.terms
    chain = stage.services.chains[terms.destination_chain]
    got = chain.balances([terms.recipient], terms.token_out)[terms.recipient]
    due = terms.out_units if intent.state is State.COMPLETED else 0
    if got != due:
        yield f"#{intent.id} is {intent.state}: its recipient has {got}, not {due}"
    used = chain.used({f"fill:{intent.key}"})
    if bool(used) != (intent.state is State.COMPLETED):
        yield f"#{intent.id} is {intent.state}: the chain's fill marker says otherwise"


def _deposits(story: Story) -> Iterator[str]:
    """Every deposit is credited with a purpose, or gone with a reason."""
    for deposit in story.deposits:
        if deposit.state is DepositState.SEEN:
            yield f"deposit {deposit.id} was seen and never credited"
        elif deposit.state is DepositState.ORPHANED and not deposit.note:
            yield f"deposit {deposit.id} is gone without a reason"
        elif deposit.purpose is Purpose.NOTHING and not deposit.note:
            yield f"deposit {deposit.id} of nothing has no reason"
    kept = sum(units for (account, _, _), units in _net(story).items() if account is Account.KEPT)
    if kept and not any("Kept" in d.note for d in story.deposits):
        yield f"#{story.intent.id} kept {kept} without a reason at any deposit"


def _announcements(story: Story) -> Iterator[str]:
    told = Counter(move.tells for move in story.moves if move.tells)
    yield from (f"{what} was announced {n} times" for what, n in told.items() if n > 1)


def _next(story: Story) -> Iterator[str]:
    """The sentence about who acts next is true."""
    words, intent = story.who_acts, story.intent
    failed = any(t.state is TransferState.FAILED and t.duty in RETURNS for t in story.transfers)
    under_way = [t for t in story.transfers if t.state in OPEN]
    if failed:
        expected = "An operator"
    elif intent.state is State.PENDING and not under_way:
        expected = "The payer"
    elif [t for t in under_way if t.duty is not Duty.REIMBURSE]:
        expected = "Crossway"
    else:
        expected = "Nobody"
    if not words.startswith(expected):
        yield f"#{intent.id} is {intent.state}, and it is not true that: {words}"


def _end(stage: Stage, ends: Ends) -> Iterator[str]:
    now = stage.now()
    if now.state is not ends.state:
        yield f"the payment is {now.state}, not {ends.state}"
    kinds = {alarm.kind for alarm in stage.alarms()}
    if kinds != ends.alarms:
        text = " ".join(f"[{alarm.key}] {alarm.message}" for alarm in stage.alarms())
        yield f"alarms of kind {sorted(kinds)} stand, not {sorted(ends.alarms)}: {text}"
    with stage.services.store.read() as unit:
        past = [one.alarm for one in unit.network.past_alarms(AlarmFilter(), 100)]
    for alarm in [*stage.alarms(), *past]:
        if INTERNAL.search(alarm.message):
            yield f"an alarm speaks of what only a program knows: {alarm.message}"


def _money(stage: Stage, story: Story, ends: Ends) -> Iterator[str]:
    """Of the payment's own token: what came in is where the scenario says it ends."""
    intent = story.intent
    terms = intent.terms
    place = (terms.source_chain, terms.token_in)
    came = sum(
        d.incoming.units
        for d in story.deposits
        if d.state is DepositState.CREDITED and (d.incoming.chain, d.incoming.token) == place
    )
    chain = stage.services.chains[terms.source_chain]
    lying = chain.balances([intent.address], terms.token_in)[intent.address]
    back = chain.balances([terms.refund_address], terms.token_in)[terms.refund_address]
    collected = terms.total_units if intent.state is State.COMPLETED else 0
    elsewhere = stage.sent_elsewhere(intent)
    if came != collected + back + elsewhere + lying:
        yield f"{came} came in, {collected} was collected, {back} is back, {lying} lies there"
    right = {Back.NOTHING: back == 0, Back.EXCESS: 0 < back < came, Back.ALL: 0 < back == came}
    if not right[ends.back]:
        yield f"{back} of {came} came back, which is not {ends.back}"
    if bool(lying) != (ends.kept or ends.held):
        yield f"{lying} lies at the deposit address"


def _own_accounts(stage: Stage, found: Reconciliation) -> Iterator[str]:
    """Relayer, collecting account and treasury hold what they began with and what the books add.

    What the books do not have is either missing in them as a whole, or it was booked again when
    the chain showed that it had been done: then its fees alone are missing.
    """
    with stage.services.store.read() as unit:
        booked = unit.books.balances()
    for chain in stage.services.chains.values():
        native = stage.services.catalogue.native_token(chain.id)
        lost = [one.made for one in found.unknown if one.chain == chain.id]
        for name, accounts in ACCOUNTS.items():
            address = getattr(chain.own, name)
            for token in {t for _, c, t in booked if c == chain.id} | {native}:
                began = stage.opening.of(chain.id, address, token)
                there = chain.balances([address], token)[address] - began
                here = sum(booked.get((account, chain.id, token), 0) for account in accounts)
                fees = (
                    sum(m.mined.fee_units for m in lost)
                    if (name, token) == ("relayer", native)
                    else 0
                )
                whole = _moved(lost, address, token) - fees
                if there - here not in (-fees, whole):
                    yield f"the {name} on {chain.id} has {there} of {token}, the books say {here}"


def _moved(made: list[Made], address: str, token: str) -> int:
    return sum(
        moved.units * ((moved.to == address) - (moved.source == address))
        for one in made
        for moved in one.mined.moved
        if moved.token == token
    )


def money_at_the_end(stage: Stage, intent: Intent) -> list[str]:
    """Where every unit of one payment lies now, as lines for people."""
    net = _net(stage.story(intent))
    return [
        f"{account.value.replace('_', ' ')}: {stage.amount(chain, token, units)} on "
        f"{stage.name_of(chain)}"
        for (account, chain, token), units in sorted(net.items())
        if account not in (Account.PAYER, Account.CUSTOMER)
    ]
