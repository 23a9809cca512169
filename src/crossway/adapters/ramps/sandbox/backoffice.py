"""What the sandbox providers share: the database, the chains, and the doing of what is due."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import groupby

from sqlalchemy import Connection, Engine, select
from sqlalchemy.exc import OperationalError, TimeoutError

from crossway.adapters.chains.simulated.blocks.mining import mine_now
from crossway.adapters.chains.simulated.blocks.transactions import DEPOSIT, by_hand
from crossway.adapters.chains.simulated.chain import SimulatedChain
from crossway.adapters.chains.simulated.identities import tag
from crossway.adapters.chains.simulated.network import Network, Site
from crossway.adapters.chains.simulated.tables import blocks, incoming
from crossway.adapters.ramps.sandbox import orders as kept
from crossway.adapters.ramps.sandbox.behaviour import Behaviour, load
from crossway.adapters.ramps.sandbox.orders import Order, Said, Story
from crossway.adapters.ramps.sandbox.steps import Seen, due, pays, said, sent_units
from crossway.domain.errors import Unreachable
from crossway.domain.ramps import Direction
from crossway.ports.ramps import Outcome

NOTHING = Seen()


# What is to be said of an order as it stands, by the behaviour and the time; may refuse by raising.
Question = Callable[[Story, Behaviour, float], Outcome | None]


@dataclass(frozen=True)
class Backoffice:
    """All orders of all sandbox providers in one database, beside the chains they pay on.

    `write` begins transactions that may write (on SQLite with BEGIN IMMEDIATE), `read` ones that
    do not. What a provider sends and its remembering that it did are one transaction.
    """

    network: Network
    write: Engine
    read: Engine

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction; a database that is busy is a provider that gives no answer."""
        with _answering(), self.write.begin() as db:
            yield db

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A view that changes nothing and waits for nobody."""
        with _answering(), self.read.connect() as db:
            yield db

    def now(self) -> float:
        """Epoch seconds of the service's clock."""
        return self.network.clock.seconds()

    def work(self, provider: str, references: Collection[str]) -> None:
        """Let the provider do what is due on these orders."""
        with self.reading() as db:
            found = kept.find(db, provider, references)
            told = kept.stories(db, list(found))
            how = load(db, provider)
        seen = self._look([(one, told[one.reference]) for one in found.values() if not one.refused])
        for order in found.values():
            if not order.refused:
                sight = seen.get(order.reference, NOTHING)
                self._work_on(order, told[order.reference], partial(due, order, sight), how)

    def _work_on(self, order: Order, story: Story, question: Question, how: Behaviour) -> None:
        now = self.now()
        while (outcome := question(story, how, now)) is not None:
            further = self.tell(order, outcome, question)
            if further is None:
                return
            story = further

    def tell(self, order: Order, expected: Outcome, question: Question) -> Story | None:
        """Do and say of an order what the question answers once nobody else is at it; the whole
        story then, None when it is no longer what was `expected`."""
        with self._turn(order, pays(order, expected)) as (db, site):
            kept.lock(db, order.reference)
            story = kept.stories(db, [order.reference])[order.reference]
            how, now = load(db, order.provider), self.network.clock.read(db)
            outcome = question(story, how, now)
            if outcome is not expected:
                return None
            tx_hash = ""
            if site is not None:
                tx_hash = _send(site, order, sent_units(order, outcome, how))
            new = said(order, story, outcome, how, now, tx_hash)
            kept.say(db, order.reference, new)
            return {**story, outcome: new}

    @contextmanager
    def _turn(self, order: Order, with_chain: bool) -> Iterator[tuple[Connection, Site | None]]:
        """A transaction, holding the order's chain where something is to be sent on it."""
        if with_chain:
            with self.network.locked(order.chain) as site:
                yield site.db, site
        else:
            with self.writing() as db:
                yield db, None

    def _look(self, wanted: Collection[tuple[Order, Mapping[Outcome, Said]]]) -> dict[str, Seen]:
        """What lies on the chains for those orders that wait for it; of a chain that gives no
        answer the provider knows nothing either."""
        waiting = sorted(
            (one for one, story in wanted if _waits(one, story)),
            key=lambda one: (one.chain, one.token, one.reference),
        )
        seen: dict[str, Seen] = {}
        for (chain, token), group in groupby(waiting, key=lambda one: (one.chain, one.token)):
            try:
                seen |= self._look_at(SimulatedChain(self.network, chain), token, list(group))
            except Unreachable:
                continue
        return seen

    def _look_at(
        self, chain: SimulatedChain, token: str, waiting: list[Order]
    ) -> Mapping[str, Seen]:
        addresses = [one.pay_to for one in waiting if one.direction is Direction.OFF]
        chain.heads()
        held = chain.balances(addresses, token) if addresses else {}
        seen = {one.reference: Seen(held.get(one.pay_to, 0)) for one in waiting}
        if on := [one for one in waiting if one.direction is Direction.ON]:
            with self.network.reading(chain.id) as site:
                seen |= {one.reference: _returned(site, one) for one in on}
        return seen


def _waits(order: Order, story: Mapping[Outcome, Said]) -> bool:
    """Whether anything on the chain can matter to an order."""
    if Outcome.REFUNDED in story:
        return False
    if order.direction is Direction.ON:
        return Outcome.DELIVERED in story
    return not story.keys() & {Outcome.PAID, Outcome.DELIVERED, Outcome.FAILED}


def _send(site: Site, order: Order, units: int) -> str:
    """Pay out on the chain in a block of its own; the transaction's name."""
    on = order.direction is Direction.ON
    payer, to = order.refund_address, order.to_address
    if not on:
        payer, to = order.pay_to, order.refund_address
    output = (payer, to, order.token, units, True)
    site.state.made += 1
    sent = by_hand(site.facts.family, site.facts.id, DEPOSIT, [output], site.state.made)
    mine_now(site, [sent])
    return sent.tx_id


def _returned(site: Site, order: Order) -> Seen:
    """What came from the order's intent to where its crypto goes back to."""
    query = (
        select(incoming.c.units, blocks.c.at)
        .join(
            blocks,
            (blocks.c.chain == incoming.c.chain) & (blocks.c.height == incoming.c.block_height),
        )
        .where(
            incoming.c.tag == tag(order.chain, order.refund_address),
            incoming.c.receiver == order.refund_address,
            incoming.c.sender == order.to_address,
            incoming.c.token == order.token,
        )
    )
    rows = site.db.execute(query).all()
    if not rows:
        return NOTHING
    return Seen(
        returned=sum(int(units) for units, _ in rows), returned_at=max(at for _, at in rows)
    )


@contextmanager
def _answering() -> Iterator[None]:
    try:
        yield
    except (OperationalError, TimeoutError) as error:
        raise Unreachable(f"the sandbox does not answer: {type(error).__name__}") from error
