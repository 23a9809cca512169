"""What became of transactions in blocks: what they moved and burnt, or why they moved nothing."""

from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any

from crossway.adapters.chains.evm.calldata import FILL
from crossway.adapters.chains.evm.ground import Ground, blocks_at
from crossway.adapters.chains.evm.outcomes import (
    REFUSED,
    STOCK_SHORT,
    UNKNOWN,
    Why,
    moves_of,
    receipts_of,
    stock_short,
    why_of,
)
from crossway.adapters.chains.evm.wire import Block, Receipt, rows, table
from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.rpc import Question
from crossway.adapters.chains.tron.blocks import raw_of
from crossway.adapters.chains.tron.forms import bare, named, prefixed
from crossway.adapters.chains.tron.resources import whole
from crossway.adapters.chains.tron.transactions import Read
from crossway.ports.chain import Mined, Moved, Unsure, Waiting

_MOST_KEPT, _SEVERAL = 4_096, 3
_OF_BLOCK, _OF_ONE = "/wallet/gettransactioninfobyblocknum", "/wallet/gettransactioninfobyid"
_WITHOUT_RESULT = {
    "OUT_OF_ENERGY": Why("the energy of the transaction was used up", False),
    "OUT_OF_TIME": Why("the chain's time for one transaction was over", False),
}


@dataclass(frozen=True, slots=True)
class Cost:
    """What a transaction burnt, in sun, and why it did nothing; None where it worked."""

    fee_units: int
    why: Why | None


class Outcomes:
    """Asks for receipts many at once, and for what each cost once a block: those of a block
    together where they are several."""

    def __init__(self, ground: Ground) -> None:
        self._ground, self._lock = ground, Lock()
        self._costs: OrderedDict[tuple[str, str], Cost] = OrderedDict()

    def mined(self, line: Line, tx_ids: list[str]) -> dict[str, Mined | Waiting | Unsure]:
        """What became of each that is in a block; one whose block does not stand waits."""
        receipts = receipts_of(line, [prefixed(one) for one in tx_ids])
        if not receipts:
            return {}
        in_blocks = blocks_at(line, {its.height for its in receipts.values()})
        infos = self._infos(line, list(receipts.values()))
        found: dict[str, Mined | Waiting | Unsure] = {}
        for name, its in receipts.items():
            at, cost = in_blocks[its.height], self._cost(line, its, infos)
            if at.hash != its.block_hash:
                found[bare(name)] = Waiting()
            else:
                found[bare(name)] = Unsure() if cost is None else self._mined(its, at, cost)
        return found

    def _mined(self, its: Receipt, at: Block, cost: Cost) -> Mined:
        if cost.why is not None:
            why = cost.why
            return Mined(
                its.height, at.hash, at.at, (), cost.fee_units, why.words, why.permanent
            )  # fmt: skip
        moved = tuple(_named(one) for one in moves_of(self._ground, its))
        return Mined(its.height, at.hash, at.at, moved, cost.fee_units)

    def _infos(self, line: Line, receipts: list[Receipt]) -> dict[str, Mapping[str, Any]]:
        """What the node tells of those that are new, by their names; empty where it knows nothing
        yet, as another machine behind the same address."""
        with self._lock:
            new = [its for its in receipts if (its.tx_hash, its.block_hash) not in self._costs]
        counts = Counter(its.height for its in new)
        whole_blocks = [height for height, count in counts.items() if count >= _SEVERAL]
        singly = [bare(its.tx_hash) for its in new if its.height not in whole_blocks]
        asked = [Question(_OF_BLOCK, ({"num": height},)) for height in whole_blocks]
        asked += [Question(_OF_ONE, ({"value": name},)) for name in singly]
        answers = line.ask(*asked)
        listed = [
            one for answer in answers[: len(whole_blocks)] for one in rows(answer, "outcomes")
        ]
        told = [table(one, "an outcome") for one in [*listed, *answers[len(whole_blocks) :]]]
        return {str(one.get("id")): one for one in told if one}

    def _cost(
        self, line: Line, its: Receipt, infos: Mapping[str, Mapping[str, Any]]
    ) -> Cost | None:
        key, info = (its.tx_hash, its.block_hash), infos.get(bare(its.tx_hash), {})
        with self._lock:
            known = self._costs.get(key)
        if known is not None or not info or info.get("blockNumber") != its.height:
            return known
        fee = whole(info.get("fee", 0), "a fee")
        known = Cost(fee, None if its.worked else self._why(line, its, info))
        with self._lock:
            self._costs[key] = known
            while len(self._costs) > _MOST_KEPT:
                self._costs.popitem(last=False)
        return known

    def _why(self, line: Line, its: Receipt, info: Mapping[str, Any]) -> Why:
        result = table(info.get("receipt", {}), "a receipt").get("result")
        if result in _WITHOUT_RESULT:
            return _WITHOUT_RESULT[str(result)]
        told = rows(info.get("contractResult", []), "a result")
        try:
            why = why_of(bytes.fromhex(str(told[0]))) if told else UNKNOWN
        except ValueError:
            return UNKNOWN
        if why == REFUSED and self._short(line, its):
            return STOCK_SHORT
        return why

    def _short(self, line: Line, its: Receipt) -> bool:
        found = transaction(line, bare(its.tx_hash))
        if found is None or found.data[:4] != FILL:
            return False
        call = {"from": its.sender, "to": its.to, "data": "0x" + found.data.hex()}
        return stock_short(self._ground, line, call)


def transaction(line: Line, tx_id: str) -> Read | None:
    """A transaction in a block, read from its own bytes; None where the node has none."""
    asked = Question("/wallet/gettransactionbyid", ({"value": tx_id},))
    told = table(line.ask(asked)[0], "a transaction")
    return raw_of(told) if told else None


def _named(one: Moved) -> Moved:
    def of(address: str) -> str:
        return named(address) if address.startswith("0x") else address

    return Moved(of(one.source), of(one.to), of(one.token), one.units)
