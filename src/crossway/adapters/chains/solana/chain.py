"""One live cluster of Solana behind the chain port."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from crossway.adapters.chains.addresses import canonical
from crossway.adapters.chains.binding import bound
from crossway.adapters.chains.solana import accounts, arrivals, deposits, made
from crossway.adapters.chains.solana.ground import Ground
from crossway.adapters.chains.solana.heads import Recent, Summit
from crossway.adapters.chains.solana.places import SYSTEM, is_native
from crossway.adapters.chains.solana.sending import Post
from crossway.domain.actions import Action
from crossway.domain.deposits import Incoming
from crossway.domain.intent import Terms
from crossway.ports.chain import Cursor, Heads, Made, Scan, Signed, Status, Watch


class SolanaChain:
    """`ports.chain.Chain` over the nodes of a cluster; safe to share between threads. Heights are
    slots; nonces are running numbers that each transaction of ours carries."""

    replaces = False

    def __init__(self, ground: Ground, poll_seconds: float | None = None) -> None:
        self.id, self.own = ground.chain.id, ground.own
        self.ground = ground
        self._memory = deposits.Memory()
        self._summit = Summit(ground, poll_seconds)
        self._post = Post(ground, self._summit, self._memory)
        self._numbers = made.Numbers(ground, self._post.number)

    def recent(self) -> Recent:
        """The block that was looked at last, to sign on."""
        return self._summit.recent()

    def close(self) -> None:
        """Let the connections to its nodes go."""
        self.ground.nodes.close()

    def canonical_address(self, text: str) -> str:
        return canonical("solana", text)

    def intent_key(self, terms: Terms) -> str:
        own = self.own
        return "0x" + bound(self.ground.catalogue, terms, own.bridger, own.coordinator).key.hex()

    def deposit_address(self, key: str) -> str:
        return self.ground.deposit_address(bytes.fromhex(key[2:]))

    def deposit_token_account(self, address: str, token: str) -> str | None:
        return None if is_native(token) else self.ground.mints.account_of(address, token)

    def heads(self) -> Heads:
        return self._summit.heads()

    def scan(self, after: Cursor | None, watch: Watch) -> Scan:
        return deposits.scan(self.ground, self._memory, self._summit.heads(), after, watch)

    def incoming_to(
        self, addresses: Collection[str], since: datetime | None = None
    ) -> Sequence[Incoming]:
        return deposits.incoming_to(self.ground, addresses)

    def still_there(self, incoming: Sequence[Incoming]) -> Sequence[bool]:
        standing = arrivals.still_there(self.ground, incoming)
        if not all(standing):
            # What was remembered came from whoever told of it.
            self._memory.forget()
        return standing

    def balances(self, addresses: Collection[str], token: str) -> Mapping[str, int]:
        wanted = list(dict.fromkeys(addresses))
        if not wanted:
            return {}
        return self.ground.nodes.one(lambda line: accounts.held(self.ground, line, wanted, token))

    def next_nonce(self, account: str) -> int:
        return self._numbers.next_nonce(account)

    def fee_units(self) -> int:
        return self._post.fee_units()

    def native_balance(self, address: str) -> int:
        return self.balances([address], SYSTEM)[address]

    def sign(self, actions: Sequence[tuple[Action, int]], fee_units: int) -> Sequence[Signed]:
        return self._post.sign(actions, fee_units)

    def broadcast(self, signed: Sequence[Signed]) -> Sequence[str]:
        return self._post.broadcast(signed)

    def status(self, tx_ids: Collection[str]) -> Mapping[str, Status]:
        return self._post.status(tx_ids)

    def used(self, markers: Collection[str]) -> set[str]:
        return accounts.used(self.ground, markers)

    def made_by(self, account: str, from_nonce: int) -> Sequence[Made]:
        return made.made_by(self.ground, account, from_nonce)
