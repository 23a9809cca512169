"""Deployment of the program to a cluster: its code in chunks, then the program."""

import time
from functools import partial

from solders.instruction import Instruction
from solders.pubkey import Pubkey
from solders.system_program import CreateAccountParams, TransferParams, create_account, transfer

from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.rpc.operator_txs import OnSent, OperatorTx, OperatorTxResult, TxPlan
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.solana import on_chain_program
from crossway.adapters.chains.solana.accounts import fetch_accounts
from crossway.adapters.chains.solana.chain import SolanaChain
from crossway.adapters.chains.solana.factory import PROGRAM_PURPOSE
from crossway.adapters.chains.solana.instructions import (
    READ,
    SIGN,
    SIGN_WRITE,
    WRITE,
    AccountRole,
    instruction,
)
from crossway.adapters.chains.solana.operator_txs import (
    OperatorContext,
    await_confirmation,
    plan,
    send_and_confirm,
    sign_tx,
)
from crossway.adapters.chains.solana.pdas import SYSTEM
from crossway.adapters.chains.solana.rpc_schemas import parse_int
from crossway.adapters.chains.solana.signers import SolanaSigner
from crossway.adapters.chains.solana.transactions import LAMPORTS_PER_SIGNATURE
from crossway.domain.errors import Unreachable

VAULT_LAMPORTS = 890_880
_BUFFER_PURPOSE = b"crossway code\0"
_CHUNK_BYTES = 900
_RENT = "SysvarRent111111111111111111111111111111111"
_CLOCK = "SysvarC1ock11111111111111111111111111111111"
_INITIALIZE, _WRITE, _DEPLOY, _SET_AUTHORITY = (n.to_bytes(4, "little") for n in (0, 1, 2, 4))
_TIMEOUT_SECONDS = 300.0
_TRANSACTIONS_AT_ONCE = 20


def _program(site: OperatorContext) -> SolanaSigner:
    return site.account(PROGRAM_PURPOSE)


def _buffer_keypair(site: OperatorContext) -> SolanaSigner:
    return site.account(_BUFFER_PURPOSE)


def deployment_plan(chain: SolanaChain, payer: SolanaSigner) -> TxPlan:
    """The missing deployment steps. Raises `Unreachable`, or `ValueError` if the program cannot be
    deployed there."""
    site = OperatorContext(chain, payer)

    def work(session: RpcSession) -> list[OperatorTx]:
        context = chain.context
        program = on_chain_program.fetch_program(context, session)
        errands: list[OperatorTx] = []
        if program.trouble == "not deployed":
            errands += _program_steps(site, session)
        elif program.trouble:
            raise ValueError(f"{chain.id}: {program.trouble}")
        vault = fetch_accounts(context, session, [context.accounts.bridger])[0]
        if (buffer := vault.lamports if vault else 0) < VAULT_LAMPORTS:
            errands.append(_vault_step(site, VAULT_LAMPORTS - buffer))
        return errands

    return plan(site, work)


def _program_steps(site: OperatorContext, session: RpcSession) -> list[OperatorTx]:
    chain, built = site.chain, on_chain_program.built_code()
    if _program(site).address != chain.context.program.id:
        raise ValueError(
            f"chains.{chain.id}.program: nothing lies at {chain.context.program.id}, and the "
            f"relayer's key can put a program only at {_program(site).address}: leave it out"
        )
    head_sizes = (on_chain_program.BUFFER_HEAD, on_chain_program.HEAD)
    sizes = [*(size + len(built) for size in head_sizes), on_chain_program.PROGRAM_SIZE]
    requests = [RpcRequest("getMinimumBalanceForRentExemption", (size,)) for size in sizes]
    buffer_rent, code_rent, program_rent = (
        parse_int(rent, "rent") for rent in session.call(*requests)
    )
    content = _buffer_content(site, session)
    chunks = _missing_chunks(content or bytes(len(built)))
    fee = LAMPORTS_PER_SIGNATURE + site.price() * chain.context.params.units // 1_000_000 + 1
    steps = []
    if content is None:
        title = "a buffer account for the code, whose rent is used for the program"
        create = partial(_make_buffer, site, buffer_rent)
        steps.append(OperatorTx(title, 2, buffer_rent + 3 * fee, create))
    if chunks:
        title = f"{len(built):,} bytes of code in {len(chunks)} transactions"
        write = partial(_write_chunks, site)
        steps.append(OperatorTx(title, 2 * len(chunks), 2 * fee * len(chunks), write))
    # Deploying returns the rent of the buffer account.
    rent = max(code_rent - buffer_rent, 0) + program_rent
    title = f"the program at {_program(site).address}, which {site.owner.address} can upgrade"
    deploy = partial(_deploy, site, program_rent)
    steps.append(OperatorTx(title, 3, rent + 3 * fee, deploy))
    return steps


def _buffer_content(site: OperatorContext, session: RpcSession) -> bytes | None:
    size = on_chain_program.BUFFER_HEAD + len(on_chain_program.built_code())
    account = fetch_accounts(site.chain.context, session, [_buffer_keypair(site).address], 0, size)[
        0
    ]
    return on_chain_program.buffer_content(account, site.owner.address)


def _missing_chunks(buffer: bytes) -> list[tuple[int, bytes]]:
    built = on_chain_program.built_code()
    parts = ((at, built[at : at + _CHUNK_BYTES]) for at in range(0, len(built), _CHUNK_BYTES))
    return [(at, part) for at, part in parts if buffer[at : at + len(part)] != part]


def _make_buffer(site: OperatorContext, rent: int, sent: OnSent) -> OperatorTxResult:
    address, size = (
        _buffer_keypair(site).address,
        on_chain_program.BUFFER_HEAD + len(on_chain_program.built_code()),
    )
    made = _create_account(site.payer.address, address, rent, size)
    begun = instruction(
        on_chain_program.LOADER, _INITIALIZE, [(address, WRITE), (site.owner.address, READ)]
    )
    return sign_tx(site, [made, begun], site.signers(_buffer_keypair(site)), sent)


def _create_account(payer: str, address: str, rent: int, size: int) -> Instruction:
    return create_account(
        CreateAccountParams(
            from_pubkey=Pubkey.from_string(payer),
            to_pubkey=Pubkey.from_string(address),
            lamports=rent,
            space=size,
            owner=Pubkey.from_string(on_chain_program.LOADER),
        )
    )


def _write_chunks(site: OperatorContext, sent: OnSent) -> OperatorTxResult:
    """Write the missing chunks, again after dropped transactions."""
    done, until = OperatorTxResult("", True, 0), time.monotonic() + _TIMEOUT_SECONDS
    nodes, size = site.chain.context.pool, len(on_chain_program.built_code())
    while pieces := _missing_chunks(nodes.first(partial(_buffer_content, site)) or bytes(size)):
        if time.monotonic() > until:
            raise Unreachable(
                f"{len(pieces)} chunks of the code are missing: run the command again"
            )
        some = [_write_instruction(site, at, part) for at, part in pieces[:_TRANSACTIONS_AT_ONCE]]
        each = [
            send_and_confirm(site, [chunk], site.signers(site.owner), lambda _: None)
            for chunk in some
        ]
        for chunk in await_confirmation(site, each):
            sent(chunk.tx_id)
            done = OperatorTxResult(chunk.tx_id, True, done.gas_used + chunk.gas_used)
    return done


def _write_instruction(site: OperatorContext, at: int, part: bytes) -> Instruction:
    data = _WRITE + at.to_bytes(4, "little") + len(part).to_bytes(8, "little") + part
    return instruction(
        on_chain_program.LOADER,
        data,
        [(_buffer_keypair(site).address, WRITE), (site.owner.address, SIGN)],
    )


def _deploy(site: OperatorContext, rent: int, sent: OnSent) -> OperatorTxResult:
    program, owner = _program(site), site.owner
    program_account = _create_account(
        site.payer.address, program.address, rent, on_chain_program.PROGRAM_SIZE
    )
    places: list[AccountRole] = [
        (site.payer.address, SIGN_WRITE),
        (on_chain_program.code_account(program.address), WRITE),
        (program.address, WRITE),
        (_buffer_keypair(site).address, WRITE),
        (_RENT, READ),
        (_CLOCK, READ),
        (SYSTEM, READ),
        (owner.address, SIGN),
    ]
    data = _DEPLOY + len(on_chain_program.built_code()).to_bytes(8, "little")
    instructions = [program_account, instruction(on_chain_program.LOADER, data, places)]
    return sign_tx(site, instructions, site.signers(program, owner), sent)


def _vault_step(site: OperatorContext, lamports: int) -> OperatorTx:
    chain = site.chain
    to = chain.context.accounts.bridger
    moved = transfer(
        TransferParams(
            from_pubkey=Pubkey.from_string(site.payer.address),
            to_pubkey=Pubkey.from_string(to),
            lamports=lamports,
        )
    )
    description = f"what the account that collects payments must hold at least, to {to}"
    return OperatorTx(
        description,
        1,
        lamports + 2 * LAMPORTS_PER_SIGNATURE,
        partial(sign_tx, site, [moved], site.signers()),
    )


def final_plan(chain: SolanaChain) -> TxPlan:
    """The step that drops the upgrade authority; none if it is dropped already. Raises `ValueError`
    if another account holds it."""
    site = OperatorContext(chain, chain.context.signer)

    def work(session: RpcSession) -> list[OperatorTx]:
        program = on_chain_program.fetch_program(chain.context, session)
        if program.trouble:
            raise ValueError(f"{chain.id}: {program.trouble}")
        if not program.authority:
            return []
        if program.authority != site.owner.address:
            raise ValueError(f"{chain.id}: only {program.authority} can make the program final")
        places: list[AccountRole] = [
            (on_chain_program.code_account(chain.context.program.id), WRITE),
            (site.owner.address, SIGN),
        ]
        instructions = [instruction(on_chain_program.LOADER, _SET_AUTHORITY, places)]
        description = "nobody may replace the program any more, for ever"
        send = partial(sign_tx, site, instructions, site.signers())
        return [OperatorTx(description, 1, 2 * LAMPORTS_PER_SIGNATURE, send)]

    return plan(site, work)
