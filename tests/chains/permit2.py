"""Permit2 and our spender on chains of this machine, and payers who have approved it."""

import subprocess
import tempfile
from pathlib import Path
from typing import Any

import httpx
from eth_abi.abi import encode

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.contracts import DEPLOYER, SALT, default_deployment, init_code
from crossway.adapters.chains.words import address_word, number_word
from tests.chains.anvil import BINARY, Anvil, needed
from tests.chains.live import BASE, LiveWorld
from tests.chains.signing import Payer, new_payer
from tests.ports import free_port
from tests.processes import wait_until

PERMIT2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3"
SPENDER = default_deployment().permit_pay_in
_PAY = "pay(((address,uint256),uint256,uint256),address,address,bytes)"


def permit2_code() -> str:
    """The code of Permit2, which no package has, but the genesis of one of anvil's networks."""
    kept = Path(tempfile.gettempdir()) / "crossway-permit2-code"
    if not kept.exists():
        needed()
        port = free_port()
        command = [str(BINARY), "--silent", "--port", str(port), "--network", "tempo"]
        process = subprocess.Popen(command)
        tempo = Anvil(BASE, f"http://127.0.0.1:{port}", process)
        try:
            wait_until("anvil answers", lambda: _answers(tempo), every=0.05)
            code = str(tempo.rpc("eth_getCode", PERMIT2, "latest"))
        finally:
            tempo.stop()
        assert len(code) > 10_000
        kept.write_text(code)
    return kept.read_text()


def _answers(anvil: Anvil) -> bool:
    try:
        return bool(anvil.rpc("eth_chainId"))
    except httpx.TransportError:
        return False


def put_permit2(anvil: Anvil) -> None:
    """Permit2 and our contract on a chain."""
    anvil.rpc("anvil_setCode", PERMIT2, permit2_code())
    anvil.transact(DEPLOYER, SALT + init_code("PermitPayIn"))
    anvil.mine()


def new_approved_payer(world: LiveWorld, name: str) -> Payer:
    """One that has approved Permit2, for which alone it had coins."""
    payer, base = new_payer(world, name), world.anvils[BASE]
    base.rpc("anvil_setBalance", payer.address, hex(10**18))
    words = address_word("evm", PERMIT2), number_word(2**256 - 1)
    key = "0x" + bytes(payer.account.key).hex()
    base.call_token(base.token, "approve(address,uint256)", *words, key=key)
    base.rpc("anvil_setBalance", payer.address, "0x0")
    return payer


def pay_data(asked: dict[str, Any], owner: str, to: str, signature: str) -> bytes:
    """The call of our contract by which anybody carries a signature out, to whomever they say."""
    one = asked["message"]
    permitted = one["permitted"]["token"], int(one["permitted"]["amount"])
    permit = permitted, int(one["nonce"]), int(one["deadline"])
    types = ["((address,uint256),uint256,uint256)", "address", "address", "bytes"]
    raw = bytes.fromhex(signature[2:])
    return keccak256(_PAY.encode())[:4] + encode(types, [permit, owner, to, raw])
