"""Deployment of the program to a cluster: its code in chunks, then the program."""

import time
from functools import partial

from solders.instruction import Instruction
from solders.pubkey import Pubkey
from solders.system_program import CreateAccountParams, TransferParams, create_account, transfer
from solders.sysvar import RENT

from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.rpc.operator_txs import OnSent, OperatorTx, OperatorTxResult, TxPlan
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.solana import on_chain_program
from crossway.adapters.chains.solana.accounts import fetch_accounts
from crossway.adapters.chains.solana.chain import SolanaChain
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
    build_plan,
    send_tx,
    sign_tx,
)
from crossway.adapters.chains.solana.pdas import CLOCK, SYSTEM
from crossway.adapters.chains.solana.rpc_schemas import as_u64
from crossway.adapters.chains.solana.signers import PROGRAM_PURPOSE, SolanaSigner
from crossway.adapters.chains.solana.transactions import LAMPORTS_PER_SIGNATURE
from crossway.domain.errors import Unreachable
from crossway.ports.signing import MessageSigner

VAULT_LAMPORTS = 890_880
_BUFFER_PURPOSE = b"crossway code\0"
_CHUNK_BYTES = 900
_INITIALIZE, _WRITE, _DEPLOY, _SET_AUTHORITY = (n.to_bytes(4, "little") for n in (0, 1, 2, 4))
_TIMEOUT_SECONDS = 300.0
_TRANSACTIONS_AT_ONCE = 20


def _program(operator: OperatorContext) -> SolanaSigner:
    return operator.account(PROGRAM_PURPOSE)


def _buffer_keypair(operator: OperatorContext) -> SolanaSigner:
    return operator.account(_BUFFER_PURPOSE)


def plan_deployment(chain: SolanaChain, payer: MessageSigner) -> TxPlan:
    """The missing deployment steps. Raises `Unreachable`, or `ValueError` if the program cannot be
    deployed there."""
    operator = OperatorContext(chain, payer)

    def build(session: RpcSession) -> list[OperatorTx]:
        context = chain.context
        program = on_chain_program.fetch_program(context, session)
        transactions: list[OperatorTx] = []
        if program.problem == "not deployed":
            transactions += _program_steps(operator, session)
        elif program.problem:
            raise ValueError(f"{chain.id}: {program.problem}")
        vault = fetch_accounts(context, session, [context.accounts.bridger])[0]
        if (buffer := vault.lamports if vault else 0) < VAULT_LAMPORTS:
            transactions.append(_vault_step(operator, VAULT_LAMPORTS - buffer))
        return transactions

    return build_plan(operator, build)


def _program_steps(operator: OperatorContext, session: RpcSession) -> list[OperatorTx]:
    chain, built = operator.chain, on_chain_program.built_code()
    if _program(operator).address != chain.context.program.id:
        raise ValueError(
            f"chains.{chain.id}.program: nothing lies at {chain.context.program.id}, and the "
            f"relayer's key can put a program only at {_program(operator).address}: leave it out"
        )
    head_sizes = (on_chain_program.BUFFER_HEAD, on_chain_program.HEAD)
    sizes = [*(size + len(built) for size in head_sizes), on_chain_program.PROGRAM_SIZE]
    requests = [RpcRequest("getMinimumBalanceForRentExemption", (size,)) for size in sizes]
    buffer_rent, code_rent, program_rent = (
        as_u64(rent, "rent") for rent in session.call(*requests)
    )
    content = _buffer_content(operator, session)
    chunks = _missing_chunks(content or bytes(len(built)))
    fee = LAMPORTS_PER_SIGNATURE + operator.price() * chain.context.params.units // 1_000_000 + 1
    steps = []
    if content is None:
        title = "a buffer account for the code, whose rent is used for the program"
        create = partial(_make_buffer, operator, buffer_rent)
        steps.append(OperatorTx(title, 2, buffer_rent + 3 * fee, create))
    if chunks:
        title = f"{len(built):,} bytes of code in {len(chunks)} transactions"
        write = partial(_write_chunks, operator)
        steps.append(OperatorTx(title, 2 * len(chunks), 2 * fee * len(chunks), write))
    # Deploying returns the rent of the buffer account.
    rent = max(code_rent - buffer_rent, 0) + program_rent
    title = (
        f"the program at {_program(operator).address}, which {operator.owner.address} can upgrade"
    )
    deploy = partial(_deploy, operator, program_rent)
    steps.append(OperatorTx(title, 3, rent + 3 * fee, deploy))
    return steps


def _buffer_content(operator: OperatorContext, session: RpcSession) -> bytes | None:
    size = on_chain_program.BUFFER_HEAD + len(on_chain_program.built_code())
    account = fetch_accounts(
        operator.chain.context, session, [_buffer_keypair(operator).address], 0, size
    )[0]
    return on_chain_program.buffer_content(account, operator.owner.address)


def _missing_chunks(buffer: bytes) -> list[tuple[int, bytes]]:
    built = on_chain_program.built_code()
    parts = ((at, built[at : at + _CHUNK_BYTES]) for at in range(0, len(built), _CHUNK_BYTES))
    return [(at, part) for at, part in parts if buffer[at : at + len(part)] != part]


def _make_buffer(operator: OperatorContext, rent: int, on_sent: OnSent) -> OperatorTxResult:
    address, size = (
        _buffer_keypair(operator).address,
        on_chain_program.BUFFER_HEAD + len(on_chain_program.built_code()),
    )
    made = _create_account(operator.payer.address, address, rent, size)
    begun = instruction(
        on_chain_program.LOADER, _INITIALIZE, [(address, WRITE), (operator.owner.address, READ)]
    )
    return sign_tx(operator, [made, begun], operator.signers(_buffer_keypair(operator)), on_sent)


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


def _write_chunks(operator: OperatorContext, on_sent: OnSent) -> OperatorTxResult:
    """Write the missing chunks, again after dropped transactions."""
    result, deadline = OperatorTxResult("", True, 0), time.monotonic() + _TIMEOUT_SECONDS
    pool, size = operator.chain.context.pool, len(on_chain_program.built_code())
    while pieces := _missing_chunks(pool.first(partial(_buffer_content, operator)) or bytes(size)):
        if time.monotonic() > deadline:
            raise Unreachable(
                f"{len(pieces)} chunks of the code are missing: run the command again"
            )
        instructions = [
            _write_instruction(operator, at, part) for at, part in pieces[:_TRANSACTIONS_AT_ONCE]
        ]
        pending = [
            send_tx(operator, [chunk], operator.signers(operator.owner), lambda _: None)
            for chunk in instructions
        ]
        for chunk in await_confirmation(operator, pending):
            on_sent(chunk.tx_id)
            result = OperatorTxResult(chunk.tx_id, True, result.gas_used + chunk.gas_used)
    return result


def _write_instruction(operator: OperatorContext, at: int, part: bytes) -> Instruction:
    data = _WRITE + at.to_bytes(4, "little") + len(part).to_bytes(8, "little") + part
    return instruction(
        on_chain_program.LOADER,
        data,
        [(_buffer_keypair(operator).address, WRITE), (operator.owner.address, SIGN)],
    )


def _deploy(operator: OperatorContext, rent: int, on_sent: OnSent) -> OperatorTxResult:
    program, owner = _program(operator), operator.owner
    program_account = _create_account(
        operator.payer.address, program.address, rent, on_chain_program.PROGRAM_SIZE
    )
    accounts: list[AccountRole] = [
        (operator.payer.address, SIGN_WRITE),
        (on_chain_program.code_account(program.address), WRITE),
        (program.address, WRITE),
        (_buffer_keypair(operator).address, WRITE),
        (str(RENT), READ),
        (CLOCK, READ),
        (SYSTEM, READ),
        (owner.address, SIGN),
    ]
    data = _DEPLOY + len(on_chain_program.built_code()).to_bytes(8, "little")
    instructions = [program_account, instruction(on_chain_program.LOADER, data, accounts)]
    return sign_tx(operator, instructions, operator.signers(program, owner), on_sent)


def _vault_step(operator: OperatorContext, lamports: int) -> OperatorTx:
    chain = operator.chain
    to = chain.context.accounts.bridger
    moved = transfer(
        TransferParams(
            from_pubkey=Pubkey.from_string(operator.payer.address),
            to_pubkey=Pubkey.from_string(to),
            lamports=lamports,
        )
    )
    description = f"what the account that collects payments must hold at least, to {to}"
    return OperatorTx(
        description,
        1,
        lamports + 2 * LAMPORTS_PER_SIGNATURE,
        partial(sign_tx, operator, [moved], operator.signers()),
    )


def plan_finalization(chain: SolanaChain) -> TxPlan:
    """The step that drops the upgrade authority; none if it is dropped already. Raises `ValueError`
    if another account holds it."""
    operator = OperatorContext(chain, chain.context.signer)

    def build(session: RpcSession) -> list[OperatorTx]:
        program = on_chain_program.fetch_program(chain.context, session)
        if program.problem:
            raise ValueError(f"{chain.id}: {program.problem}")
        if not program.authority:
            return []
        if program.authority != operator.owner.address:
            raise ValueError(f"{chain.id}: only {program.authority} can make the program final")
        accounts: list[AccountRole] = [
            (on_chain_program.code_account(chain.context.program.id), WRITE),
            (operator.owner.address, SIGN),
        ]
        instructions = [instruction(on_chain_program.LOADER, _SET_AUTHORITY, accounts)]
        description = "nobody may replace the program any more, for ever"
        send = partial(sign_tx, operator, instructions, operator.signers())
        return [OperatorTx(description, 1, 2 * LAMPORTS_PER_SIGNATURE, send)]

    return build_plan(operator, build)
