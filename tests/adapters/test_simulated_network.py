"""The simulated network as a remote machine: durable, shared, one block at a time."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, func, select, text

from crossway.adapters.chains.simulated.blocks.tables import blocks, transactions
from crossway.adapters.chains.simulated.chain import SimulatedChain
from crossway.domain.errors import InvalidInput, Unreachable
from crossway.domain.intent import Terms
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.outbound_call import OutboundCall, Output
from crossway.ports.chain import Cursor, IncludedTx, TxPending
from crossway.ports.sandbox import Faults
from tests.simulation import (
    BASE,
    START,
    AddressWatch,
    ManualClock,
    Simulation,
    catalogue,
    dollars,
    payout,
    sign,
    wallet,
)

Opener = Callable[[], Simulation]


@pytest.fixture(params=["sqlite", "postgresql"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opener]:
    """Opens the same database again and again."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'network.db'}"
    else:
        server = request.getfixturevalue("postgres_url")
        name = f"sim_{tmp_path.name.lower().replace('-', '_')}"
        engine = create_engine(server, isolation_level="AUTOCOMMIT")
        with engine.connect() as db:
            db.execute(text(f"DROP DATABASE IF EXISTS {name}"))
            db.execute(text(f"CREATE DATABASE {name}"))
        engine.dispose()
        url = server.rsplit("/", 1)[0] + f"/{name}"
    first: list[Simulation] = []

    def again() -> Simulation:
        first.append(first[0].reopen() if first else Simulation(url))
        return first[-1]

    yield again
    for item in first:
        item.close()


def test_what_was_broadcast_survives_the_end_of_the_process(opened: Opener) -> None:
    chain = opened().chain()
    to = wallet(chain)
    [one] = sign(chain, payout(chain, to, 5))
    chain.broadcast([one])
    later = opened()
    assert later.chain().status([one.tx_id])[one.tx_id] == TxPending()
    later.pass_time()
    status = later.chain().status([one.tx_id])[one.tx_id]
    assert isinstance(status, IncludedTx)
    assert later.chain().balances([to], dollars())[to] == 5
    assert opened().chain().status([one.tx_id])[one.tx_id] == status
    assert opened().chain().heads() == chain.heads()


def test_a_whole_payment_with_reorganisations_ends_with_the_right_money(opened: Opener) -> None:
    simulation = opened()
    chain = simulation.chain()
    own, token = chain.accounts, dollars()
    address, refund, recipient = (wallet(chain, name) for name in ("address", "refund", "to"))
    simulation.sandbox.deposit(chain.id, address, token, 110)
    outputs = {
        OutboundTxKind.START: (
            Output(address, own.bridger, token, 100),
            Output(address, refund, token, None, required=False),
        ),
        OutboundTxKind.FILL: (Output(own.relayer, recipient, token, 95),),
        OutboundTxKind.REIMBURSE: (
            Output(own.bridger, own.relayer, token, 97),
            Output(own.bridger, own.treasury, token, 3),
        ),
    }
    before = chain.balances([own.relayer], token)[own.relayer]
    for duty, what in outputs.items():
        [one] = sign(chain, OutboundCall(duty, chain.id, own.relayer, "0x1", what, f"{duty}"))
        assert list(chain.broadcast([one])) == [""]
        simulation.pass_time()
        simulation.sandbox.inject_faults(chain.id, Faults(reorg_depth=3))
        simulation.pass_time()
        status = chain.status([one.tx_id])[one.tx_id]
        assert isinstance(status, IncludedTx)
        assert status.reason == ""
    parties = (address, refund, recipient, own.bridger, own.treasury, own.relayer)
    balances = chain.balances(parties, token)
    assert [balances[party] for party in parties] == [0, 10, 95, 0, 3, before + 2]


def test_nothing_is_missed_or_seen_twice_while_many_write(opened: Opener) -> None:
    simulation = opened()
    simulation.chain().heads()
    sent: list[str] = []
    trouble: list[BaseException] = []

    def guarded(work: Callable[[], None]) -> threading.Thread:
        def run() -> None:
            try:
                work()
            except BaseException as error:
                trouble.append(error)

        return threading.Thread(target=run)

    def deposits(number: int) -> Callable[[], None]:
        process = opened()

        def work() -> None:
            to = wallet(process.chain(), f"payer {number}")
            for _ in range(15):
                process.pass_time(0.3)
                sent.append(process.sandbox.deposit(BASE, to, dollars(), 1).tx_hash)

        return work

    found: list[str] = []
    chain = opened().chain()
    cursor: Cursor | None = chain.scan(None, AddressWatch()).cursor
    threads = [guarded(deposits(number)) for number in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads) or len(found) < len(sent):
        assert not trouble
        scan = chain.scan(cursor, AddressWatch())
        assert scan.reorged_from is None
        cursor = scan.cursor
        found += (item.tx_hash for item in scan.incoming)
    assert len(sent) == 60
    assert sorted(found) == sorted(sent)


class WatchedClock(ManualClock):
    """A machine's clock that calls `asked` with how often it was asked since that was set."""

    asked: Callable[[int], None] | None = None
    times = 0

    def __call__(self) -> float:
        if self.asked is not None:
            self.times += 1
            self.asked(self.times)
        return super().__call__()


def test_a_scan_ends_below_the_block_of_a_writer_that_began_before_its_reading(
    opened: Opener,
) -> None:
    first = opened()
    chain = first.chain()
    chain.heads()
    early, late = WatchedClock(), WatchedClock()
    writer, reader = Simulation(first.url, early), Simulation(first.url, late)
    holds_the_lock, may_write = threading.Event(), threading.Event()
    sent: list[str] = []

    def deposit() -> None:
        to = wallet(chain, "payer")
        sent.append(writer.sandbox.deposit(BASE, to, dollars(), 1).tx_hash)

    def wait_in_the_lock(_: int) -> None:
        early.asked = None
        holds_the_lock.set()
        assert may_write.wait(30)

    def let_the_writer_begin(times: int) -> None:
        # Asked first to look for empty blocks, then in the lock, then before reading without it.
        if times == 3:
            late.asked = None
            writing.start()
            assert holds_the_lock.wait(30)
            late.seconds += 60

    try:
        cursor = reader.chain().scan(None, AddressWatch()).cursor
        writer.network.peek(BASE)
        early.asked, late.asked = wait_in_the_lock, let_the_writer_begin
        writing = threading.Thread(target=deposit)
        late.seconds += 10
        early.seconds += 10
        cursor = reader.chain().scan(cursor, AddressWatch()).cursor
        may_write.set()
        writing.join()
        scan = reader.chain().scan(cursor, AddressWatch())
    finally:
        may_write.set()
        writer.close()
        reader.close()
    assert scan.reorged_from is None
    assert [transfer.tx_hash for transfer in scan.incoming] == sent != []


def test_two_processes_that_send_at_once_use_each_nonce_once(opened: Opener) -> None:
    chains = [opened().chain() for _ in range(2)]
    to = wallet(chains[0])
    created = sign(chains[0], *(payout(chains[0], to, 1, f"fill {n % 10}") for n in range(20)))
    threads = [threading.Thread(target=chain.broadcast, args=(created,)) for chain in chains]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    simulation = opened()
    simulation.pass_time()
    statuses = simulation.chain().status([item.tx_id for item in created]).values()
    assert sum(isinstance(statuse, IncludedTx) and not statuse.reason for statuse in statuses) == 10
    assert simulation.chain().balances([to], dollars())[to] == 10


def test_a_scan_is_cut_between_blocks(simulation: Simulation) -> None:
    chain, to = simulation.chain(), wallet(simulation.chain())
    cursor = chain.scan(None, AddressWatch()).cursor
    for count in (3000, 1500, 900, 6000):
        simulation.sandbox.deposit(chain.id, to, dollars(), 1, count)
    counts = []
    while True:
        scan = chain.scan(cursor, AddressWatch())
        cursor = scan.cursor
        if not scan.incoming:
            break
        counts.append(len(scan.incoming))
    assert counts == [4500, 900, 6000]
    assert cursor.height == chain.heads().height


def test_time_without_transactions_makes_no_rows(simulation: Simulation) -> None:
    chain = simulation.chain()
    simulation.sandbox.deposit(chain.id, wallet(chain), dollars(), 1)
    simulation.pass_time(10**6)
    chain.scan(Cursor(1, chain.heads().block_hash), AddressWatch())
    with simulation.reading.connect() as db:
        assert db.scalar(select(func.count()).select_from(blocks)) == 1
        assert db.scalar(select(func.count()).select_from(transactions)) == 1


def test_several_transfers_of_one_deposit_are_told_apart(simulation: Simulation) -> None:
    chain, to = simulation.chain(), wallet(simulation.chain())
    sent = simulation.sandbox.deposit(chain.id, to, dollars(), 4, count=3)
    result = chain.transfers_to([to])
    assert [(item.tx_hash, item.index, item.amount) for item in result] == [
        (sent.tx_hash, index, 4) for index in range(3)
    ]
    assert {item.block_height for item in result} == {sent.block}
    assert simulation.sandbox.holdings(to) == [(chain.id, dollars(), 12)]


def test_a_transfer_of_nothing_is_seen(simulation: Simulation) -> None:
    chain, to = simulation.chain(), wallet(simulation.chain())
    simulation.sandbox.deposit(chain.id, to, dollars(), 0)
    assert [item.amount for item in chain.transfers_to([to])] == [0]


def test_a_changed_report_does_not_stand(simulation: Simulation) -> None:
    chain, to = simulation.chain(), wallet(simulation.chain())
    simulation.sandbox.deposit(chain.id, to, dollars(), 5)
    [seen] = chain.transfers_to([to])
    for name, value in {
        "amount": 6,
        "to": wallet(chain, "other"),
        "token": "another",
        "index": 1,
        "block_height": seen.block_height + 1,
        "block_hash": "0x",
        "tx_hash": "0x",
    }.items():
        changed = {field: getattr(seen, field) for field in seen.__slots__} | {name: value}
        assert chain.verify_inclusion([type(seen)(**changed)]) == [False], name
    assert chain.verify_inclusion([seen, seen]) == [True, True]


def test_transfers_to_crossways_own_accounts_are_no_deposits(simulation: Simulation) -> None:
    chain = simulation.chain()
    cursor = chain.scan(None, AddressWatch()).cursor
    simulation.sandbox.deposit(chain.id, chain.accounts.treasury, dollars(), 5)
    assert not chain.scan(cursor, AddressWatch()).incoming


def test_the_sandbox_refuses_nonsense_with_a_sentence(simulation: Simulation) -> None:
    to = wallet(simulation.chain())
    for chain, address, units, count in (
        ("NOWHERE", to, 1, 1),
        (BASE, "nobody", 1, 1),
        (BASE, to, -1, 1),
        (BASE, to, 1, 0),
        (BASE, to, 1, 10_001),
    ):
        with pytest.raises(InvalidInput):
            simulation.sandbox.deposit(chain, address, dollars(), units, count)


def test_a_busy_database_is_a_chain_without_an_answer(simulation: Simulation) -> None:
    chain = simulation.chain()
    with simulation.writing.begin() as db:
        db.execute(text("DROP TABLE sim_chains"))
    with pytest.raises(Unreachable):
        chain.heads()


@pytest.mark.parametrize("name", catalogue().chains)
def test_every_chain_begins_with_an_inventory_of_every_enabled_token_and_gas(
    simulation: Simulation, name: str
) -> None:
    chain: SimulatedChain = simulation.chain(name)
    for token in catalogue().by_chain[name]:
        balances = chain.balances([chain.accounts.relayer], token.address)[chain.accounts.relayer]
        assert (balances > 0) == token.enabled or token.address == chain._facts.native
    for signer in (chain.accounts.relayer, chain.accounts.bridger, chain.accounts.coordinator):
        assert chain.native_balance(signer) >= 1000 * chain.fee_units()


def test_an_intent_has_one_address_on_all_evm_chains_and_a_key_of_its_own(
    simulation: Simulation,
) -> None:
    terms = Terms(
        1,
        BASE,
        "SOLANA_MAINNET",
        "in",
        "out",
        10,
        9,
        "to",
        "back",
        "ACROSS",
        expires_at=simulation.clock.now(),
    )
    evm = [simulation.chain(c.id) for c in catalogue().chains.values() if c.kind == "evm"]
    keys = {chain.intent_hash(terms) for chain in evm}
    assert len(keys) == 1
    [key] = keys
    assert len(key) == 66
    assert len({chain.deposit_address(key) for chain in evm}) == 1
    solana = simulation.chain("SOLANA_MAINNET")
    address = solana.deposit_address(key)
    account = solana.deposit_token_account(address, "USDC")
    assert account is not None
    assert solana.canonical_address(account) == account != address
    assert evm[0].deposit_token_account(evm[0].deposit_address(key), "USDC") is None


@pytest.mark.parametrize(
    ("name", "length", "start"),
    [(BASE, 66, "0x"), ("STARKNET_MAINNET", 66, "0x"), ("TRON_MAINNET", 64, "")],
)
def test_transactions_are_named_in_the_familys_form(
    simulation: Simulation, name: str, length: int, start: str
) -> None:
    chain = simulation.chain(name)
    sent = simulation.sandbox.deposit(name, wallet(chain), dollars(name), 1)
    assert len(sent.tx_hash) == length
    assert sent.tx_hash.startswith(start)
    assert chain.heads().time.timestamp() + 1 > START
