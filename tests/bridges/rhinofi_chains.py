"""rhino.fi's stand-ins on two EVM chains of this machine, and inventory that it moves between
them, as a profile opens it."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from eth_abi.abi import encode

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.words import address_word
from crossway.adapters.live_bridges import LiveBridges, open_bridges
from crossway.adapters.live_environment import LiveEnvironment, open_live_environment
from crossway.adapters.prices.fixed import FixedPrices
from crossway.domain.inventory_transfer import (
    InventoryTransfer,
    InventoryTransferKind,
    InventoryTransferState,
)
from crossway.ports.inventory_bridge import Agreed, InventoryBridge, TransferStatus
from tests.bridges.rhinofi_service import KEY, RhinofiService
from tests.chains import anvil
from tests.chains.anvil import CATALOGUE, RELAYER, RELAYER_KEY, RICH, Anvil, compiled, dollars
from tests.chains.live import ARBITRUM, BASE
from tests.chains.service import profile_of
from tests.processes import ROOT

# As rhino.fi publishes them, not as our data file has them.
CONTRACTS = {
    BASE: "0x2f59E9086ec8130E21BD052065a9E6B2497bb102",
    ARBITRUM: "0x10417734001162Ea139e8b044DFe28DbB8B28ad0",
}
NAMES = {BASE: "BASE", ARBITRUM: "ARBITRUM"}
KEY_NAME = "CROSSWAY_RHINOFI_KEY_OF_TESTS"
AMOUNT, FEE = 25_000_000, 40_000
PRICES = {"USDC": 10**12, "USDT": 10**12}
_STAND_IN = ROOT / "contracts" / "evm" / "test" / "RhinofiStandIn.sol"


def configs() -> dict[str, Any]:
    """The service's list of these chains, and one of another family."""
    listed: dict[str, Any] = {
        NAMES[chain]: {
            "name": CATALOGUE.chains[chain].name,
            "type": "EVM",
            "networkId": CATALOGUE.chains[chain].chain_id,
            "contractAddress": contract.lower(),
            "status": "enabled",
            "tokens": {
                symbol: {"token": symbol, "address": address(chain, symbol).lower(), "decimals": 6}
                for symbol in ("USDC", "USDT")
            },
        }
        for chain, contract in CONTRACTS.items()
    }
    return listed | {"SOLANA": {"type": "SOLANA", "networkId": "900", "tokens": {}}}


def address(chain: str, symbol: str) -> str:
    return CATALOGUE.tokens[chain, symbol].address


def put_rhinofi(one: Anvil) -> None:
    """The bridge contract with a pool of dollars, out of which the rich account pays."""
    contract = CONTRACTS[one.chain]
    one.rpc("anvil_setCode", contract, compiled(_STAND_IN)["RhinofiStandIn"])
    invoke(one, contract, "authorize(address,bool)", RICH.address, True)
    one.pay(contract, 1_000_000 * 10**6)


def invoke(one: Anvil, to: str, signature: str, *values: Any, key: str = anvil.RICH_KEY) -> str:
    """A call in a block of its own, which must work; its transaction."""
    types = signature.partition("(")[2].rstrip(")").split(",")
    tx_id = one.transact(to, keccak256(signature.encode())[:4] + encode(types, values), key=key)
    one.mine()
    assert worked(one, tx_id)
    return tx_id


def worked(one: Anvil, tx_id: str) -> bool:
    return int(one.rpc("eth_getTransactionReceipt", tx_id)["status"], 16) == 1


def planned(number: int, source: str = BASE, to: str = ARBITRUM, **more: Any) -> InventoryTransfer:
    """A transfer of dollars that nobody has asked the service for."""
    now = datetime.now(UTC)
    fields: dict[str, Any] = {
        **dict.fromkeys(("commitment", "agreement"), b""),
        **dict.fromkeys(("reference", "source_tx", "destination_tx", "reason"), ""),
        **dict.fromkeys(("expires_at", "expected_at")),
        **dict.fromkeys(("next_at", "created_at", "updated_at"), now),
        "id": number,
        "intent_id": number,
        "bridge": "RHINOFI",
        "kind": InventoryTransferKind.TRANSFER,
        "source_chain": source,
        "destination_chain": to,
        "source_token": dollars(source),
        "destination_token": dollars(to),
        "amount": AMOUNT,
        "source_amount": 0,
        "state": InventoryTransferState.PLANNED,
        "attempt": 1,
    }
    return InventoryTransfer(**fields | more)


@dataclass
class RhinofiWorld:
    """What a profile opens on these chains, and rhino.fi."""

    anvils: Mapping[str, Anvil]
    service: RhinofiService
    bridges: LiveBridges
    live: LiveEnvironment

    @property
    def inventory(self) -> InventoryBridge:
        return self.bridges.inventory_bridges["RHINOFI"]

    def ask(self, transfer: InventoryTransfer) -> Any:
        return self.inventory.agree(transfer, datetime.now(UTC))

    def agreed(self, number: int = 1, **more: Any) -> InventoryTransfer:
        """A transfer as stored after the service agreed."""
        transfer = planned(number, **more)
        answer = self.ask(transfer)
        assert isinstance(answer, Agreed), answer
        return replace(
            transfer,
            state=InventoryTransferState.AGREED,
            agreement=answer.agreement,
            reference=answer.reference,
            source_amount=answer.source_amount,
            expires_at=answer.expires_at,
        )

    def send(self, transfer: InventoryTransfer) -> InventoryTransfer:
        """The transactions of the relayer, each in a block."""
        one, tx_id = self.anvils[transfer.source_chain], ""
        for call in self.inventory.invocations(transfer):
            assert call.chain == transfer.source_chain
            tx_id = one.transact(call.to, call.data, call.value, key=RELAYER_KEY)
            one.mine()
            assert worked(one, tx_id)
        return replace(transfer, state=InventoryTransferState.SENT, source_tx=tx_id)

    def sent_one(self, number: int = 1, **more: Any) -> InventoryTransfer:
        return self.send(self.agreed(number, **more))

    def pay_out(
        self, chain: str = ARBITRUM, units: int = AMOUNT, to: str = RELAYER, token: str = ""
    ) -> str:
        """rhino.fi pays somebody, dollars by default; the transaction."""
        one, call = self.anvils[chain], "withdrawV2(address,address,uint256)"
        return invoke(one, CONTRACTS[chain], call, token or dollars(chain), to, units)

    def tell(self, transfer: InventoryTransfer, state: str, **txs: str) -> None:
        """What the service says from now on."""
        bridged = self.service.bridged[transfer.reference]
        bridged.state = state
        for name, tx_id in txs.items():
            setattr(bridged, name, tx_id)

    def track(self, *transfers: InventoryTransfer) -> list[TransferStatus]:
        return list(self.inventory.track(transfers))

    def allowance(self, chain: str) -> int:
        words = address_word("evm", RELAYER) + address_word("evm", CONTRACTS[chain])
        call = {
            "to": dollars(chain),
            "data": "0x" + (keccak256(b"allowance(address,address)")[:4] + words).hex(),
        }
        return int(self.anvils[chain].rpc("eth_call", call, "latest"), 16)

    def pass_time(self, seconds: int) -> None:
        for one in self.anvils.values():
            one.rpc("evm_increaseTime", seconds)
            one.mine()


@contextmanager
def rhinofi_key() -> Iterator[None]:
    """The environment has the key that profiles name."""
    os.environ[KEY_NAME] = KEY
    try:
        yield
    finally:
        del os.environ[KEY_NAME]


def profile_with_rhinofi(folder: Path, anvils: Mapping[str, Anvil], url: str, **more: Any) -> Path:
    path = profile_of(folder, anvils.values(), bridges=("RHINOFI",), **more)
    limits = ["timeout_seconds = 30", "requests_per_second = 1000"]
    lines = ["[rhinofi]", f'url = "{url}"', f'api_key = "env:{KEY_NAME}"', *limits]
    path.write_text(path.read_text() + "\n".join(lines) + "\n")
    return path


@contextmanager
def rhinofi_world(
    folder: Path, anvils: Mapping[str, Anvil], service: RhinofiService, **more: Any
) -> Iterator[RhinofiWorld]:
    """The world of a profile with these chains."""
    path = profile_with_rhinofi(folder, anvils, service.url, **more)
    with rhinofi_key():
        live = open_live_environment(path, CATALOGUE, signs=False)
        bridges = open_bridges(live, FixedPrices(PRICES, datetime.now(UTC)))
    try:
        yield RhinofiWorld(anvils, service, bridges, live)
    finally:
        closing = (*bridges.bridges, *bridges.clients.values(), *bridges.inventory_bridges.values())
        for one in closing:
            getattr(one, "close", int)()
        live.close()


@contextmanager
def world_without_nodes(folder: Path, service: RhinofiService) -> Iterator[RhinofiWorld]:
    """The same where no node answers, which agreements do not need."""
    chains = {chain: Anvil(chain, "http://127.0.0.1:9") for chain in CONTRACTS}
    try:
        with rhinofi_world(folder, chains, service) as world:
            yield world
    finally:
        for one in chains.values():
            one.stop()


def later(transfer: InventoryTransfer, **more: int) -> InventoryTransfer:
    """The same, planned so much later."""
    return replace(transfer, created_at=transfer.created_at + timedelta(**more))
