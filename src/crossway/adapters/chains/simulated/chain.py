"""One simulated chain behind the chain port."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from crossway.adapters.chains.addresses import canonical_address
from crossway.adapters.chains.rpc.second_reading import SecondReading, merge_reports
from crossway.adapters.chains.simulated import nodes, queries
from crossway.adapters.chains.simulated.blocks import derivation, mining
from crossway.adapters.chains.simulated.blocks.execution import REFUSED
from crossway.adapters.chains.simulated.blocks.mempool_admission import accept
from crossway.adapters.chains.simulated.blocks.network import ChainSession, SimulatedNetwork
from crossway.adapters.chains.simulated.blocks.reading import open_reading, raise_if_faulty
from crossway.adapters.chains.simulated.blocks.solana_addresses import associated_token_account
from crossway.adapters.chains.simulated.blocks.standing import SimulatedStanding
from crossway.adapters.chains.simulated.blocks.state import ChainState
from crossway.adapters.chains.simulated.blocks.state_store import load_nonces, load_refusing
from crossway.adapters.chains.simulated.blocks.transactions import sign_call
from crossway.adapters.chains.simulated.bridging.intent_calls import build_contract_call
from crossway.adapters.chains.simulated.bridging.inventory_calls import with_effects
from crossway.adapters.chains.simulated.bridging.relayers import act_if_due
from crossway.domain.deposits import IncomingTransfer
from crossway.domain.intent import Terms
from crossway.domain.outbound_call import OutboundCall
from crossway.ports.address_filter import AddressFilter
from crossway.ports.chain import (
    AccountTx,
    ChainHead,
    Cursor,
    Scan,
    SignedTx,
    TxStatus,
)
from crossway.ports.chain_calls import CallCosts, PublicCall
from crossway.ports.standing_contracts import StandingContracts

FORGED_WHOLE_TOKENS = 1_000
# So far a cursor may stay behind while blocks are empty.
MAX_UNSCANNED_BLOCKS = 64
# So many are read a second time in one scan.
MAX_REREAD_BLOCKS = 10_000


class SimulatedChain:
    """`ports.chain.Chain` over the simulated network; safe to share between threads."""

    def __init__(self, network: SimulatedNetwork, chain: str) -> None:
        self.id, self._network, self._facts = chain, network, network.facts[chain]
        self.accounts, self.has_nonces = self._facts.accounts, self._facts.has_nonces
        self.max_signatures = 2_000
        has_standing = self._facts.family == "evm"
        self.standing: StandingContracts | None = SimulatedStanding() if has_standing else None
        self._second_reading = SecondReading(self._facts.block_seconds)

    def canonical_address(self, text: str) -> str:
        return canonical_address(self._facts.family, text)

    def intent_hash(
        self, terms: Terms, bridger: str | None = None, coordinator: str | None = None
    ) -> str:
        return derivation.intent_hash(terms)

    def deposit_address(self, intent_hash: str) -> str:
        return derivation.deposit_address(self._facts.family, intent_hash)

    def is_deposit_address(self, address: str, intent_hash: str) -> bool:
        return derivation.is_deposit_address(self._facts.family, address, intent_hash)

    def deposit_token_account(self, address: str, token: str) -> str | None:
        if self._facts.family != "solana" or token == self._facts.native:
            return None
        return associated_token_account(self.id, address, token)

    def calls_per_tx(self, fee_units: int) -> int:
        del fee_units
        return 1

    def sign(self, calls: Sequence[tuple[OutboundCall, int]], fee_units: int) -> Sequence[SignedTx]:
        for call, _ in calls:
            if call.account not in self._facts.own_set or call.chain != self.id:
                raise ValueError(f"{call.account} on {call.chain} is not an account of {self.id}")
        family, facts = self._facts.family, self._network.facts
        return [
            sign_call(
                family,
                self.id,
                self._with_time_limit(with_effects(call)),
                nonce,
                fee_units,
                build_contract_call(facts, call),
            )
            for call, nonce in calls
        ]

    def _with_time_limit(self, call: OutboundCall) -> OutboundCall:
        life_seconds = self._facts.tx_life_seconds
        if life_seconds is None:
            return call
        limit = self._network.clock.now() + timedelta(seconds=life_seconds)
        return replace(
            call, not_after=limit if call.not_after is None else min(limit, call.not_after)
        )

    def heads(self) -> ChainHead:
        act_if_due(self._network)
        latest = self._network.peek(self.id)
        if latest is not None and nodes.is_idle(*latest):
            state, now = latest
            height = state.tip_at(now)
            return self._heads(state, height, state.empty_hash(self._facts.family, height))
        with self._read() as (session, height):
            return self._heads(session.state, height, queries.hash_at(session, height))

    def _heads(self, state: ChainState, height: int, block_hash: str) -> ChainHead:
        at = datetime.fromtimestamp(_time_at(state, height), UTC)
        head = ChainHead(height, block_hash, at, self._finalized_height(state, height))
        if state.node_fault not in nodes.HEAD_LIES:
            return head
        now = self._network.clock.now()
        return nodes.agree_on_head(head, state.node_fault, now, self._facts.block_seconds)

    def scan(self, after: Cursor | None, watch: AddressFilter) -> Scan:
        if after is not None and self._has_only_empty_blocks(after):
            return Scan([], after, None)
        # The lock waits for writers. One that gets it next makes only blocks above this height, so
        # no block can appear below the cursor that is returned.
        with self._network.locked(self.id) as session:
            raise_if_faulty(session)
            mining.catch_up(session)
            complete = session.state.height
        with self._read() as (session, reported):
            height = min(reported, complete)
            reorged_from = None if after is None else self._find_reorg_height(session, after)
            first = (height if after is None else after.height) + 1
            start = first if reorged_from is None else reorged_from
            transfers, last_height = queries.transfers_between(session, start, height)
            # A cursor above this height comes from before the node went stale.
            if after is not None and reorged_from is None and after.height > last_height:
                cursor = after
            else:
                cursor = Cursor(last_height, queries.hash_at(session, last_height))
            fault = session.state.node_fault
            transfers = [*nodes.reported_logs(transfers, fault)[0]]
            if after is not None and self._reads_again(session.state):
                scan = Scan(transfers, cursor, reorged_from)
                transfers += self._read_again(session, after, scan)
        receivers = {transfer.to for transfer in transfers}
        watched_addresses = watch.filter_known(receivers) if transfers else set()
        watched = [transfer for transfer in transfers if transfer.to in watched_addresses]
        if fault == "forged":
            watched += self._forge_transfers(watch, cursor)
        return Scan(watched, cursor, reorged_from)

    def _reads_again(self, state: ChainState) -> bool:
        """Whether there may be blocks of which a node left something out."""
        return state.node_fault in nodes.LOG_LIES or self._second_reading.is_before(
            state.stale_height
        )

    def _read_again(
        self, session: ChainSession, after: Cursor, scan: Scan
    ) -> Sequence[IncomingTransfer]:
        """What any node reports of blocks that were scanned a little earlier, and no scan did."""
        due = self._second_reading.find_due(after, scan, MAX_REREAD_BLOCKS)
        if due is None:
            return []
        transfers, last = queries.transfers_between(session, *due)
        reports = nodes.reported_logs(transfers, session.state.node_fault)
        return self._second_reading.find_missed(last, reports, complete=True)

    def _has_only_empty_blocks(self, after: Cursor) -> bool:
        """Whether there is nothing to scan above a recent cursor. It does not move then: without
        the lock, a block with transfers may still appear below the newest height."""
        with self._network.reading(self.id) as session:
            raise_if_faulty(session)
            state = session.state
            return (
                nodes.is_idle(state, session.now)
                and not self._reads_again(state)
                and state.height < after.height
                and state.tip_at(session.now) - after.height < MAX_UNSCANNED_BLOCKS
                and after.block_hash == state.empty_hash(self._facts.family, after.height)
            )

    def transfers_to(
        self, addresses: Collection[str], since: datetime | None = None
    ) -> Sequence[IncomingTransfer]:
        with self._read() as (session, height):
            transfers = queries.transfers_to(session, addresses, height)
            return merge_reports(nodes.reported_logs(transfers, session.state.node_fault))

    def verify_inclusion(self, incoming: Sequence[IncomingTransfer]) -> Sequence[bool]:
        with self._read() as (session, height):
            return queries.verify_inclusion(session, incoming, height)

    def balances(self, addresses: Collection[str], token: str) -> Mapping[str, int]:
        with self._read() as (session, _):
            return queries.balances_of(session, addresses, token)

    def agreed_balances(self, addresses: Collection[str], token: str) -> Mapping[str, int]:
        return self.balances(addresses, token)

    def native_balance(self, address: str) -> int:
        return self.balances([address], self._facts.native)[address]

    def next_nonce(self, account: str) -> int:
        with self._read() as (session, _):
            return load_nonces(session, [account]).get(account, 0)

    def fee_units(self) -> int:
        with self._read() as (session, _):
            return mining.minimum_fee(session)

    def call_costs(self) -> CallCosts:
        fee = self.fee_units()
        return CallCosts(fee, fee, fee, fee)

    def find_refusals(self, calls: Sequence[OutboundCall]) -> Sequence[str]:
        with self._read() as (session, _):
            refusing = load_refusing(session)
        refused = [any(o.required and o.to in refusing for o in call.outputs) for call in calls]
        return [REFUSED if is_refused else "" for is_refused in refused]

    def public_call(self, call: OutboundCall) -> PublicCall | None:
        return None  # A simulated chain has no contracts.

    def broadcast(self, signed: Sequence[SignedTx]) -> Sequence[str]:
        with self._network.locked(self.id) as session:
            raise_if_faulty(session)
            mining.catch_up(session)
            return accept(session, [transaction.raw for transaction in signed])

    def status(self, tx_ids: Collection[str]) -> Mapping[str, TxStatus]:
        with self._read() as (session, height):
            return queries.statuses(
                session, tx_ids, height, self._finalized_height(session.state, height)
            )

    def executed(self, markers: Collection[str]) -> set[str]:
        with self._read() as (session, _):
            return queries.executed_markers(session, markers)

    def authorized(self, coordinators: Collection[str]) -> set[str]:
        return set(coordinators)

    def retained(self, coordinators: Collection[str], token: str) -> Mapping[str, int]:
        return {}

    def find_reclaims(self, intent_hashes: Collection[str], since: datetime) -> Mapping[str, str]:
        return {}

    def transactions_from(self, account: str, from_nonce: int) -> Sequence[AccountTx]:
        with self._read() as (session, height):
            return queries.transactions_from(session, account, from_nonce, height)

    def _read(self) -> AbstractContextManager[tuple[ChainSession, int]]:
        """The chain for reading, with every due block made, and the height to report."""
        return open_reading(self._network, self.id)

    def _finalized_height(self, state: ChainState, height: int) -> int:
        return max(height - self._facts.finalized_blocks, state.first_height)

    def _find_reorg_height(self, session: ChainSession, cursor: Cursor) -> int | None:
        """The first height whose block was replaced since this cursor."""
        if queries.hash_at(session, cursor.height) == cursor.block_hash:
            return None
        epoch = derivation.reorg_count_of(self._facts.family, cursor.block_hash)
        if epoch is None or epoch > len(session.state.reorgs):
            return session.state.first_height
        later = session.state.replaced_since(epoch)
        return cursor.height if later is None else min(later, cursor.height)

    def _forge_transfers(self, watch: AddressFilter, cursor: Cursor) -> list[IncomingTransfer]:
        """A transfer that does not exist, to one of the watched addresses."""
        token = next(token for token in self._facts.tokens.values() if token.enabled)
        return [
            IncomingTransfer(
                chain=self.id,
                tx_hash=derivation.transaction_id(self._facts.family, f"forged {to}".encode()),
                index=0,
                block_height=cursor.height,
                block_hash=cursor.block_hash,
                token=token.address,
                sender=derivation.derive_address(self._facts.family, "forger"),
                to=to,
                amount=FORGED_WHOLE_TOKENS * 10**token.decimals,
                at=self._network.clock.now(),
            )
            for to in watch.list_all()[:1]
        ]


def _time_at(state: ChainState, height: int) -> float:
    """The time of the reported block; that of a stale node's head does not advance."""
    if state.node_fault == "stale":
        return state.scheduled(height)
    return state.time_of(height)
