"""An independent client of Solana sees in the tests' cluster what a real one would show it."""

import pytest
from solana.rpc.async_api import AsyncClient
from solana.rpc.commitment import Confirmed, Finalized
from solana.rpc.core import RPCException
from solana.rpc.models import TxOpts
from solders.instruction import Instruction
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.transaction import VersionedTransaction

from tests.chains.solana.node import NATIVE, RELAYER, RICH, Node, dollars, running
from tests.chains.solana.program import TOTAL, deal
from tests.event_loops import run_async


async def signed(client: AsyncClient, *instructions: Instruction) -> VersionedTransaction:
    newest = await client.get_latest_blockhash(Confirmed)
    payer = RELAYER.pubkey()
    message = MessageV0.try_compile(payer, list(instructions), [], newest.value.blockhash)
    return VersionedTransaction(message, [RELAYER])


def test_a_start_is_sent_and_seen_through_an_independent_client() -> None:
    async def job(node: Node) -> None:
        one = deal(node)
        node.pay(one.owner, TOTAL)
        async with AsyncClient(node.url) as client:
            account = Pubkey.from_string(one.ata(one.owner))
            held = await client.get_token_account_balance(account, Confirmed)
            assert held.value.amount == str(TOTAL)
            (paid,) = (await client.get_signatures_for_address(account, commitment=Confirmed)).value
            sent = (await client.send_transaction(await signed(client, one.start()))).value
            assert (await client.get_signature_statuses([sent])).value == [None]
            node.mine()
            (status,) = (await client.get_signature_statuses([sent])).value
            assert status is not None
            assert (status.err, status.slot) == (None, node.height)
            shown = await client.get_transaction(sent, "json", Confirmed, 0)
            assert shown.value is not None
            told = shown.value.transaction.meta
            assert told is not None
            assert told.log_messages is not None
            assert any(line.startswith("Program data: ") for line in told.log_messages)
            before = {
                str(one.owner): one.ui_token_amount.amount for one in told.pre_token_balances or ()
            }
            assert before[one.owner] == str(TOTAL)
            assert (await client.get_account_info(account, Confirmed)).value is None
            assert (await client.get_account_info(account, Finalized)).value is None
            assert paid.signature != sent

    with running() as node:
        run_async(job(node))


def test_a_failing_transaction_is_rejected_before_it_is_sent() -> None:
    async def job(node: Node) -> None:
        one = deal(node)
        async with AsyncClient(node.url) as client:
            with pytest.raises(RPCException, match="custom program error: 0x1b5f"):
                await client.send_transaction(await signed(client, one.start()))
            forced = TxOpts(skip_preflight=True)
            sent = (await client.send_transaction(await signed(client, one.start()), forced)).value
            node.mine()
            (status,) = (await client.get_signature_statuses([sent])).value
            assert status is not None
            assert "7007" in str(status.err)

    with running() as node:
        run_async(job(node))


def test_a_transaction_lands_while_its_blockhash_is_valid_or_never() -> None:
    async def job(node: Node) -> None:
        async with AsyncClient(node.url) as client:
            newest = (await client.get_latest_blockhash(Confirmed)).value
            (sending,) = node.payment(str(RELAYER.pubkey()), str(RICH.pubkey()), 5, NATIVE)
            old, older = [
                VersionedTransaction(
                    MessageV0.try_compile(RELAYER.pubkey(), [sending] * n, [], newest.blockhash),
                    [RELAYER],
                )
                for n in (1, 2)
            ]
            last = newest.last_valid_block_height
            node.mine(150)
            assert (await client.get_block_height(Confirmed)).value == last
            await client.send_transaction(old, TxOpts(skip_preflight=True))
            node.mine()
            await client.send_transaction(older, TxOpts(skip_preflight=True))
            node.mine()
            names = [one.signatures[0] for one in (old, older)]
            said = (await client.get_signature_statuses(names, True)).value
            assert [one is not None for one in said] == [True, False]
            assert not node.rpc("isBlockhashValid", str(newest.blockhash), {})["value"]

    with running() as node:
        run_async(job(node))


def test_a_fork_forgets_what_was_in_its_blocks() -> None:
    async def job(node: Node) -> None:
        who = node.wallet("bob")
        name = node.pay(who, 7)
        async with AsyncClient(node.url) as client:
            before = (await client.get_block(node.height, "json", 0)).value
            node.reorganise(1)
            after = (await client.get_block(node.height, "json", 0)).value
            assert before is not None
            assert after is not None
            assert before.blockhash != after.blockhash
            said = (await client.get_signature_statuses([Signature.from_string(name)])).value
            assert said == [None]
            assert node.balance(who, dollars(node.chain)) == 0
            node.mine()
            said = (await client.get_signature_statuses([Signature.from_string(name)])).value
            assert said[0] is not None

    with running() as node:
        run_async(job(node))
