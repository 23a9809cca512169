"""One simulated chain behind the chain port."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256

from crossway.adapters.chains.addresses import canonical
from crossway.adapters.chains.simulated import identities, readings
from crossway.adapters.chains.simulated.blocks import mining
from crossway.adapters.chains.simulated.blocks.broadcasting import accept
from crossway.adapters.chains.simulated.blocks.stored import load_nonces
from crossway.adapters.chains.simulated.blocks.transactions import sign_action
from crossway.adapters.chains.simulated.network import Network, Site
from crossway.adapters.chains.simulated.state import ChainState
from crossway.domain.actions import Action
from crossway.domain.deposits import Incoming
from crossway.domain.errors import Unreachable
from crossway.domain.intent import Terms
from crossway.ports.chain import Cursor, Heads, Made, Scan, Signed, Status, Watch

FORGED_WHOLE_TOKENS = 1_000


class SimulatedChain:
    """`ports.chain.Chain` over the simulated network; safe to share between threads."""

    replaces = True

    def __init__(self, network: Network, chain: str) -> None:
        self.id = chain
        self.own = network.facts[chain].own
        self._network = network
        self._facts = network.facts[chain]

    def canonical_address(self, text: str) -> str:
        return canonical(self._facts.family, text)

    def intent_key(self, terms: Terms) -> str:
        return identities.intent_key(terms)

    def deposit_address(self, key: str) -> str:
        return identities.made_address(self._facts.family, f"deposit {key}")

    def deposit_token_account(self, address: str, token: str) -> str | None:
        if self._facts.family != "solana":
            return None
        return identities.made_address("solana", f"account {address} {token}")

    def sign(self, actions: Sequence[tuple[Action, int]], fee_units: int) -> Sequence[Signed]:
        for action, _ in actions:
            if action.account not in self._facts.own_set or action.chain != self.id:
                raise ValueError(f"{action.account} on {action.chain} is no account of {self.id}")
        family = self._facts.family
        return [sign_action(family, self.id, action, nonce, fee_units) for action, nonce in actions]

    def heads(self) -> Heads:
        glance = self._network.glance(self.id)
        if glance is not None and _quiet(*glance):
            state, now = glance
            height = state.tip_at(now)
            return self._heads(state, height, state.empty_hash(self._facts.family, height))
        with self._view() as (site, height):
            return self._heads(site.state, height, readings.hash_at(site, height))

    def _heads(self, state: ChainState, height: int, block_hash: str) -> Heads:
        at = datetime.fromtimestamp(_time_at(state, height), UTC)
        return Heads(height, block_hash, at, self._finalized(state, height))

    def scan(self, after: Cursor | None, watch: Watch) -> Scan:
        # Waiting for writers here means that no block can come in below the cursor given back.
        with self._network.locked(self.id) as site:
            self._answer_or_raise(site)
            mining.catch_up(site)
        with self._view() as (site, height):
            reorged_from = None if after is None else self._replaced(site, after)
            first = (height if after is None else after.height) + 1
            start = first if reorged_from is None else reorged_from
            found, reached = readings.transfers_between(site, start, height)
            # A cursor above this height comes from before the node went stale.
            if after is not None and reorged_from is None and after.height > reached:
                cursor = after
            else:
                cursor = Cursor(reached, readings.hash_at(site, reached))
            lie = site.state.lie
        known = watch.known({one.to for one in found}) if found else set()
        seen = [one for one in found if one.to in known]
        if lie == "forged":
            seen += self._forged(watch, cursor)
        return Scan(seen, cursor, reorged_from)

    def incoming_to(
        self, addresses: Collection[str], since: datetime | None = None
    ) -> Sequence[Incoming]:
        with self._view() as (site, height):
            return readings.transfers_to(site, addresses, height)

    def still_there(self, incoming: Sequence[Incoming]) -> Sequence[bool]:
        with self._view() as (site, height):
            return readings.standing(site, incoming, height)

    def balances(self, addresses: Collection[str], token: str) -> Mapping[str, int]:
        with self._view() as (site, _):
            return readings.balances_of(site, addresses, token)

    def native_balance(self, address: str) -> int:
        return self.balances([address], self._facts.native)[address]

    def next_nonce(self, account: str) -> int:
        with self._view() as (site, _):
            return load_nonces(site, [account]).get(account, 0)

    def fee_units(self) -> int:
        with self._view() as (site, _):
            return mining.least_fee(site)

    def broadcast(self, signed: Sequence[Signed]) -> Sequence[str]:
        with self._network.locked(self.id) as site:
            self._answer_or_raise(site)
            mining.catch_up(site)
            return accept(site, [one.raw for one in signed])

    def status(self, tx_ids: Collection[str]) -> Mapping[str, Status]:
        with self._view() as (site, height):
            return readings.statuses(site, tx_ids, height, self._finalized(site.state, height))

    def used(self, markers: Collection[str]) -> set[str]:
        with self._view() as (site, _):
            return readings.used_markers(site, markers)

    def made_by(self, account: str, from_nonce: int) -> Sequence[Made]:
        with self._view() as (site, height):
            return readings.made_by(site, account, from_nonce, height)

    @contextmanager
    def _view(self) -> Iterator[tuple[Site, int]]:
        """The chain for reading, with every block made that is due, and the height shown."""
        with self._network.reading(self.id) as site:
            self._answer_or_raise(site)
            due = site.state.tip_at(site.now) > site.state.height
            if not (due and (site.state.waiting or site.state.lost)):
                yield site, _shown(site)
                return
        with self._network.locked(self.id) as site:
            mining.catch_up(site)
        with self._network.reading(self.id) as site:
            yield site, _shown(site)

    def _answer_or_raise(self, site: Site) -> None:
        if site.now < site.state.outage_until:
            raise Unreachable(f"{self.id} does not answer")
        if site.state.lie == "chain_id":
            wrong = int(sha256(self.id.encode()).hexdigest()[:6], 16)
            raise Unreachable(
                f"{self.id} answers with chain id {wrong} instead of {self._facts.chain_id}"
            )

    def _finalized(self, state: ChainState, height: int) -> int:
        return max(height - self._facts.finalized_blocks, state.first_height)

    def _replaced(self, site: Site, cursor: Cursor) -> int | None:
        """The first height that is not any more what it was when this cursor was given."""
        if readings.hash_at(site, cursor.height) == cursor.block_hash:
            return None
        epoch = identities.epoch_of(self._facts.family, cursor.block_hash)
        if epoch is None or epoch > len(site.state.reorgs):
            return site.state.first_height
        later = site.state.replaced_since(epoch)
        return cursor.height if later is None else min(later, cursor.height)

    def _forged(self, watch: Watch, cursor: Cursor) -> list[Incoming]:
        """A transfer that never was, to one of the addresses that wait for money."""
        token = next(token for token in self._facts.tokens.values() if token.enabled)
        return [
            Incoming(
                chain=self.id,
                tx_hash=identities.transaction_id(self._facts.family, f"forged {to}".encode()),
                index=0,
                block_height=cursor.height,
                block_hash=cursor.block_hash,
                token=token.address,
                sender=identities.made_address(self._facts.family, "forger"),
                to=to,
                units=FORGED_WHOLE_TOKENS * 10**token.decimals,
                at=self._network.clock.now(),
            )
            for to in watch.all()[:1]
        ]


def _shown(site: Site) -> int:
    tip = site.state.tip_at(site.now)
    return min(tip, site.state.stale_height) if site.state.lie == "stale" else tip


def _time_at(state: ChainState, height: int) -> float:
    """The time of the block shown: a stale node's head does not grow younger."""
    if state.lie == "stale":
        return state.scheduled(height)
    return state.time_of(height)


def _quiet(state: ChainState, now: float) -> bool:
    """Whether the newest block is an empty one, and nothing else is to be said or done."""
    honest = not state.lie and now >= state.outage_until
    return honest and not (state.waiting or state.lost) and state.tip_at(now) > state.height
