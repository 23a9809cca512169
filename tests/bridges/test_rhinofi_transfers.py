"""Inventory that rhino.fi moves between two real EVM nodes: what is agreed to, and what is sent."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from crossway.domain.inventory_transfer import InventoryTransferKind, InventoryTransferState
from crossway.ports.inventory_bridge import (
    Agreed,
    AgreementExpired,
    Arrived,
    Declined,
    Pending,
    Unanswered,
)
from tests.bridges.rhinofi_chains import (
    AMOUNT,
    CONTRACTS,
    FEE,
    RhinofiWorld,
    address,
    configs,
    planned,
    put_rhinofi,
    rhinofi_world,
    world_without_nodes,
)
from tests.bridges.rhinofi_service import KEY, running_rhinofi
from tests.chains.anvil import RELAYER, STOCK, dollars
from tests.chains.live import ARBITRUM, BASE, two_chains

SOMEBODY = "0x000000000000000000000000000000000000c0dE"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[RhinofiWorld]:
    with two_chains() as chains, running_rhinofi(chains=configs()) as service:
        for one in chains.values():
            put_rhinofi(one)
        with rhinofi_world(tmp_path, chains, service) as opened:
            yield opened


@pytest.fixture
def talks(tmp_path: Path) -> Iterator[RhinofiWorld]:
    """Without nodes."""
    with (
        running_rhinofi(chains=configs()) as service,
        world_without_nodes(tmp_path, service) as opened,
    ):
        yield opened


def test_inventory_is_deposited_exactly_and_arrives_where_our_nodes_see_it(
    world: RhinofiWorld,
) -> None:
    source, to = (world.anvils[chain] for chain in (BASE, ARBITRUM))
    transfer = world.agreed()
    assert transfer.source_amount == AMOUNT + FEE
    assert world.track(transfer) == [Pending()]
    sent = world.send(transfer)
    assert source.balance(RELAYER) == STOCK - AMOUNT - FEE
    assert world.allowance(BASE) == 0
    receipt = source.rpc("eth_getTransactionReceipt", sent.source_tx)
    assert receipt["logs"][-1]["address"] == CONTRACTS[BASE].lower()
    assert int(receipt["logs"][-1]["data"][-64:], 16) == int(transfer.reference, 16)
    for state, words in (
        ("PENDING", "rhino.fi has not seen the deposit."),
        ("PENDING_CONFIRMATION", "rhino.fi waits for confirmations of the deposit."),
        ("ACCEPTED", "rhino.fi accepted the deposit and has not paid out."),
        ("SOMETHING\x07NEW", "rhino.fi says SOMETHING NEW."),
    ):
        world.tell(sent, state)
        assert world.track(sent) == [Pending(words)]
    paid = world.pay_out()
    world.tell(sent, "EXECUTED", payout_tx=paid)
    assert world.track(sent) == [Arrived(paid, to.height, paid_units=AMOUNT)]
    assert to.balance(RELAYER) == STOCK + AMOUNT
    assert world.inventory.balances() == {}


def test_what_is_stored_says_what_was_agreed_to(talks: RhinofiWorld) -> None:
    transfer = planned(1)
    assert talks.inventory.commit(transfer, datetime.now(UTC)) == b""
    answer = talks.ask(transfer)
    assert isinstance(answer, Agreed)
    # The service's 15, and two transactions of ours on Base, each two blocks of two seconds.
    assert answer.usual_seconds == 15 + 2 * 4
    stored = json.loads(answer.agreement)
    quote = talks.service.bridged[answer.reference]
    assert quote.committed
    # Twenty seconds before the service's own time.
    expires_at = datetime.fromisoformat(quote.quote["expiresAt"])
    assert answer.expires_at == expires_at - timedelta(seconds=20)
    assert stored == {
        "quoteId": answer.reference,
        "contract": CONTRACTS[BASE],
        "payUnits": str(AMOUNT + FEE),
        "receiveUnits": str(AMOUNT),
        "depositor": RELAYER,
        "recipient": RELAYER,
        "expiresAt": answer.expires_at.isoformat(),
    }


@pytest.mark.parametrize(
    ("lie", "words"),
    [
        ({"recipient": SOMEBODY}, "a recipient that it was not asked for"),
        ({"depositor": SOMEBODY}, "a depositor that it was not asked for"),
        ({"receiveAmount": "24.999999"}, "an amount that it was not asked for"),
        ({"receiveAmount": "25.0000001"}, "an amount that it was not asked for"),
        ({"chainOut": "SOLANA"}, "chains that it was not asked for"),
        ({"token": "USDT"}, "tokens that it was not asked for"),
        ({"payAmount": "36"}, "asks for 11 USDC, which is more than we pay."),
        ({"payAmount": "0"}, "asks for nothing"),
        ({"payAmount": "1e999999999"}, "payAmount is no amount"),
        ({"expiresAt": "2026-01-01T00:00:00Z"}, "expires at once."),
        ({"expiresAt": "2099-01-01T00:00:00"}, "expiresAt has no time zone"),
        ({"quoteId": "../../authentication"}, "quoteId is no hexadecimal number"),
        ({"_tag": "depositAddressBridge"}, "it is no quote of a bridge"),
        (
            {"_tag": "bridgeSwap", "tokenIn": "USDC", "tokenOut": "USDT", "minReceiveAmount": "25"},
            "tokens that it was not asked for",
        ),
    ],
)
def test_a_quote_of_something_else_is_not_committed_to(
    lie: dict[str, str], words: str, talks: RhinofiWorld
) -> None:
    talks.service.lie = lie
    answer = talks.ask(planned(1))
    assert isinstance(answer, Unanswered)
    assert words in answer.reason
    assert not any(bridged.committed for bridged in talks.service.bridged.values())


def test_a_contract_that_we_do_not_know_is_never_paid(talks: RhinofiWorld) -> None:
    before = talks.agreed()
    talks.service.chains["ARBITRUM"]["contractAddress"] = SOMEBODY
    # What was read is used for a minute.
    assert isinstance(talks.ask(planned(2)), Agreed)
    calls = talks.inventory.invocations(replace(before, agreement=b'{"contract":"0xbad"}'))
    assert [call.to for call in calls] == [dollars(BASE), CONTRACTS[BASE]]
    assert CONTRACTS[BASE].lower()[2:] in calls[0].data.hex()


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("contractAddress", SOMEBODY, "names another contract on Base than we know."),
        ("status", "disabled", "rhino.fi does not serve Base now."),
        ("networkId", "1", "rhino.fi does not serve Base now."),
        ("tokens", {}, "rhino.fi does not carry USDC of Base now."),
        (
            "tokens",
            {"USDC": {"address": SOMEBODY, "decimals": 6}},
            "rhino.fi does not carry USDC of Base now.",
        ),
        (
            "tokens",
            {"USDC": {"address": dollars(BASE), "decimals": 18}},
            "rhino.fi counts USDC of Base in other units.",
        ),
    ],
)
def test_chains_that_are_not_as_we_know_them_are_not_used(
    field: str, value: object, words: str, talks: RhinofiWorld
) -> None:
    talks.service.chains["BASE"][field] = value
    answer = talks.ask(planned(1))
    assert isinstance(answer, Unanswered)
    assert answer.reason.endswith(words)
    assert talks.service.bridged == {}


def test_a_refusal_is_passed_on_in_its_words_without_our_secrets(talks: RhinofiWorld) -> None:
    talks.service.refusal = 422, {"_tag": "LimitExceeded", "message": "above your\nlimit"}
    words = "rhino.fi refused: LimitExceeded: above your limit."
    assert talks.ask(planned(1)) == Unanswered(words)
    talks.service.refusal = 400, {"_tag": "Bad", "message": f"you are {KEY}"}
    assert talks.ask(planned(1)) == Unanswered("rhino.fi refused without a reason.")
    talks.service.refusal = 400, {"message": f"your token is {talks.service.tokens[-1]}"}
    assert talks.ask(planned(1)) == Unanswered("rhino.fi refused without a reason.")


def test_what_is_refused_for_want_of_liquidity_is_asked_for_again(talks: RhinofiWorld) -> None:
    talks.service.refusal = 422, {"_tag": "WithdrawLimitReached", "maxWithdrawAmount": "24"}
    assert talks.ask(planned(1)) == Unanswered("rhino.fi refused: WithdrawLimitReached.")
    talks.service.refusal = None
    assert isinstance(talks.ask(planned(1)), Agreed)


def test_dollars_of_one_kind_become_dollars_of_another(talks: RhinofiWorld) -> None:
    usdt = address(BASE, "USDT")
    transfer = talks.agreed(source_token=usdt)
    assert transfer.source_amount == AMOUNT + FEE
    approval, deposit = talks.inventory.invocations(transfer)
    assert (approval.to, deposit.to) == (usdt, CONTRACTS[BASE])
    assert usdt.lower()[2:] in deposit.data.hex()
    (body,) = [body for _, path, body in talks.service.requests if path.endswith("/user")]
    assert (body["tokenIn"], body["tokenOut"], body["mode"]) == ("USDT", "USDC", "receive")
    assert body["refundAddress"] == body["depositor"] == RELAYER


@pytest.mark.parametrize(
    ("lie", "words"),
    [
        ({"tokenIn": "USDC"}, "tokens that it was not asked for."),
        ({"tokenOut": "USDT"}, "tokens that it was not asked for."),
        ({"_tag": "bridge", "token": "USDT"}, "tokens that it was not asked for."),
        ({"_tag": "bridge", "token": "USDC"}, "tokens that it was not asked for."),
        ({"minReceiveAmount": "24.999999"}, "does not promise the amount that was asked for."),
        ({"minReceiveAmount": None}, "minReceiveAmount is no amount."),
        ({"receiveAmount": "26"}, "an amount that it was not asked for."),
    ],
)
def test_an_exchange_into_something_else_is_not_committed_to(
    lie: dict[str, object], words: str, talks: RhinofiWorld
) -> None:
    talks.service.lie = lie
    answer = talks.ask(planned(1, source_token=address(BASE, "USDT")))
    assert isinstance(answer, Unanswered)
    assert answer.reason.endswith(words)
    assert not any(bridged.committed for bridged in talks.service.bridged.values())


def test_more_than_we_pay_for_an_exchange_is_not_paid(talks: RhinofiWorld) -> None:
    talks.service.rate = Decimal("1.5")
    answer = talks.ask(planned(1, source_token=address(BASE, "USDT")))
    assert isinstance(answer, Unanswered)
    assert "asks for 12.55 USDT, which is more than we pay." in answer.reason


def test_a_quote_that_lapsed_before_it_was_committed_is_asked_for_anew(
    talks: RhinofiWorld,
) -> None:
    talks.service.commit_refusal = 404, {"_tag": "QuoteExpired"}
    assert talks.ask(planned(1)) == Unanswered("rhino.fi refused: QuoteExpired.")
    talks.service.commit_refusal = None
    answer = talks.ask(planned(1))
    assert isinstance(answer, Agreed)
    first, second = talks.service.bridged
    assert (answer.reference, first != second) == (second, True)


def test_a_silent_service_concludes_nothing(world: RhinofiWorld) -> None:
    sent = world.sent_one()
    world.service.silent = True
    assert isinstance(world.ask(planned(2)), Unanswered)
    assert all(isinstance(status, Unanswered) for status in world.track(sent, sent))


def test_an_agreement_expires_while_nothing_is_signed_and_never_afterwards(
    world: RhinofiWorld,
) -> None:
    agreed = world.agreed()
    world.pass_time(400)
    assert world.track(agreed) == [AgreementExpired()]
    # What is signed can be in a block at any time: the contract would take it.
    signed = replace(agreed, state=InventoryTransferState.SENDING)
    assert world.track(signed) == [Pending("rhino.fi has not seen the deposit.")]
    again = world.agreed(attempt=2)
    assert again.reference != agreed.reference


def test_a_later_attempt_first_takes_back_what_an_earlier_one_allowed(
    world: RhinofiWorld,
) -> None:
    first = world.agreed()
    one = world.anvils[BASE]
    approval = world.inventory.invocations(first)[0]
    one.transact(approval.to, approval.data, key="0x" + one.key.hex())
    one.mine()
    assert world.allowance(BASE) == first.source_amount
    world.service.gas += 1
    second = world.agreed(attempt=2)
    assert len(world.inventory.invocations(second)) == 3
    world.send(second)
    assert world.allowance(BASE) == 0
    assert one.balance(RELAYER) == STOCK - second.source_amount


def test_what_is_no_transfer_of_a_token_that_it_carries_is_declined(talks: RhinofiWorld) -> None:
    coin = "0x" + "0" * 40
    for transfer in (
        planned(1, kind=InventoryTransferKind.DEPOSIT),
        planned(1, to="HYPEREVM_MAINNET"),
        planned(1, source="MONAD_MAINNET"),
        planned(1, source_token=coin, destination_token=coin),
        planned(1, source_token=SOMEBODY),
        planned(1, source_token=address(BASE, "EURC")),
    ):
        assert isinstance(talks.ask(transfer), Declined)
    assert talks.service.requests == []
