"""Tokens that payers' signatures move (EIP-3009, Permit2): which do, and what became of one."""

from collections.abc import Callable, Sequence
from threading import Lock
from time import monotonic
from typing import Final

from crossway.adapters.chains.evm.abi import (
    AUTHORIZATION_CANCELED,
    AUTHORIZATION_STATE,
    AUTHORIZATION_USED,
    DOMAIN_SEPARATOR,
    NONCES_INVALIDATED,
    TOKEN_NAME,
    TOKEN_VERSION,
    decode,
)
from crossway.adapters.chains.evm.balances import allowances, code_request
from crossway.adapters.chains.evm.calldata import Call, call_request, signed_transfer
from crossway.adapters.chains.evm.chain_context import ChainContext, block_request
from crossway.adapters.chains.evm.logs import address_topic, fetch_events, height_since
from crossway.adapters.chains.evm.permit2 import PERMIT2, cancels, nonce_bit, nonce_call
from crossway.adapters.chains.evm.rpc_schemas import TRANSFER, Log, parse_block, parse_data
from crossway.adapters.chains.evm.token_transfers import find_token_transfers
from crossway.adapters.chains.evm.typed_data import domain_separator
from crossway.adapters.chains.rpc.client import RpcError, RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.quorum_reads import agreed
from crossway.adapters.chains.words import WORD
from crossway.domain.errors import Unreachable
from crossway.domain.payer_signatures import (
    PayerSignature,
    SignatureEvent,
    SignatureOutcome,
    SignatureStandard,
)
from crossway.ports.payer_signatures import SignatureCheck, SigningDomain

ELSEWHERE: Final = "The signature's nonce was used for another transfer."
CANCELLED: Final = "The payer made the signature worthless."
_ASK_AGAIN_SECONDS: Final = 600.0
RequireCurrent = Callable[[RpcSession], None]


class TokenDomains:
    """The domains of the chain's tokens, which do not change once a token has one."""

    def __init__(self, context: ChainContext) -> None:
        self._context, self._lock = context, Lock()
        self._known: dict[str, tuple[SigningDomain | None, float]] = {}

    def get(self, token: str) -> SigningDomain | None:
        """As `TakesSignatures.signing_domain`."""
        with self._lock:
            known = self._known.get(token)
        if known is not None and (known[0] or monotonic() - known[1] < _ASK_AGAIN_SECONDS):
            return known[0]
        context = self._context

        def read(session: RpcSession) -> SigningDomain | None:
            return _read_domain(context, session, token) or _read_permit(context, session)

        domain = agreed(context.pool, read, "on a token")
        with self._lock:
            self._known[token] = domain, monotonic()
        return domain


def _read_domain(context: ChainContext, session: RpcSession, token: str) -> SigningDomain | None:
    zero = "0x" + "0" * 40
    asked = [DOMAIN_SEPARATOR.encode(), TOKEN_NAME.encode(), TOKEN_VERSION.encode()]
    asked.append(AUTHORIZATION_STATE.encode(zero, bytes(WORD)))
    results = session.batch([call_request(Call(token, data)) for data in asked])
    if any(isinstance(result, RpcError) for result in results):
        return None
    separator, name, version, state = (parse_data(result, "a token's domain") for result in results)
    if len(separator) != WORD or len(state) != WORD or not name or not version:
        return None
    (name_text,), (version_text,) = (
        decode(["string"], text, "a token's name") for text in (name, version)
    )
    domain = SigningDomain(name_text, version_text)
    is_right = domain_separator(int(context.chain.chain_id), token, domain) == separator
    return domain if is_right else None


def _read_permit(context: ChainContext, session: RpcSession) -> SigningDomain | None:
    """The domain of Permit2, where the chain has it and our contract."""
    spender = context.deployment.permit_pay_in
    results = session.call(code_request(PERMIT2), code_request(spender))
    if not all(parse_data(result, "code") for result in results):
        return None
    return SigningDomain("Permit2", "", SignatureStandard.PERMIT2, spender)


def may_sign(context: ChainContext, token: str, account: str, amount: int) -> bool:
    """Whether an account has let Permit2 move so much of a token."""
    return context.pool.first(
        lambda session: allowances(session, account, PERMIT2, [token])[token] >= amount
    )


def check_signatures(
    context: ChainContext, require_current: RequireCurrent, signatures: Sequence[PayerSignature]
) -> list[SignatureCheck]:
    """As `TakesSignatures.check_signatures`."""

    def read(session: RpcSession) -> list[tuple[bool, str]]:
        require_current(session)
        return [_read_state(context, session, one) for one in signatures]

    states = context.pool.first(read)
    return [
        SignatureCheck(find_use(context, require_current, one))
        if used
        else SignatureCheck(refusal=refusal)
        for one, (used, refusal) in zip(signatures, states, strict=True)
    ]


def _read_state(
    context: ChainContext, session: RpcSession, signature: PayerSignature
) -> tuple[bool, str]:
    """Whether the nonce is used up, and why the transfer would fail now."""
    one, by_permit = signature.authorization, signature.is_by_permit
    state = AUTHORIZATION_STATE.encode(one.payer, bytes.fromhex(one.nonce[2:]))
    call = signed_transfer(signature, one.to, context.deployment.permit_pay_in)
    params = {"from": context.accounts.relayer, "to": call.to, "data": call.hex}
    requests = [
        call_request(nonce_call(one) if by_permit else Call(one.token, state)),
        RpcRequest("eth_call", (params, "latest")),
    ]
    used, moved = session.batch(requests)
    if isinstance(used, RpcError):
        raise Unreachable(f"the node does not tell what became of a signature: {used.message}")
    word = int.from_bytes(parse_data(used, "a signature's state"), "big")
    is_used = bool(word & nonce_bit(one) if by_permit else word)
    return is_used, f"The token refuses it: {moved.message}" if isinstance(moved, RpcError) else ""


def find_use(
    context: ChainContext, require_current: RequireCurrent, signature: PayerSignature
) -> SignatureOutcome:
    """What used a signature's nonce: a transfer to the address it was signed for, or else."""
    one, payer = signature.authorization, address_topic(signature.authorization.payer)
    used = [[AUTHORIZATION_USED, AUTHORIZATION_CANCELED], payer, one.nonce]
    filters = [{"address": one.token, "topics": used}]
    if signature.is_by_permit:
        # Permit2 does not say what a nonce was used for: the payment does.
        paid = [TRANSFER, payer, address_topic(one.to)]
        filters = [{"address": one.token, "topics": paid}]
        filters.append({"address": PERMIT2, "topics": [NONCES_INVALIDATED.topic, payer]})

    def read(session: RpcSession) -> list[Log]:
        require_current(session)
        newest = parse_block(session.call(block_request("latest"))[0]).height
        since = height_since(context.chain, newest, signature.created_at)
        limits = context.limits
        return [log for f in filters for log in fetch_events(session, limits, f, since, newest)]

    logs = agreed(context.pool, read, "on what became of a signature")
    if not logs and not signature.is_by_permit:
        raise Unreachable("the nodes do not say what used a signature")
    for log in logs:
        if log.topics[0] == AUTHORIZATION_CANCELED or cancels(log, one):
            return SignatureOutcome(SignatureEvent.CANCEL, CANCELLED, log.tx_hash)
        transfers = find_token_transfers(context, require_current, log.tx_hash, one.to)
        if any(
            (t.token, t.sender, t.amount) == (one.token, one.payer, one.amount) for t in transfers
        ):
            return SignatureOutcome(SignatureEvent.PAY, "", log.tx_hash)
    tx_id = None if signature.is_by_permit else logs[-1].tx_hash
    return SignatureOutcome(SignatureEvent.USE_ELSEWHERE, ELSEWHERE, tx_id)
