"""What our own nodes of one EVM chain say of Circle Gateway's contracts there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from crossway.adapters.bridges.gateway.attestations import Attestation
from crossway.adapters.bridges.gateway.burn_intents import (
    BurnIntent,
    SignedIntent,
    join_signature,
)
from crossway.adapters.bridges.gateway.contracts import (
    ATTESTATION_USED,
    AVAILABLE,
    DEPOSITED,
    EXPIRED,
    IS_AUTHORIZED,
    IS_USED,
    MINT,
    PAUSED,
    WITHDRAWAL_BLOCK,
    WITHDRAWING,
    MintRefusal,
    read_refusal,
)
from crossway.adapters.bridges.gateway.networks import USDC, gateway_contracts
from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.balances import code_request
from crossway.adapters.chains.evm.calldata import Call, call_request
from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.chain_context import block_request
from crossway.adapters.chains.evm.logs import address_topic, fetch_events, height_since
from crossway.adapters.chains.evm.rpc_schemas import (
    Log,
    parse_block,
    parse_data,
    parse_quantity,
)
from crossway.adapters.chains.evm.tx_results import read_receipts
from crossway.adapters.chains.rpc.client import RpcError, RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.quorum_reads import agreed
from crossway.adapters.chains.words import WORD
from crossway.domain.errors import SigningRefused, Unreachable
from crossway.ports.signing import SigningRequest

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SeenDeposit:
    """A deposit that a transaction made, in units, and the height of its block."""

    units: int
    height: int


@dataclass(frozen=True, slots=True)
class MintState:
    """Whether a transfer was minted; if not, whether it can never be any more."""

    used: bool
    dead: bool


@dataclass(frozen=True, slots=True)
class DepositorBalance:
    """What a depositor has in the wallet contract, in units: `available` to be minted, of it
    `fresh` from deposits that are not final, and `withdrawing`, which can be taken out from the
    block `withdrawal_block` on, 0 for none. `height` is that of the newest block as contracts
    count. `authorized`: the relayer may sign burn intents."""

    available: int
    fresh: int
    withdrawing: int
    withdrawal_block: int
    height: int
    authorized: bool


class GatewayEnd:
    """Reads Circle's contracts on a chain, from as many nodes as must agree, and signs for the
    relayer there. Every method that reads raises `Unreachable`, also where the nodes disagree."""

    def __init__(self, chain: EvmChain, depositor: str) -> None:
        """`depositor` is empty where that is the relayer itself."""
        context = chain.context
        contracts = gateway_contracts(context.chain.testnet)
        self.chain = context.chain
        self.domain: int = context.chain.cctp_domain or 0
        self.wallet, self.minter = contracts.wallet, contracts.minter
        self.usdc = context.catalogue.tokens[context.chain.id, USDC].address
        self.relayer = context.accounts.relayer
        self.depositor = depositor or self.relayer
        self._evm = chain

    def sign(self, intent: BurnIntent) -> SignedIntent:
        """The intent with the relayer's signature. Raises `Unreachable`, also where the signer
        refuses or this process has no key."""
        payload, signer = intent.signing_payload, self._evm.context.signer
        request = SigningRequest(payload, typed_data=intent.typed_data)
        try:
            return SignedIntent(intent, join_signature(*signer.sign(keccak256(payload), request)))
        except SigningRefused as error:
            raise Unreachable(str(error)) from None

    def finalized(self) -> int:
        """The height of the newest final block."""
        return self._evm.heads().finalized

    def height(self) -> int:
        """The height of the newest block, as contracts count."""

        def read(session: RpcSession) -> int:
            return _contract_height(session.call(block_request("latest"))[0])

        return min(self._evm.context.pool.quorum(read))

    def has_contracts(self) -> bool:
        """Whether Circle's contracts are there: tokens that are sent to nothing are lost."""
        requests = [code_request(address) for address in (self.wallet, self.minter)]

        def read(session: RpcSession) -> bool:
            return all(parse_data(code, "a contract") for code in session.call(*requests))

        return self._agreed(read, "on which contracts there are")

    def find_paused(self) -> str:
        """Which of Circle's contracts is paused, in words; empty for none."""
        contracts = {"wallet": self.wallet, "minter": self.minter}
        requests = [call_request(Call(at, PAUSED.encode())) for at in contracts.values()]

        def read(session: RpcSession) -> list[bool]:
            return [any(_word(result)) for result in session.call(*requests)]

        paused = self._agreed(read, "on what is paused")
        names = [name for name, is_paused in zip(contracts, paused, strict=True) if is_paused]
        return " and ".join(names)

    def find_deposit(self, tx_id: str) -> SeenDeposit | None:
        """What a transaction of the relayer deposited for the depositor; None where it is in no
        block, or reverted."""
        topics = (
            DEPOSITED.topic,
            *(address_topic(a) for a in (self.usdc, self.depositor, self.relayer)),
        )

        def read(session: RpcSession) -> SeenDeposit | None:
            receipt = read_receipts(session, [tx_id]).get(tx_id.lower())
            if receipt is None or not receipt.succeeded:
                return None
            logs = [
                log for log in receipt.logs if (log.address, log.topics) == (self.wallet, topics)
            ]
            return SeenDeposit(sum(DEPOSITED.decode(log.data)[0] for log in logs), receipt.height)

        return self._agreed(read, "on what was deposited")

    def mint_state(
        self, spec_hashes: Sequence[bytes], attestation: Attestation | None
    ) -> MintState:
        """Whether these were minted, all together or none. They can never be any more where the
        contract itself refuses the attestation as expired, and a final block is past its height,
        too."""
        final = self.finalized()

        def read(session: RpcSession) -> MintState:
            blocks = session.call(block_request(final), block_request("latest"))
            if blocks[0] is None:
                raise Unreachable(f"the node has no block {final} yet")
            newest = parse_block(blocks[1])
            if newest.height < final:
                raise Unreachable("the node is behind")
            # By its height: a backend of the node that is behind refuses it.
            at = hex(newest.height)
            hashes = [Call(self.minter, IS_USED.encode(one)) for one in spec_hashes]
            asked = [call_request(call, at) for call in hashes]
            if attestation is not None:
                asked.append(self._mint_request(attestation, at))
            results = session.batch(asked)
            used = {_is_true(result) for result in results[: len(hashes)]}
            if len(used) > 1:
                raise Unreachable("only a part of it was minted")
            if used == {True}:
                return MintState(used=True, dead=False)
            is_past = attestation is not None and (
                _contract_height(blocks[0]) > attestation.max_block_height
            )
            refused = [_refusal(result) for result in results[len(hashes) :]]
            is_refused = any(one is not None and one.name == EXPIRED for one in refused)
            return MintState(used=False, dead=is_past and is_refused)

        return self._agreed(read, "on what was minted")

    def find_mint(self, spec_hash: bytes, since: datetime) -> Log | None:
        """The event of a mint since a time."""
        topics = [ATTESTATION_USED.topic, None, None, "0x" + spec_hash.hex()]
        logs = self._find_events(self.minter, topics, since)
        return logs[0] if logs else None

    def simulate_mint(self, attestation: Attestation) -> MintRefusal | None:
        """Why the relayer's mint would revert now; None where it would not."""
        request = self._mint_request(attestation, "latest")

        def read(session: RpcSession) -> MintRefusal | None:
            return _refusal(session.batch([request])[0])

        return self._agreed(read, "on whether it can be minted")

    def depositor_balance(self) -> DepositorBalance:
        """What the depositor has."""
        final, of_depositor = self.finalized(), (self.usdc, self.depositor)
        functions = (AVAILABLE, WITHDRAWING, WITHDRAWAL_BLOCK)
        calls = [Call(self.wallet, function.encode(*of_depositor)) for function in functions]
        calls.append(Call(self.wallet, IS_AUTHORIZED.encode(*of_depositor, self.relayer)))
        topics = [DEPOSITED.topic, address_topic(self.usdc), address_topic(self.depositor)]

        def read(session: RpcSession) -> DepositorBalance:
            header = session.call(block_request("latest"))[0]
            newest = parse_block(header)
            at = hex(newest.height)
            results = session.call(*(call_request(call, at) for call in calls))
            available, withdrawing, block, authorized = (
                int.from_bytes(_word(result), "big") for result in results
            )
            log_filter = {"address": self.wallet, "topics": topics}
            limits = self._evm.context.limits
            logs = fetch_events(session, limits, log_filter, final + 1, newest.height)
            fresh = sum(DEPOSITED.decode(log.data)[0] for log in logs)
            height = _contract_height(header)
            return DepositorBalance(available, fresh, withdrawing, block, height, authorized == 1)

        results = self._evm.context.pool.quorum(read)
        # Nodes may have another newest block: the least that one of them has counts.
        return min(results, key=lambda one: one.available - one.fresh)

    def _mint_request(self, attestation: Attestation, block: str) -> RpcRequest:
        data = MINT.encode(attestation.payload, attestation.signature)
        fields = {"from": self.relayer, "to": self.minter, "data": "0x" + data.hex()}
        return RpcRequest("eth_call", (fields, block))

    def _find_events(
        self, address: str, topics: Sequence[str | None], since: datetime
    ) -> list[Log]:
        log_filter = {"address": address, "topics": topics}

        def read(session: RpcSession) -> list[Log]:
            newest = parse_block(session.call(block_request("latest"))[0])
            first = height_since(self.chain, newest.height, since)
            limits = self._evm.context.limits
            return fetch_events(session, limits, log_filter, first, newest.height)

        return self._agreed(read, "on what Gateway's contracts report")

    def _agreed(self, read: Callable[[RpcSession], T], what: str) -> T:
        return agreed(self._evm.context.pool, read, what)


def _contract_height(header: Any) -> int:
    """The height by which contracts on a chain count, of which some rollups have another one than
    that of their own blocks: on Arbitrum it is that of Ethereum."""
    block = parse_block(header)
    parent = header.get("l1BlockNumber")
    if parent is None:
        return block.height
    return parent if type(parent) is int else parse_quantity(parent, "a block's height")


def _refusal(result: Any) -> MintRefusal | None:
    """Why a simulated mint reverted. Raises `Unreachable` where the node says nothing of it."""
    if not isinstance(result, RpcError):
        return None
    try:
        data = bytes.fromhex(result.data.removeprefix("0x"))
    except ValueError:
        data = b""
    if not data and "revert" not in result.message.lower():
        raise Unreachable(f"the node returned an error: {result.message}")
    return read_refusal(data)


def _is_true(result: Any) -> bool:
    if isinstance(result, RpcError):
        raise Unreachable(f"the node returned an error: {result.message}")
    return any(_word(result))


def _word(result: Any) -> bytes:
    word = parse_data(result, "a number")
    if len(word) != WORD:
        raise Unreachable("Circle Gateway's contract is not where it should be")
    return word
