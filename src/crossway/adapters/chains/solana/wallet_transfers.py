"""Transfers that a payer's wallet signs: built here, as wallets are handed whole transactions."""

from solders.hash import Hash
from solders.message import Message
from solders.pubkey import Pubkey
from solders.system_program import TransferParams, transfer
from solders.transaction import Transaction
from spl.token.instructions import transfer_checked
from spl.token.models import TransferCheckedParams

from crossway.adapters.chains.solana.instructions import create_token_account
from crossway.adapters.chains.solana.pdas import MintRegistry, is_native


def unsigned_transfer(
    mints: MintRegistry, sender: str, to: str, token: str, decimals: int, units: int, recent: str
) -> bytes:
    """A transaction that sends units of a token to the token account of an owner, which it creates
    where there is none. Wallets add what they pay for priority."""
    payer = Pubkey.from_string(sender)
    if is_native(token):
        moved = TransferParams(from_pubkey=payer, to_pubkey=Pubkey.from_string(to), lamports=units)
        instructions = [transfer(moved)]
    else:
        sending = TransferCheckedParams(
            program_id=Pubkey.from_string(mints.program_of(token)),
            source=Pubkey.from_string(mints.account_of(sender, token)),
            mint=Pubkey.from_string(token),
            dest=Pubkey.from_string(mints.account_of(to, token)),
            owner=payer,
            amount=units,
            decimals=decimals,
        )
        instructions = [create_token_account(mints, sender, to, token), transfer_checked(sending)]
    message = Message.new_with_blockhash(instructions, payer, Hash.from_string(recent))
    return bytes(Transaction.new_unsigned(message))
