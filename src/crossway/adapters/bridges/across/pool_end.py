"""What our own nodes of one EVM chain say of Across' SpokePool there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from crossway.adapters.bridges.across.pool_contract import (
    FILL_DEADLINE_BUFFER,
    FILL_STATUSES,
    FILLED_RELAY,
    PAUSED_DEPOSITS,
    QUOTE_TIME_BUFFER,
    REFUND_EXECUTED,
    WRAPPED_NATIVE_TOKEN,
)
from crossway.adapters.bridges.across.refunds import Refund
from crossway.adapters.bridges.across.relays import Relay, parse_logged
from crossway.adapters.chains.evm.abi import FUNDS_DEPOSITED
from crossway.adapters.chains.evm.calldata import Call, call_request
from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.chain_context import block_request
from crossway.adapters.chains.evm.logs import address_topic, fetch_events, height_since
from crossway.adapters.chains.evm.rpc_schemas import Block, Log, parse_block, parse_data
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.quorum_reads import agreed
from crossway.adapters.chains.words import WORD, number_word
from crossway.domain.catalogue import Chain
from crossway.domain.errors import Unreachable
from crossway.ports.chain import ChainHead

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PoolRules:
    """How a pool takes deposits: whether none, for how many seconds after the time of their quote,
    how many seconds ahead their deadline may be, and which token it pays out unwrapped."""

    paused: bool
    quote_seconds: int
    fill_seconds: int
    wrapped_native: str


@dataclass(frozen=True, slots=True)
class FillStates:
    """What a pool says of some deposits, in order, by the numbers of `pool_contract`, and the time
    of a final block: what is not filled and was due before that never will be."""

    final_time: datetime
    statuses: tuple[int, ...]


class PoolEnd:
    """Reads a pool from as many nodes as must agree. Every method raises `Unreachable`, also where
    the nodes disagree."""

    def __init__(self, chain: EvmChain, facts: Chain) -> None:
        """`facts` are those of the environment's catalogue, with what its profile sets."""
        self.facts, self.number = facts, int(facts.chain_id)
        self.pool = facts.across_pool or ""
        self.relayer = chain.accounts.relayer
        self._evm, self._context = chain, chain.context

    def heads(self) -> ChainHead:
        """The newest block, and the height of the newest final one."""
        return self._evm.heads()

    def read_rules(self) -> PoolRules:
        """The rules by which the pool takes deposits now."""
        functions = PAUSED_DEPOSITS, QUOTE_TIME_BUFFER, FILL_DEADLINE_BUFFER, WRAPPED_NATIVE_TOKEN
        requests = [call_request(Call(self.pool, function.encode())) for function in functions]

        def read(session: RpcSession) -> PoolRules:
            words = [_word(result) for result in session.call(*requests)]
            paused, quote, fill = (int.from_bytes(word, "big") for word in words[:3])
            return PoolRules(bool(paused), quote, fill, _address(words[3]))

        return self._agreed(read, "on how Across' pool takes deposits")

    def has_code(self, address: str) -> bool:
        """Whether a contract is there: what is paid to nothing through it is lost."""
        return not self._evm.bridge_end.find_missing([address])

    def fill_states(self, relays: Sequence[Relay]) -> FillStates:
        """Whether these deposits were filled here."""
        calls = [Call(self.pool, FILL_STATUSES.encode(relay.hash)) for relay in relays]
        head = self.heads()

        def read(session: RpcSession) -> tuple[str, FillStates]:
            newest = _read_newest(session, head.height)
            final = _read_block(session, head.finalized)
            # By its height: a backend of the node that is behind refuses it.
            results = session.call(*(call_request(call, hex(newest.height)) for call in calls))
            statuses = tuple(int.from_bytes(_word(result), "big") for result in results)
            return final.hash, FillStates(final.time, statuses)

        return self._agreed(read, "on what was filled")[1]

    def find_fill(self, relay: Relay, since: datetime) -> Log | None:
        """The event by which a deposit was filled."""
        deposit = ["0x" + number_word(number).hex() for number in (relay.source, relay.deposit_id)]
        logs = self._find_events([FILLED_RELAY.topic, *deposit], self.height_since(since))
        return next((log for log in logs if relay.is_filled_by(log)), None)

    def was_taken(self, relay: Relay, since: datetime, until: datetime) -> bool | None:
        """Whether the pool took a deposit; None where no final block is later than `until`, after
        which it takes it no more."""
        final, topics = self.heads().finalized, [FUNDS_DEPOSITED.topic, None, _topic(relay)]
        block = self._agreed(lambda session: _read_block(session, final), "on a final block")
        if block.time <= until:
            return None
        return bool(self._find_events(topics, self.height_since(since), final))

    def height_since(self, since: datetime) -> int:
        """A height below which no block is as new as a time."""
        return height_since(self.facts, self.heads().height, since)

    def own_deposits(self, first: int, last: int) -> list[Relay]:
        """What was deposited for the relayer's account in these blocks, both included, which are
        final."""
        topics = [FUNDS_DEPOSITED.topic, None, None, address_topic(self.relayer)]
        return [parse_logged(self.number, log) for log in self._find_events(topics, first, last)]

    def refunds(self, first: int, last: int) -> list[Refund]:
        """What the pool has given back to the relayer's account in these blocks, as far as the
        token's own events say so, too."""
        named: dict[tuple[str, str], int] = {}
        for log in self._find_events([REFUND_EXECUTED.topic], first, last):
            _, amounts, token, accounts, _, _ = REFUND_EXECUTED.decode(log.data)
            pairs = zip(accounts, amounts, strict=False)
            units = sum(u for account, u in pairs if account.lower() == self.relayer.lower())
            if units:
                place = log.tx_hash, token.lower()
                named[place] = named.get(place, 0) + units
        return [refund for place, units in named.items() for refund in self._paid(*place, units)]

    def _paid(self, tx_id: str, token: str, named: int) -> list[Refund]:
        """The refund of a transaction, at most what the pool named."""
        paid = [
            transfer
            for transfer in self._evm.token_transfers(tx_id, self.relayer)
            if transfer.sender == self.pool and transfer.token.lower() == token
        ]
        units = min(named, sum(transfer.amount for transfer in paid))
        if not units:
            return []
        first = paid[0]
        place = first.block_height, first.index
        return [Refund(tx_id, first.token, units, first.at, place)]

    def _find_events(
        self, topics: Sequence[str | None], first: int, last: int | None = None
    ) -> list[Log]:
        """Events of the pool from one height to another, or to the newest block."""
        log_filter, head = {"address": self.pool, "topics": topics}, self.heads()

        def read(session: RpcSession) -> list[Log]:
            newest, limits = _read_newest(session, head.height), self._context.limits
            end = newest.height if last is None else last
            return fetch_events(session, limits, log_filter, first, end)

        return self._agreed(read, "on what Across' pool reports")

    def _agreed(self, read: Callable[[RpcSession], T], what: str) -> T:
        return agreed(self._context.pool, read, what)


def _read_newest(session: RpcSession, least: int) -> Block:
    """The newest block of a node, which must not be behind: what it lacks says nothing."""
    newest = parse_block(session.call(block_request("latest"))[0])
    if newest.height < least:
        raise Unreachable("the node is behind")
    return newest


def _read_block(session: RpcSession, height: int) -> Block:
    result = session.call(block_request(height))[0]
    if result is None:
        raise Unreachable(f"the node has no block {height} yet")
    return parse_block(result, height)


def _topic(relay: Relay) -> str:
    return "0x" + number_word(relay.deposit_id).hex()


def _word(result: object) -> bytes:
    word = parse_data(result, "a number")
    if len(word) != WORD:
        raise Unreachable("Across' pool is not where it should be")
    return word


def _address(word: bytes) -> str:
    return "0x" + word[-20:].hex()
