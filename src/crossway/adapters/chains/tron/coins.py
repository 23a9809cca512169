"""Deposits of TRX, which no log tells of: found in the blocks themselves, each read once."""

from collections.abc import Mapping, Sequence

from crossway.adapters.chains.evm import balances, native
from crossway.adapters.chains.evm.calldata import ZERO
from crossway.adapters.chains.evm.ground import Ground
from crossway.adapters.chains.evm.logs import events
from crossway.adapters.chains.evm.wire import Block, Malformed, Receipt, address_of, table
from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.rpc import Question
from crossway.adapters.chains.tron.blocks import Blocks, Page, Paid, is_within, within
from crossway.adapters.chains.tron.forms import bare, prefixed
from crossway.domain.deposits import Incoming

# How far a look at single addresses goes back: an hour, the usual life of a payment.
MOST_BACK = 1_200


class ScannedCoins:
    """`evm.ground.Coins` by reading blocks; addresses are plain ones."""

    def __init__(self, blocks: Blocks) -> None:
        self._blocks = blocks

    def next_found(
        self, ground: Ground, line: Line, addresses: Sequence[str], before: Block, end: Block
    ) -> list[Incoming]:
        """As `found`."""
        return self.found(ground, line, addresses, before, end)

    def found(
        self, ground: Ground, line: Line, addresses: Sequence[str], before: Block, end: Block
    ) -> list[Incoming]:
        """What came in after one block up to another; over a long stretch what came lately, to
        those of the addresses that hold something or gave something away."""
        if not ground.native or not addresses or end.height <= before.height:
            return []
        wanted = {one[2:].lower() for one in addresses}
        if end.height - before.height > ground.reach:
            return self._back(ground, line, addresses, before, end)
        pages = self._blocks.read(line, before.height, end.height, end.hash)
        if pages[0].parent != before.hash:
            raise Malformed("the node answered blocks that do not follow one another")
        paid = [(one, page) for page in pages for one in self._all(line, page) if one.to in wanted]
        return [_incoming(ground, one, page) for one, page in paid]

    def _all(self, line: Line, page: Page) -> tuple[Paid, ...]:
        return *page.paid, *self._blocks.inner(line, page)

    def _back(
        self, ground: Ground, line: Line, addresses: Sequence[str], before: Block, end: Block
    ) -> list[Incoming]:
        low = max(before.height, end.height - MOST_BACK)
        came = self._came(ground, line, addresses, low, end.height)
        if not came:
            return []
        pages = self._blocks.read(line, low, end.height, end.hash)
        paid = [(one, page) for page in pages for one in page.paid if one.to in came]
        if _sums(paid) != came:
            # What transactions paid by themselves does not explain it: contracts paid, too.
            paid = [(one, p) for p in pages for one in self._all(line, p) if one.to in came]
        return [_incoming(ground, one, page) for one, page in paid]

    def _came(
        self, ground: Ground, line: Line, addresses: Sequence[str], low: int, high: int
    ) -> dict[str, int]:
        """What each address holds and gave away lately, where that is anything."""
        held = balances.read(ground, line, addresses, ZERO)
        came = {address[2:].lower(): units for address, units in held.items()}
        wanted = {"address": ground.at.factory, "topics": [native.MOVED]}
        for one in events(line, ground.limits, wanted, low + 1, high):
            token, source, _, units = native.moved_of(one)
            if token == ZERO and source[2:].lower() in came:
                came[source[2:].lower()] += units
        return {address: units for address, units in came.items() if units}

    def stands(self, ground: Ground, line: Line, one: Incoming, its: Receipt | None) -> bool:
        """Whether a payment in a block that stands was really made, as this node says now."""
        if not is_within(one.index):
            return native.stands(ground, line, one, its)
        if its is None or its.block_hash != one.block_hash or not its.worked:
            return False
        asked = Question("/wallet/gettransactioninfobyid", ({"value": bare(one.tx_hash)},))
        info = table(line.ask(asked)[0], "an outcome")
        told = within(info) if info else ()
        wanted = (one.index, one.to[2:].lower(), one.units)
        return any((paid.index, paid.to, paid.units) == wanted for paid in told)


def _sums(paid: Sequence[tuple[Paid, Page]]) -> Mapping[str, int]:
    sums: dict[str, int] = {}
    for one, _ in paid:
        sums[one.to] = sums.get(one.to, 0) + one.units
    return sums


def _incoming(ground: Ground, one: Paid, page: Page) -> Incoming:
    return Incoming(
        chain=ground.chain.id,
        tx_hash=prefixed(one.tx_id),
        index=one.index,
        block_height=page.height,
        block_hash=page.hash,
        token=ground.native,
        sender=address_of("0x" + one.sender),
        to=address_of("0x" + one.to),
        units=one.units,
        at=page.at,
    )
