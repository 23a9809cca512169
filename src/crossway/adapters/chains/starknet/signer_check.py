"""Whether the key that a profile names signs for the account that it names."""

from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.rpc import Objection, Question
from crossway.adapters.chains.starknet.calldata import Call
from crossway.adapters.chains.starknet.felts import number, selector, short
from crossway.adapters.chains.starknet.ground import Ground, ask_call, block_id
from crossway.adapters.chains.starknet.wire import CONTRACT_NOT_FOUND, felts
from crossway.domain.errors import Unreachable

# The hash of a name: no transaction's can be the same.
_DIGEST = selector("Crossway asks whether this key signs for this account")
# Accounts of today answer the word, older ones yes.
_YES = ((short("VALID"),), (1,))


def signer_trouble(ground: Ground, line: Line) -> str:
    """What is wrong with account and key, as a sentence; empty where the account takes our
    signature. Raises `Unreachable`."""
    relayer, signature = ground.own.relayer, ground.signer.sign(_DIGEST)
    there = Question("starknet_getClassHashAt", (block_id("latest"), hex(number(relayer))))
    data = (_DIGEST, len(signature), *signature)
    klass, said = line.tell([there, ask_call(Call(relayer, "is_valid_signature", data))])
    if isinstance(klass, Objection):
        if klass.code != CONTRACT_NOT_FOUND:
            raise Unreachable(f"the node objects: {klass.message}")
        return (
            f"the relayer's account {relayer} is not deployed: deploy it with the wallet or tool "
            "that made it, and send it STRK for fees"
        )
    if not isinstance(said, Objection) and felts(said, "a signature's check") in _YES:
        return ""
    return (
        f"the relayer's account {relayer} does not take the signature of this key (public key "
        f"{ground.signer.address}): its owner is another, or it is no account of one plain key"
    )
