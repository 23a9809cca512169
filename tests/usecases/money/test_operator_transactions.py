"""What an operator's transaction moved between our accounts and others, by hand."""

from datetime import UTC, datetime

from crossway.domain.ledger import Account as A
from crossway.ports.chain import IncludedTx, TokenTransfer
from crossway.ports.chain_addresses import ChainAddresses
from crossway.usecases.money.operator_transactions import postings_of

RELAYER, ESCROW, TREASURY, COORDINATOR = "relayer", "escrow", "treasury", "coordinator"
BRIDGE, WALLET, SOMEBODY = "cctp", "wallet", "somebody"
OURS = ChainAddresses(RELAYER, ESCROW, COORDINATOR, TREASURY, collectors={"CCTP": BRIDGE})
Leg = tuple[str, str, A, A, int]


def booked(sender: str, *moves: tuple[str, str, int]) -> list[Leg]:
    """Chain, token, debit, credit and amount of each posting of a transaction that costs 7."""
    transfers = tuple(TokenTransfer(source, to, "usd", units) for source, to, units in moves)
    now = datetime(2026, 11, 27, tzinfo=UTC)
    included = IncludedTx(1, "block", now, transfers, 7, "")
    unified = {WALLET: "gateway:mainnet"}
    postings = postings_of(OURS, ("HOME", "eth"), sender, "tx", included, unified)
    assert {(one.intent_id, one.tx) for one in postings} == {(0, "tx")}
    return [(p.chain, p.token, p.debit, p.credit, p.amount) for p in postings]


FEE = ("HOME", "eth", A.NETWORK_FEES, A.INVENTORY, 7)


def test_a_transaction_that_moves_nothing_costs_its_fee() -> None:
    assert booked(RELAYER) == [FEE]


def test_a_fee_that_another_account_paid_is_contributed() -> None:
    assert booked(SOMEBODY) == [("HOME", "eth", A.NETWORK_FEES, A.EQUITY, 7)]


def test_what_is_withdrawn_goes_where_it_went() -> None:
    assert booked(RELAYER, (ESCROW, TREASURY, 5), (BRIDGE, SOMEBODY, 3), (ESCROW, RELAYER, 2)) == [
        FEE,
        ("HOME", "usd", A.TREASURY, A.SPREAD, 5),
        ("HOME", "usd", A.EQUITY, A.OWED, 3),
        ("HOME", "usd", A.INVENTORY, A.SPREAD, 2),
    ]


def test_the_unified_balance_gains_what_is_deposited_and_loses_what_is_taken_out() -> None:
    assert booked(RELAYER, (RELAYER, WALLET, 50)) == [
        FEE,
        ("gateway:mainnet", "USDC", A.INVENTORY, A.CROSSED, 50),
        ("HOME", "usd", A.CROSSED, A.INVENTORY, 50),
    ]
    assert booked(RELAYER, (WALLET, RELAYER, 20)) == [
        FEE,
        ("gateway:mainnet", "USDC", A.CROSSED, A.INVENTORY, 20),
        ("HOME", "usd", A.INVENTORY, A.CROSSED, 20),
    ]


def test_what_moves_between_others_is_not_ours() -> None:
    assert booked(RELAYER, (SOMEBODY, "elsewhere", 9)) == [FEE]
