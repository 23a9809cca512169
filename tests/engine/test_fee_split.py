"""How a payment's fees are divided: the operator's and the client's to the treasury, the bridge's
left in escrow. Every figure is worked out by hand."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.domain.costs import Costs
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.engine.tx_builder import build_ledger_legs, build_outbound_call
from crossway.ports.chain import TokenTransfer
from tests.harness import Harness

BASE, OPTIMISM = "BASE_MAINNET", "OPTIMISM_MAINNET"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    built = Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=[BASE, OPTIMISM])
    yield built
    built.store.close()


def reimbursement_of(intent: Intent, relayer: str) -> OutboundTx:
    """The transaction that repays the relayer for an intent."""
    terms, at = intent.terms, intent.created_at
    return OutboundTx(
        id=1,
        intent_id=intent.id,
        kind=OutboundTxKind.REIMBURSE,
        cause="reimburse",
        chain=terms.source_chain,
        token=terms.token_in,
        amount=terms.deposit_amount,
        to_address=relayer,
        state=OutboundTxState.DUE,
        attempt_count=0,
        reason="",
        next_at=at,
        tx_id=None,
        block_height=None,
        created_at=at,
        updated_at=at,
    )


@pytest.mark.parametrize(
    ("service", "bridge", "fees_units", "operator", "escrow"),
    [
        # 100 units for 1 + 2 micro-USD: a third of 100 is 33 1/3.
        (1, 2, 100, 33, 67),
        # Two thirds of 100 are 66 2/3.
        (2, 1, 100, 66, 34),
        # 10 000 of 34 567 micro-USD, in units worth slightly less than a micro-USD each:
        # 34 571 x 10 000 / 34 567 = 10 001.157...
        (10_000, 24_567, 34_571, 10_001, 24_570),
        # Without a bridge fee everything is the operator's.
        (10_000, 0, 10_003, 10_003, 0),
        # Without any fee there is nothing to divide.
        (0, 0, 0, 0, 0),
    ],
)
@pytest.mark.parametrize("is_one_account", [False, True])
def test_the_operator_gets_its_share_rounded_down_and_escrow_keeps_the_rest(
    world: Harness,
    service: int,
    bridge: int,
    fees_units: int,
    operator: int,
    escrow: int,
    is_one_account: bool,
) -> None:
    created = world.create_intent(BASE, OPTIMISM)
    deposit, app_fee = 26_000_000, 7
    intent = replace(
        created,
        terms=replace(created.terms, deposit_amount=deposit),
        costs=Costs(25_000_000, service, bridge, 7, fees_units, app_fee),
    )
    accounts = world.services.chains[BASE].accounts
    if is_one_account:
        accounts = replace(accounts, treasury=accounts.relayer)
    tx = reimbursement_of(intent, accounts.relayer)
    relayer = deposit - fees_units - app_fee
    outputs = build_outbound_call(tx, intent, accounts).outputs
    assert [(o.source, o.to, o.amount) for o in outputs] == [
        (intent.bridger, accounts.relayer, relayer),
        (intent.bridger, accounts.treasury, operator + app_fee),
    ]
    legs = [
        leg
        for output in outputs
        for leg in build_ledger_legs(
            tx,
            intent,
            accounts,
            TokenTransfer(output.source, output.to, tx.token, output.amount or 0),
        )
    ]
    assert legs == [
        (Account.INVENTORY, Account.ESCROW, relayer),
        (Account.SPREAD, Account.ESCROW, escrow),
        (Account.SERVICE_FEES, Account.ESCROW, operator),
        (Account.APP_FEES, Account.ESCROW, app_fee),
    ]
    assert sum(amount for _, _, amount in legs) == deposit


def test_the_books_and_the_chain_show_each_ones_share_of_a_payment(world: Harness) -> None:
    shop = replace(world.caller.client, app_fee_bps=100)
    world.caller = replace(world.caller, client=shop)
    treasury = world.services.chains[BASE].accounts.treasury
    intent = world.create_intent(BASE, OPTIMISM)
    token = intent.terms.token_in
    before = world.services.chains[BASE].balances([treasury], token)[treasury]
    bridge = intent.costs.bridge_micro_usd
    # 25 USDC, a cent for the operator, 1 % for the shop, and the bridge's quote.
    assert intent.terms.deposit_amount == 25_000_000 + 10_000 + 250_000 + bridge
    assert bridge > 0
    world.deposit(intent)
    world.wait_for_state(intent, State.COMPLETED)
    world.pass_time(40)
    assert world.reload(intent).relayer_claimed
    with world.store.read() as unit:
        booked = [p for _, p in unit.ledger.list_by_intent(intent.id) if p.chain == BASE]
    amounts = {(p.debit, p.credit): p.amount for p in booked if p.token == token}
    assert amounts == {
        (Account.HELD, Account.PAYER): 25_260_000 + bridge,
        (Account.ESCROW, Account.HELD): 25_260_000 + bridge,
        (Account.INVENTORY, Account.ESCROW): 25_000_000,
        (Account.SPREAD, Account.ESCROW): bridge,
        (Account.SERVICE_FEES, Account.ESCROW): 10_000,
        (Account.APP_FEES, Account.ESCROW): 250_000,
    }
    after = world.services.chains[BASE].balances([treasury], token)[treasury]
    assert after - before == 260_000
