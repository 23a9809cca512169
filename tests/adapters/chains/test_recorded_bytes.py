"""Calls of our contracts, byte for byte what they were when this was recorded.

Money lies at deposit addresses, and transactions are signed and not sent yet: they must not change.
The digests are those of the bytes that our own encoding gave before libraries took its place.
"""

from datetime import UTC, datetime
from hashlib import sha256

import pytest

from crossway.adapters.chains.addresses import address_from_digest
from crossway.adapters.chains.evm.calldata import encode_call
from crossway.adapters.chains.evm.contracts import Deployment, build_deployment
from crossway.adapters.chains.intent_hash import hash_terms
from crossway.adapters.chains.solana.instructions import InstructionContext, build_instructions
from crossway.adapters.chains.solana.pdas import MintRegistry, ProgramAddresses
from crossway.adapters.chains.starknet.calldata import encode_calls
from crossway.adapters.chains.starknet.contracts import Deployment as StarknetDeployment
from crossway.adapters.chains.tron.address_format import to_base58
from crossway.catalogue import load_catalogue
from crossway.domain.catalogue import ChainKind
from crossway.domain.intent import Terms
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.outbound_call import OutboundCall, Output

CATALOGUE = load_catalogue()
CHAINS: dict[ChainKind, tuple[str, str]] = {
    "evm": ("BASE_MAINNET", "USDC"),
    "tron": ("TRON_MAINNET", "USDT"),
    "starknet": ("STARKNET_MAINNET", "USDC"),
    "solana": ("SOLANA_MAINNET", "USDC"),
}
ACTIONS = ("start", "refund", "redirect", "settle", "fill")
# Of each family, in the order of ACTIONS.
RECORDED: dict[ChainKind, tuple[str, ...]] = {
    "evm": (
        "9f4eae00564f77fad9b77711aff998c7",
        "4892d02138ff91300f9881bf58b0d93d",
        "0da11392ebe9a37d6aa74d92523e7368",
        "c672a7869f19d4168407921d737c82b2",
        "5ed57d372679cf46ff604242041149e3",
    ),
    "tron": (
        "be340d80eccc46433c8beb73c7206fb9",
        "64bb3bb1cced141449ed52836993eb04",
        "ca0f40eb2c48b2111058f1a8e40ef179",
        "cd34aafb778dcf3d344a11acedf23e27",
        "b3ca92c093a2cec507c68b498620c826",
    ),
    "starknet": (
        "d8b96586dc6113a8b59cc91d28a5ab3c",
        "e7a897fa0e8bd63abdec01bacd2a848c",
        "fb645245498c268cc78dbe8c5804003e",
        "f17d6547bf9b324939ca17a68d65a3ee",
        "b9cb5ee53ae0845f9b4f008b47432d89",
    ),
    "solana": (
        "6c5d20a6c22e2fa15dfcc39e39026167",
        "831251e42585b0dfb23b5e3916aab450",
        "518791338407120902212bd564384e41",
        "d2549b89255f31c2829f89013a2d7b76",
        "30fc0d26dba0c0d7bfe717cbde9e1b23",
    ),
}


def account(kind: ChainKind, name: str) -> str:
    return address_from_digest(kind, sha256(name.encode()).digest())


def evm_deployment(kind: ChainKind) -> Deployment:
    factory, escrow, filler = (account("evm", name) for name in ("factory", "escrow", "filler"))
    return build_deployment(factory, escrow, filler, 0x41 if kind == "tron" else 0xFF, kind)


def starknet_deployment() -> StarknetDeployment:
    names = ("factory", "escrow", "filler", "class")
    return StarknetDeployment(*(account("starknet", name) for name in names))


PROGRAM = ProgramAddresses(account("solana", "program"))


def deposit_address(kind: ChainKind, key: bytes) -> str:
    match kind:
        case "starknet":
            return starknet_deployment().deposit_address(key)
        case "solana":
            return PROGRAM.deposit_owner(key)
        case "tron":
            return to_base58(evm_deployment(kind).deposit_address(key))
        case _:
            return evm_deployment(kind).deposit_address(key)


def encoded(kind: ChainKind, action: OutboundCall) -> str:
    """Everything that is signed of an action, apart from the fields of a transaction."""
    match kind:
        case "starknet":
            calls = encode_calls(CATALOGUE, starknet_deployment(), action)
            return str([(call.to, call.entry, call.data) for call in calls])
        case "solana":
            context = InstructionContext(CATALOGUE, PROGRAM, MintRegistry(frozenset()), False)
            instructions = build_instructions(context, action, 2**40 + 7, True)
            accounts = [
                [(str(meta.pubkey), meta.is_signer, meta.is_writable) for meta in each.accounts]
                for each in instructions
            ]
            return str([(str(i.program_id), i.data.hex()) for i in instructions]) + str(accounts)
        case _:
            call = encode_call(CATALOGUE, evm_deployment(kind), action)
            return f"{call.to} {call.data.hex()} {call.value}"


def actions(kind: ChainKind) -> dict[str, OutboundCall]:
    """One action of each kind, to and from accounts that are derived from their names."""
    chain, symbol = CHAINS[kind]
    token = CATALOGUE.tokens[chain, symbol].address
    bridger = starknet_deployment().escrow if kind == "starknet" else account(kind, "bridger")
    coordinator, relayer = account(kind, "coordinator"), account(kind, "relayer")
    recipient, payer = account(kind, "recipient"), account(kind, "payer")
    terms = Terms(
        nonce=2**62 + 9,
        source_chain=chain,
        destination_chain=chain,
        token_in=token,
        token_out=token,
        deposit_amount=25_000_000,
        payout_amount=24_900_000,
        recipient=recipient,
        refund_address=payer,
        bridge="",
        expires_at=datetime(2027, 1, 1, tzinfo=UTC),
    )
    key = hash_terms(CATALOGUE, terms, bridger, coordinator).intent_hash
    deposit = deposit_address(kind, key)

    def act(of: OutboundTxKind, *outputs: Output) -> OutboundCall:
        return OutboundCall(
            of, chain, relayer, "0x" + key.hex(), outputs, None, None, terms, bridger, coordinator
        )

    return {
        "start": act(OutboundTxKind.START, Output(deposit, bridger, token, 25_000_000)),
        "refund": act(OutboundTxKind.REFUND, Output(deposit, payer, token, None)),
        "redirect": act(OutboundTxKind.REFUND, Output(deposit, relayer, token, None)),
        "settle": act(
            OutboundTxKind.REIMBURSE,
            Output(bridger, relayer, token, 24_950_000),
            Output(bridger, payer, token, 0),
            Output(bridger, account(kind, "treasury"), token, 2**40),
        ),
        "fill": act(OutboundTxKind.FILL, Output(relayer, recipient, token, 24_900_000)),
    }


@pytest.mark.parametrize("kind", CHAINS)
def test_calls_are_byte_for_byte_what_they_were(kind: ChainKind) -> None:
    found = {name: encoded(kind, action) for name, action in actions(kind).items()}
    digests = tuple(sha256(found[name].encode()).hexdigest()[:32] for name in ACTIONS)
    assert digests == RECORDED[kind]
