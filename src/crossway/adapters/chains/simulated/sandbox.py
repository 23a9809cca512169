"""The simulator's controls: deposits, the clock, and injected faults."""

from collections.abc import Iterator, Mapping, Sequence

from sqlalchemy import delete, select

from crossway.adapters.chains.addresses import canonical_address
from crossway.adapters.chains.simulated.blocks import transactions as bytes_of
from crossway.adapters.chains.simulated.blocks.bulk_sql import insert_rows
from crossway.adapters.chains.simulated.blocks.derivation import (
    derive_address,
    lookup_tag,
    transaction_id,
)
from crossway.adapters.chains.simulated.blocks.genesis import ChainFacts
from crossway.adapters.chains.simulated.blocks.mining import catch_up, mine_now, minimum_fee
from crossway.adapters.chains.simulated.blocks.network import ChainSession, SimulatedNetwork
from crossway.adapters.chains.simulated.blocks.reorgs import reorg
from crossway.adapters.chains.simulated.blocks.state_store import load_nonces
from crossway.adapters.chains.simulated.blocks.tables import balances, refusing_addresses
from crossway.adapters.chains.simulated.blocks.transactions import OutputRow, Transaction
from crossway.adapters.chains.simulated.explorer import (
    find_in_blocks,
    find_transaction,
    list_transfers_to,
)
from crossway.adapters.chains.simulated.queries import balances_of
from crossway.domain.deposits import IncomingTransfer
from crossway.domain.errors import InvalidInput
from crossway.ports.sandbox import NODE_LIES, Faults, SentDeposit
from crossway.ports.simulated_transactions import SimulatedTransaction

MAX_TRANSFERS = 10_000


class SimulatedSandbox:
    """`ports.sandbox.Sandbox` over the simulated network."""

    def __init__(self, network: SimulatedNetwork) -> None:
        self._network = network

    def deposit(
        self,
        chain: str,
        to: str,
        token: str,
        units: int,
        count: int = 1,
        sender: str | None = None,
        reference: str = "",
    ) -> SentDeposit:
        if not 1 <= count <= MAX_TRANSFERS or units < 0:
            raise InvalidInput(f"count must be 1 to {MAX_TRANSFERS}, amount zero or more")
        facts = self._facts(chain)
        payer = sender or derive_address(facts.family, "payer")
        output: OutputRow = (payer, _parse_address(facts, to), token, units, True)
        # Derived from the reference alone: the amount of a repeat may be another one.
        tx_id = transaction_id(facts.family, f"deposit {chain} {reference}".encode())
        with self._network.locked(chain) as session:
            if reference and (sent := find_in_blocks(session, tx_id)) is not None:
                return SentDeposit(tx_id, chain, sent.height or session.state.height)
            tx = _build_tx(session, bytes_of.DEPOSIT, [output] * count)
            if reference:
                tx.tx_id = tx_id
            return SentDeposit(tx.tx_id, chain, mine_now(session, [tx]))

    def deposit_each(
        self,
        chain: str,
        sent: Sequence[tuple[str, str, int]],
        payers: Sequence[str] | None = None,
    ) -> list[SentDeposit]:
        """Send many deposits of (receiver, token, units) in one block, one transaction each, from
        one payer or from these. Receivers must be canonical addresses."""
        senders = payers or [derive_address(self._facts(chain).family, "payer")] * len(sent)
        with self._network.locked(chain) as session:
            transactions = [
                _build_tx(session, bytes_of.DEPOSIT, [(payer, to, token, units, True)])
                for payer, (to, token, units) in zip(senders, sent, strict=True)
            ]
            height = mine_now(session, transactions)
        return [SentDeposit(tx.tx_id, chain, height) for tx in transactions]

    def refund_by_stranger(self, chain: str, address: str, token: str, to: str) -> None:
        with self._network.locked(chain) as session:
            catch_up(session)
            held = balances_of(session, [address, to], token)
            total = held[address] + held[to]
            outputs: list[OutputRow] = [("", address, token, 0, True), ("", to, token, total, True)]
            mine_now(session, [_build_tx(session, bytes_of.SET_BALANCE, outputs)])

    def advance(self, seconds: float) -> None:
        self._network.clock.advance(seconds)

    def freeze(self, frozen: bool) -> None:
        self._network.clock.freeze(frozen)

    def clock(self) -> tuple[float, bool]:
        return self._network.clock.offset()

    def inject_faults(self, chain: str, faults: Faults) -> None:
        balance_outputs = list(_parse_balances(self._facts(chain), faults))
        _validate(faults)
        with self._network.locked(chain) as session:
            catch_up(session)
            _apply(session, faults)
            _set_refusing(session, faults)
            if balance_outputs:
                mine_now(session, [_build_tx(session, bytes_of.SET_BALANCE, balance_outputs)])
            if faults.take_nonce:
                mine_now(session, [_take_next_nonce(session)])
            if faults.reorg_depth:
                reorg(session, faults.reorg_depth)

    def faults(self, chain: str) -> Mapping[str, object]:
        self._facts(chain)
        with self._network.reading(chain) as session:
            state = session.state
            query = select(refusing_addresses.c.address).where(refusing_addresses.c.chain == chain)
            active: dict[str, object] = {
                "outage_seconds": max(0.0, state.outage_until - session.now),
                "drop_next": state.drop_next,
                "revert_next": state.revert_next,
                "slow_blocks": state.slow_blocks,
                "fee_factor": state.fee_factor if state.fee_factor != 1 else 0,
                "lie": state.node_fault,
                "refuse": sorted(session.db.scalars(query)),
            }
        return {name: value for name, value in active.items() if value}

    def opening_balances(self, chain: str) -> Mapping[tuple[str, str], int]:
        return self._network.facts[chain].holdings

    def holdings(self, address: str) -> Sequence[tuple[str, str, int]]:
        names = list(self._network.facts)
        tags = [lookup_tag(name, address) for name in names]
        query = select(balances.c.chain, balances.c.token, balances.c.units).where(
            balances.c.tag.in_(tags)
        )
        # Due blocks may change these balances.
        for name in names:
            with self._network.reading(name) as session:
                due = (
                    session.state.mempool_size
                    and session.state.tip_at(session.now) > session.state.height
                )
            if due:
                with self._network.locked(name) as session:
                    catch_up(session)
        with self._network.read_all() as db:
            holdings = [(chain, token, int(units)) for chain, token, units in db.execute(query)]
        return sorted(holdings)

    def find_transaction(self, chain: str, tx_hash: str) -> SimulatedTransaction | None:
        return find_transaction(self._network, self._facts(chain).id, tx_hash)

    def list_transfers_to(self, chain: str, address: str, limit: int) -> Sequence[IncomingTransfer]:
        return list_transfers_to(self._network, self._facts(chain).id, address, limit)

    def _facts(self, chain: str) -> ChainFacts:
        facts = self._network.facts.get(chain)
        if facts is None:
            raise InvalidInput(f"{chain} is not a chain of the simulated network")
        return facts


def _build_tx(session: ChainSession, kind: str, outputs: Sequence[OutputRow]) -> Transaction:
    session.state.simulator_tx_count += 1
    return bytes_of.simulator_tx(
        session.facts.family, session.facts.id, kind, outputs, session.state.simulator_tx_count
    )


def _take_next_nonce(session: ChainSession) -> Transaction:
    """A third party's transaction with the relayer's next nonce."""
    relayer = session.facts.accounts.relayer
    nonce = load_nonces(session, [relayer]).get(relayer, 0)
    return bytes_of.foreign_nonce_tx(
        session.facts.family, session.facts.id, relayer, nonce, minimum_fee(session)
    )


def _validate(faults: Faults) -> None:
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
    if faults.lie is not None and faults.lie not in ("", *NODE_LIES):
        raise InvalidInput(f"lie must be one of {', '.join(NODE_LIES)}, or empty")


def _apply(session: ChainSession, faults: Faults) -> None:
    state = session.state
    if faults.outage_seconds is not None:
        state.outage_until = session.now + faults.outage_seconds
    if faults.drop_next is not None:
        state.drop_next = faults.drop_next
    if faults.revert_next is not None:
        state.revert_next = faults.revert_next
    if faults.slow_blocks is not None:
        state.slow_blocks = faults.slow_blocks
        state.change_pace(session.facts.block_seconds * max(1, faults.slow_blocks))
    if faults.fee_factor is not None:
        state.fee_factor = faults.fee_factor
    if faults.lie is not None:
        state.node_fault, state.stale_height = faults.lie, state.height


def _set_refusing(session: ChainSession, faults: Faults) -> None:
    facts = session.facts
    refused = [(facts.id, _parse_address(facts, address)) for address in faults.refuse]
    insert_rows(session.db, refusing_addresses, refused, fresh=False)
    for address in faults.accept:
        session.db.execute(
            delete(refusing_addresses).where(
                refusing_addresses.c.chain == facts.id,
                refusing_addresses.c.address == _parse_address(facts, address),
            )
        )


def _parse_balances(facts: ChainFacts, faults: Faults) -> Iterator[OutputRow]:
    """The outputs that set the balances of the operator's accounts."""
    for name, amounts in faults.balances.items():
        if name not in ("relayer", "bridger", "coordinator", "treasury"):
            raise InvalidInput(f"{name} is none of relayer, bridger, coordinator, treasury")
        for symbol, units in amounts.items():
            if units < 0:
                raise InvalidInput(f"{symbol} of {name} must be zero or more")
            if symbol not in facts.tokens and symbol != "native":
                raise InvalidInput(f"{symbol} is not available on {facts.id}")
            token = facts.native if symbol == "native" else facts.tokens[symbol].address
            yield ("", getattr(facts.accounts, name), token, units, True)


def _parse_address(facts: ChainFacts, text: str) -> str:
    try:
        return canonical_address(facts.family, text)
    except ValueError as error:
        raise InvalidInput(f"address {error}") from error
