"""One live Tron chain behind the chain port: addresses and names are Tron's on this side, and
those of JSON-RPC behind it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from crossway.adapters.chains.addresses import canonical
from crossway.adapters.chains.binding import bound
from crossway.adapters.chains.evm import balances, deposits, made
from crossway.adapters.chains.evm.calldata import ZERO
from crossway.adapters.chains.evm.ground import Ground
from crossway.adapters.chains.evm.heads import Summit
from crossway.adapters.chains.tron.blocks import Blocks
from crossway.adapters.chains.tron.customs import Customs
from crossway.adapters.chains.tron.forms import bare, named, plain, prefixed
from crossway.adapters.chains.tron.numbers import Numbers
from crossway.adapters.chains.tron.outcomes import Outcomes
from crossway.adapters.chains.tron.sending import Post
from crossway.domain.actions import Action
from crossway.domain.deposits import Incoming
from crossway.domain.intent import Terms
from crossway.ports.chain import (
    ChainAddresses,
    Cursor,
    Heads,
    Made,
    Mined,
    Scan,
    Signed,
    Status,
    Watch,
)


class TronChain:
    """`ports.chain.Chain` over the nodes of Tron; safe to share between threads."""

    replaces = False

    def __init__(
        self,
        ground: Ground,
        own: ChainAddresses,
        customs: Customs,
        blocks: Blocks,
        poll_seconds: float | None = None,
    ) -> None:
        """`ground` speaks of plain addresses, `own` of Tron's."""
        self.id, self.own, self.ground = ground.chain.id, own, ground
        self._summit = Summit(ground, poll_seconds)
        self._outcomes = Outcomes(ground)
        self.post = Post(ground, customs, self._summit, self._outcomes)
        self._numbers = Numbers(ground, blocks)

    def close(self) -> None:
        """Let the connections to its nodes go."""
        self.ground.nodes.close()

    def canonical_address(self, text: str) -> str:
        return canonical("tron", text)

    def intent_key(self, terms: Terms) -> str:
        own = self.own
        return "0x" + bound(self.ground.catalogue, terms, own.bridger, own.coordinator).key.hex()

    def deposit_address(self, key: str) -> str:
        return named(self.ground.at.deposit_address(bytes.fromhex(key[2:])))

    def deposit_token_account(self, address: str, token: str) -> str | None:
        return None

    def heads(self) -> Heads:
        return self._summit.heads()

    def scan(self, after: Cursor | None, watch: Watch) -> Scan:
        found = deposits.scan(self.ground, self.heads(), after, _Watched(watch))
        return replace(found, incoming=[_told(one) for one in found.incoming])

    def incoming_to(
        self, addresses: Collection[str], since: datetime | None = None
    ) -> Sequence[Incoming]:
        to = [plain(one) for one in addresses]
        return [_told(one) for one in deposits.incoming_to(self.ground, self.heads(), to, since)]

    def still_there(self, incoming: Sequence[Incoming]) -> Sequence[bool]:
        return deposits.still_there(self.ground, [_asked(one) for one in incoming])

    def balances(self, addresses: Collection[str], token: str) -> Mapping[str, int]:
        wanted = {plain(one): one for one in addresses}
        if not wanted:
            return {}
        of = plain(token) if token != "native" else ZERO
        held = self.ground.nodes.one(
            lambda line: balances.read(self.ground, line, list(wanted), of)
        )
        return {wanted[address]: units for address, units in held.items()}

    def next_nonce(self, account: str) -> int:
        head = self.heads()
        # One that is behind knows lower numbers only, and the books know better.
        return min(self.ground.nodes.many(lambda line: self._numbers.next(line, head)))

    def fee_units(self) -> int:
        return self.post.fee_units()

    def native_balance(self, address: str) -> int:
        return self.balances([address], "native")[address]

    def sign(self, actions: Sequence[tuple[Action, int]], fee_units: int) -> Sequence[Signed]:
        return self.post.sign(actions, fee_units)

    def broadcast(self, signed: Sequence[Signed]) -> Sequence[str]:
        return self.post.broadcast(signed)

    def status(self, tx_ids: Collection[str]) -> Mapping[str, Status]:
        return self.post.status(tx_ids)

    def used(self, markers: Collection[str]) -> set[str]:
        return made.used(self.ground, markers)

    def made_by(self, account: str, from_nonce: int) -> Sequence[Made]:
        head = self.heads()
        if self.next_nonce(account) <= from_nonce:
            return []
        numbers = self.ground.nodes.one(lambda line: self._numbers.since(line, head, from_nonce))
        became = self.ground.nodes.one(lambda line: self._outcomes.mined(line, list(numbers)))
        found = [
            Made(name, numbers[name], one) for name, one in became.items() if isinstance(one, Mined)
        ]
        return sorted(found, key=lambda one: one.nonce)


@dataclass(frozen=True, slots=True)
class _Watched:
    """The addresses to look out for, as JSON-RPC knows them."""

    watch: Watch

    def known(self, addresses: Collection[str]) -> set[str]:
        """Those of the given addresses that are deposit addresses."""
        return {plain(one) for one in self.watch.known({named(one) for one in addresses})}

    def all(self) -> Sequence[str]:
        """Every address worth asking a node about."""
        return [plain(one) for one in self.watch.all()]


def _told(one: Incoming) -> Incoming:
    return replace(
        one,
        tx_hash=bare(one.tx_hash),
        token=named(one.token),
        sender=named(one.sender),
        to=named(one.to),
    )


def _asked(one: Incoming) -> Incoming:
    return replace(
        one,
        tx_hash=prefixed(one.tx_hash),
        token=plain(one.token),
        sender=plain(one.sender),
        to=plain(one.to),
    )
