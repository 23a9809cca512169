"""What a person may do to the simulated network."""

from collections.abc import Iterator, Mapping, Sequence

from sqlalchemy import delete, select

from crossway.adapters.chains.addresses import canonical
from crossway.adapters.chains.simulated.blocks import transactions as bytes_of
from crossway.adapters.chains.simulated.blocks.mining import catch_up, least_fee, mine_now
from crossway.adapters.chains.simulated.blocks.reorganisation import reorganise
from crossway.adapters.chains.simulated.blocks.stored import load_nonces
from crossway.adapters.chains.simulated.blocks.transactions import OutputRow, Transaction
from crossway.adapters.chains.simulated.genesis import Facts
from crossway.adapters.chains.simulated.identities import made_address, tag
from crossway.adapters.chains.simulated.network import Network, Site
from crossway.adapters.chains.simulated.sets import put
from crossway.adapters.chains.simulated.tables import balances, refusing
from crossway.domain.errors import InvalidInput
from crossway.ports.sandbox import Faults, SentDeposit

LIES = ("", "forged", "chain_id", "stale")
MOST_TRANSFERS = 10_000


class SimulatedSandbox:
    """`ports.sandbox.Sandbox` over the simulated network."""

    def __init__(self, network: Network) -> None:
        self._network = network

    def deposit(
        self, chain: str, to: str, token: str, units: int, count: int = 1, sender: str | None = None
    ) -> SentDeposit:
        if not 1 <= count <= MOST_TRANSFERS or units < 0:
            raise InvalidInput(f"count must be 1 to {MOST_TRANSFERS}, amount zero or more")
        facts = self._facts(chain)
        payer = sender or made_address(facts.family, "payer")
        output: OutputRow = (payer, _address(facts, to), token, units, True)
        with self._network.locked(chain) as site:
            tx = _made(site, bytes_of.DEPOSIT, [output] * count)
            return SentDeposit(tx.tx_id, chain, mine_now(site, [tx]))

    def deposit_each(
        self,
        chain: str,
        sent: Sequence[tuple[str, str, int]],
        payers: Sequence[str] | None = None,
    ) -> list[SentDeposit]:
        """Many deposits, (receiver, token, units) each, a transaction of its own for each in one
        block, by one payer or by these; receivers must be in their canonical form."""
        by = payers or [made_address(self._facts(chain).family, "payer")] * len(sent)
        with self._network.locked(chain) as site:
            made = [
                _made(site, bytes_of.DEPOSIT, [(payer, to, token, units, True)])
                for payer, (to, token, units) in zip(by, sent, strict=True)
            ]
            height = mine_now(site, made)
        return [SentDeposit(tx.tx_id, chain, height) for tx in made]

    def advance(self, seconds: float) -> None:
        self._network.clock.advance(seconds)

    def freeze(self, frozen: bool) -> None:
        self._network.clock.freeze(frozen)

    def clock(self) -> tuple[float, bool]:
        return self._network.clock.ahead()

    def misbehave(self, chain: str, faults: Faults) -> None:
        wanted = list(_balances(self._facts(chain), faults))
        _check(faults)
        with self._network.locked(chain) as site:
            catch_up(site)
            _switch(site, faults)
            _refuse(site, faults)
            if wanted:
                mine_now(site, [_made(site, bytes_of.OWN, wanted)])
            if faults.take_nonce:
                mine_now(site, [_rival(site)])
            if faults.reorg_depth:
                reorganise(site, faults.reorg_depth)

    def faults(self, chain: str) -> Mapping[str, object]:
        self._facts(chain)
        with self._network.reading(chain) as site:
            state = site.state
            query = select(refusing.c.address).where(refusing.c.chain == chain)
            active: dict[str, object] = {
                "outage_seconds": max(0.0, state.outage_until - site.now),
                "drop_next": state.drop_next,
                "revert_next": state.revert_next,
                "slow_blocks": state.slow_blocks,
                "fee_factor": state.fee_factor if state.fee_factor != 1 else 0,
                "lie": state.lie,
                "refuse": sorted(site.db.scalars(query)),
            }
        return {name: value for name, value in active.items() if value}

    def holdings(self, address: str) -> Sequence[tuple[str, str, int]]:
        names = list(self._network.facts)
        tags = [tag(name, address) for name in names]
        query = select(balances.c.chain, balances.c.token, balances.c.units).where(
            balances.c.tag.in_(tags)
        )
        # Blocks that are due may move what is asked for.
        for name in names:
            with self._network.reading(name) as site:
                due = site.state.waiting and site.state.tip_at(site.now) > site.state.height
            if due:
                with self._network.locked(name) as site:
                    catch_up(site)
        with self._network.everywhere() as db:
            found = [(chain, token, int(units)) for chain, token, units in db.execute(query)]
        return sorted(found)

    def _facts(self, chain: str) -> Facts:
        found = self._network.facts.get(chain)
        if found is None:
            raise InvalidInput(f"{chain} is not a chain of the simulated network")
        return found


def _made(site: Site, kind: str, outputs: Sequence[OutputRow]) -> Transaction:
    site.state.made += 1
    return bytes_of.by_hand(site.facts.family, site.facts.id, kind, outputs, site.state.made)


def _rival(site: Site) -> Transaction:
    """Somebody else's transaction with the relayer's next nonce."""
    relayer = site.facts.own.relayer
    nonce = load_nonces(site, [relayer]).get(relayer, 0)
    return bytes_of.outside(site.facts.family, site.facts.id, relayer, nonce, least_fee(site))


def _check(faults: Faults) -> None:
    numbers = {
        "outageSeconds": faults.outage_seconds,
        "reorgDepth": faults.reorg_depth,
        "dropNext": faults.drop_next,
        "revertNext": faults.revert_next,
        "slowBlocks": faults.slow_blocks,
    }
    wrong = [name for name, number in numbers.items() if number is not None and number < 0]
    if wrong:
        raise InvalidInput(f"{', '.join(wrong)} must be zero or more")
    if faults.fee_factor is not None and faults.fee_factor < 1:
        raise InvalidInput("feeFactor must be 1 or more")
    if faults.lie is not None and faults.lie not in LIES:
        raise InvalidInput(f"lie must be one of {', '.join(LIES[1:])}, or empty")


def _switch(site: Site, faults: Faults) -> None:
    state = site.state
    if faults.outage_seconds is not None:
        state.outage_until = site.now + faults.outage_seconds
    if faults.drop_next is not None:
        state.drop_next = faults.drop_next
    if faults.revert_next is not None:
        state.revert_next = faults.revert_next
    if faults.slow_blocks is not None:
        state.slow_blocks = faults.slow_blocks
        state.change_pace(site.facts.block_seconds * max(1, faults.slow_blocks))
    if faults.fee_factor is not None:
        state.fee_factor = faults.fee_factor
    if faults.lie is not None:
        state.lie, state.stale_height = faults.lie, state.height


def _refuse(site: Site, faults: Faults) -> None:
    facts = site.facts
    refused = [(facts.id, _address(facts, one)) for one in faults.refuse]
    put(site.db, refusing, refused, fresh=False)
    for one in faults.accept:
        site.db.execute(
            delete(refusing).where(
                refusing.c.chain == facts.id, refusing.c.address == _address(facts, one)
            )
        )


def _balances(facts: Facts, faults: Faults) -> Iterator[OutputRow]:
    """Crossway's own balances as the outputs that set them."""
    for name, amounts in faults.own.items():
        if name not in ("relayer", "bridger", "coordinator", "treasury"):
            raise InvalidInput(f"{name} is none of relayer, bridger, coordinator, treasury")
        for symbol, units in amounts.items():
            if units < 0:
                raise InvalidInput(f"{symbol} of {name} must be zero or more")
            if symbol not in facts.tokens and symbol != "native":
                raise InvalidInput(f"{symbol} is not available on {facts.id}")
            token = facts.native if symbol == "native" else facts.tokens[symbol].address
            yield ("", getattr(facts.own, name), token, units, True)


def _address(facts: Facts, text: str) -> str:
    try:
        return canonical(facts.family, text)
    except ValueError as error:
        raise InvalidInput(f"address {error}") from error
