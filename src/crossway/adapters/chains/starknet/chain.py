"""One live Starknet chain behind the chain port."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from crossway.adapters.chains.addresses import canonical
from crossway.adapters.chains.binding import bound
from crossway.adapters.chains.starknet import balances, deposits, made
from crossway.adapters.chains.starknet.ground import Ground
from crossway.adapters.chains.starknet.heads import Summit
from crossway.adapters.chains.starknet.sending import Post
from crossway.domain.actions import Action
from crossway.domain.deposits import Incoming
from crossway.domain.intent import Terms
from crossway.ports.chain import Cursor, Heads, Made, Scan, Signed, Status, Watch


class StarknetChain:
    """`ports.chain.Chain` over the nodes of a Starknet chain; safe to share between threads."""

    # The sequencer takes another transaction of the same nonce that offers a tenth more.
    replaces = True

    def __init__(self, ground: Ground, poll_seconds: float | None = None) -> None:
        self.id, self.own = ground.chain.id, ground.own
        self.ground = ground
        self._summit = Summit(ground, poll_seconds)
        self._post = Post(ground, self._summit)

    def close(self) -> None:
        """Let the connections to its nodes go."""
        self.ground.nodes.close()

    def canonical_address(self, text: str) -> str:
        return canonical("starknet", text)

    def intent_key(self, terms: Terms) -> str:
        own = self.own
        return "0x" + bound(self.ground.catalogue, terms, own.bridger, own.coordinator).key.hex()

    def deposit_address(self, key: str) -> str:
        return self.ground.at.deposit_address(bytes.fromhex(key[2:]))

    def deposit_token_account(self, address: str, token: str) -> str | None:
        return None

    def heads(self) -> Heads:
        return self._summit.heads()

    def scan(self, after: Cursor | None, watch: Watch) -> Scan:
        return deposits.scan(self.ground, self._summit.heads(), after, watch)

    def incoming_to(
        self, addresses: Collection[str], since: datetime | None = None
    ) -> Sequence[Incoming]:
        return deposits.incoming_to(self.ground, self._summit.heads(), addresses, since)

    def still_there(self, incoming: Sequence[Incoming]) -> Sequence[bool]:
        return deposits.still_there(self.ground, incoming)

    def balances(self, addresses: Collection[str], token: str) -> Mapping[str, int]:
        wanted = list(dict.fromkeys(addresses))
        if not wanted:
            return {}
        return self.ground.nodes.one(lambda line: balances.read(self.ground, line, wanted, token))

    def next_nonce(self, account: str) -> int:
        return self._post.next_nonce(account)

    def fee_units(self) -> int:
        return self._post.fee_units()

    def native_balance(self, address: str) -> int:
        return self.balances([address], self.ground.coin)[address]

    def sign(self, actions: Sequence[tuple[Action, int]], fee_units: int) -> Sequence[Signed]:
        return self._post.sign(actions, fee_units)

    def broadcast(self, signed: Sequence[Signed]) -> Sequence[str]:
        return self._post.broadcast(signed)

    def status(self, tx_ids: Collection[str]) -> Mapping[str, Status]:
        return self._post.status(tx_ids)

    def used(self, markers: Collection[str]) -> set[str]:
        return made.used(self.ground, markers)

    def made_by(self, account: str, from_nonce: int) -> Sequence[Made]:
        return made.made_by(self.ground, self._summit.heads(), account, from_nonce)
