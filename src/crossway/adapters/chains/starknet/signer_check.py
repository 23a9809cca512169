"""Checking that the profile's key signs for the profile's account."""

from crossway.adapters.chains.rpc.client import RpcError
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.starknet.calldata import Call, call_request
from crossway.adapters.chains.starknet.chain_context import ChainContext, class_request
from crossway.adapters.chains.starknet.felts import encode_short_string, selector
from crossway.adapters.chains.starknet.rpc_schemas import CONTRACT_NOT_FOUND, parse_felts
from crossway.domain.errors import Unreachable

# The hash of a sentence: no transaction can have the same.
_DIGEST = selector("Crossway asks whether this key signs for this account")
# Current accounts return the short string, older ones true.
_VALID = ((encode_short_string("VALID"),), (1,))


def signer_problem(context: ChainContext, session: RpcSession) -> str:
    """What is wrong with account and key, as a sentence; empty where the account accepts our
    signature. Raises `Unreachable`."""
    relayer, signature = context.accounts.relayer, context.signer.sign(_DIGEST)
    check = Call(relayer, "is_valid_signature", (_DIGEST, len(signature), *signature))
    deployed, valid = session.batch([class_request(relayer), call_request(check)])
    if isinstance(deployed, RpcError):
        if deployed.code != CONTRACT_NOT_FOUND:
            raise Unreachable(f"the node returned an error: {deployed.message}")
        return (
            f"the relayer's account {relayer} is not deployed: deploy it with the wallet or tool "
            "that created it, and send it STRK for fees"
        )
    if not isinstance(valid, RpcError) and parse_felts(valid, "a signature's check") in _VALID:
        return ""
    return (
        f"the relayer's account {relayer} does not take the signature of this key (public key "
        f"{context.signer.address}): it has another owner, or does not verify plain signatures"
    )
