"""The real SpokePool of Across on two chains, and inventory that it moves between them, as a
profile opens it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.abi import FUNDS_DEPOSITED
from crossway.adapters.chains.words import address_word
from crossway.adapters.live_bridges import LiveBridges, open_bridges
from crossway.adapters.live_environment import LiveEnvironment, open_live_environment
from crossway.adapters.prices.fixed import FixedPrices
from crossway.domain.inventory_transfer import InventoryTransfer, InventoryTransferState
from crossway.ports.inventory_bridge import Agreed, InventoryBridge, TransferStatus
from tests.bridges.across_chains import fill_relay, relay_in
from tests.bridges.across_pools import pool_of, put_handler, put_spoke_pool
from tests.bridges.across_service import AcrossService
from tests.bridges.cctp_chains import call
from tests.bridges.rhinofi_chains import planned
from tests.chains.anvil import CATALOGUE, COINS, RELAYER, RELAYER_KEY, Anvil, dollars
from tests.chains.live import ARBITRUM, BASE, two_chains
from tests.chains.service import profile_of

# As Across publishes it, not as our data file has it.
HANDLER = "0x0F7Ae28dE1C8532170AD4ee566B5801485c13a0E"
SYMBOLS = {"USDC": 6, "WETH": 18}
BSC = "BSC_MAINNET"
PRICES = {"USDC": 10**12, "WETH": 3_000 * 10**12}
S = InventoryTransferState


# On BNB Smart Chain, that of BNB.
WRAPPED = {
    BASE: CATALOGUE.tokens[BASE, "WETH"].address,
    ARBITRUM: CATALOGUE.tokens[ARBITRUM, "WETH"].address,
    BSC: CATALOGUE.tokens[BSC, "WBNB"].address,
}


def address(chain: str, symbol: str) -> str:
    return CATALOGUE.tokens[chain, symbol].address


def put_pool(one: Anvil) -> None:
    """The pool with its wrapped coin and its handler, and tokens that a relayer can fill with."""
    wrapped = WRAPPED[one.chain]
    one.put_token(wrapped, "Wrapped", units=1_000 * 10**18)
    one.rpc("anvil_setBalance", wrapped, hex(COINS))
    pool = put_spoke_pool(one, wrapped)
    put_handler(one, HANDLER)
    for token in (dollars(one.chain), wrapped):
        call(one, token, "approve(address,uint256)", pool, 2**256 - 1)
    # So that a reorganisation of what a test does undoes nothing of this.
    one.mine(4)


@dataclass
class InventoryWorld:
    """What a profile opens on these chains, and Across."""

    anvils: Mapping[str, Anvil]
    service: AcrossService
    bridges: LiveBridges
    live: LiveEnvironment

    @property
    def inventory(self) -> InventoryBridge:
        return self.bridges.inventory_bridges["ACROSS"]

    def planned(
        self, symbol: str = "USDC", source: str = BASE, to: str = ARBITRUM, **more: Any
    ) -> InventoryTransfer:
        """A transfer of 25 whole tokens, which nobody has asked Across for."""
        now = self.anvils[source].time
        fields = {"amount": 25 * 10 ** SYMBOLS[symbol], "created_at": now, "updated_at": now}
        fields["source_token"] = address(source, symbol)
        fields["destination_token"] = address(to, symbol)
        return planned(1, source, to, **fields | {"bridge": "ACROSS"} | more)

    def ask(self, transfer: InventoryTransfer) -> Any:
        now = int(self.anvils[transfer.source_chain].time.timestamp())
        self.service.timestamp = now - self.service.lag_seconds
        return self.inventory.agree(transfer, datetime.now(UTC))

    def agreed(self, **more: Any) -> InventoryTransfer:
        """A transfer as stored after Across has named its price."""
        transfer = self.planned(**more)
        answer = self.ask(transfer)
        assert isinstance(answer, Agreed), answer
        return replace(
            transfer,
            state=S.AGREED,
            agreement=answer.agreement,
            reference=answer.reference,
            source_amount=answer.source_amount,
            expires_at=answer.expires_at,
        )

    def send(self, transfer: InventoryTransfer) -> InventoryTransfer:
        """The transactions of the relayer, each in a block."""
        one, tx_id = self.anvils[transfer.source_chain], ""
        for each in self.inventory.invocations(transfer):
            assert each.chain == transfer.source_chain
            tx_id = one.transact(each.to, each.data, each.value, key=RELAYER_KEY)
            one.mine()
            assert one.rpc("eth_getTransactionReceipt", tx_id)["status"] == "0x1"
        return replace(transfer, state=S.SENT, source_tx=tx_id)

    def sent(self, **more: Any) -> InventoryTransfer:
        return self.send(self.agreed(**more))

    def fill(self, transfer: InventoryTransfer, **changes: Any) -> str:
        """A relayer fills its deposit, or one with other terms, by this transaction."""
        source, to = (self.anvils[c] for c in (transfer.source_chain, transfer.destination_chain))
        relay = list(relay_in(source, transfer.source_tx))
        for place, value in changes.items():
            relay[_FIELDS.index(place)] = value
        assert fill_relay(to, source, tuple(relay))
        return str(to.rpc("eth_getBlockByNumber", "latest", False)["transactions"][0])

    def track(self, *transfers: InventoryTransfer) -> list[TransferStatus]:
        return list(self.inventory.track(transfers))

    def pass_time(self, seconds: int, blocks: int = 40) -> None:
        """Time passes, and blocks of now are final."""
        for one in self.anvils.values():
            one.rpc("evm_increaseTime", seconds)
            one.mine(blocks)

    def pass_deadline(self) -> None:
        self.pass_time(7_300)

    def allowance(self, chain: str, symbol: str = "USDC") -> int:
        words = address_word("evm", RELAYER) + address_word("evm", pool_of(chain))
        data = "0x" + (keccak256(b"allowance(address,address)")[:4] + words).hex()
        asked = {"to": address(chain, symbol), "data": data}
        return int(self.anvils[chain].rpc("eth_call", asked, "latest"), 16)

    def deposits(self, chain: str) -> list[Any]:
        """What the pool has logged."""
        asked = {"address": pool_of(chain), "fromBlock": "0x0", "topics": [FUNDS_DEPOSITED.topic]}
        return list(self.anvils[chain].rpc("eth_getLogs", asked))


_FIELDS = (
    *("depositor", "recipient", "relayer", "input_token", "output_token", "input_amount"),
    *("output_amount", "source", "deposit_id", "deadline", "exclusivity", "message"),
)


@contextmanager
def inventory_world(
    folder: Path, anvils: Mapping[str, Anvil], service: AcrossService, **more: Any
) -> Iterator[InventoryWorld]:
    """The world of a profile with these chains, which names no bridge."""
    profile = profile_of(folder, anvils.values(), bridges=("INVENTORY",), **more)
    text = f'[across]\nurl = "{service.url}"\ntimeout_seconds = 30\n'
    profile.write_text(profile.read_text() + text)
    live = open_live_environment(profile, CATALOGUE, signs=False)
    bridges = open_bridges(live, FixedPrices(PRICES, datetime.now(UTC)))
    try:
        yield InventoryWorld(anvils, service, bridges, live)
    finally:
        closing = (*bridges.bridges, *bridges.clients.values(), *bridges.inventory_bridges.values())
        for one in closing:
            getattr(one, "close", int)()
        live.close()


@contextmanager
def two_pools() -> Iterator[dict[str, Anvil]]:
    """Base and Arbitrum with Across' pools."""
    with two_chains() as chains:
        for one in chains.values():
            put_pool(one)
        yield chains
