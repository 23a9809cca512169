"""Circle Gateway's stand-ins on anvil, and the bridge that moves inventory by them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from crossway.adapters.bridges.gateway.client import GatewayTransfers
from crossway.adapters.bridges.gateway.networks import gateway_contracts
from crossway.adapters.bridges.gateway.quotes import GatewayQuotes
from crossway.adapters.chains.evm.contracts import DEPLOYER, SALT, default_deployment, init_code
from crossway.adapters.chains.words import address_word, number_word
from crossway.adapters.live_bridges import open_gateway
from crossway.adapters.live_environment import LiveEnvironment, open_live_environment
from crossway.domain.inventory_transfer import (
    InventoryTransfer,
    InventoryTransferKind,
    InventoryTransferState,
)
from crossway.ports.inventory_bridge import Agreed, ContractInvocation, TransferStatus
from tests.bridges.cctp_chains import FEE_RECIPIENT, call
from tests.bridges.gateway_service import CIRCLE, GatewayService, Network, running_gateway
from tests.chains import anvil
from tests.chains.anvil import CATALOGUE, RELAYER, RELAYER_KEY, RICH, Anvil, compiled, dollars
from tests.chains.live import ARBITRUM, BASE
from tests.chains.service import profile_of
from tests.processes import ROOT

GATEWAY = gateway_contracts(testnet=False)
DELAY_BLOCKS = 50
STOCK = 100_000_000
AMOUNT = 25_000_000
_SOURCES = ROOT / "contracts" / "evm" / "test"


def put_gateway(one: Anvil) -> None:
    """Gateway with USDC on a chain, of which the relayer has 100, and coins for fees."""
    domain = CATALOGUE.chains[one.chain].cctp_domain
    places = {
        dollars(one.chain): compiled(_SOURCES / "UsdcStandIn.sol")["UsdcStandIn"],
        GATEWAY.wallet: compiled(_SOURCES / "GatewayWalletStandIn.sol")["GatewayWalletStandIn"],
        GATEWAY.minter: compiled(_SOURCES / "GatewayMinterStandIn.sol")["GatewayMinterStandIn"],
    }
    for address, code in places.items():
        one.rpc("anvil_setCode", address, code)
    usdc = dollars(one.chain)
    initialize = "initialize(uint32,address,uint256,address)"
    call(one, GATEWAY.wallet, initialize, domain, usdc, DELAY_BLOCKS, FEE_RECIPIENT)
    initialize = "initialize(uint32,address,address,address)"
    call(one, GATEWAY.minter, initialize, domain, usdc, GATEWAY.wallet, CIRCLE)
    one.rpc("anvil_setBalance", RELAYER, hex(anvil.COINS))
    call(one, usdc, "mint(address,uint256)", RELAYER, STOCK)
    one.mine(10)


@contextmanager
def two_gateway_chains() -> Iterator[dict[str, Anvil]]:
    """Base and Arbitrum with Gateway."""
    with anvil.running(BASE, ready=False) as base, anvil.running(ARBITRUM, ready=False) as other:
        chains = {BASE: base, ARBITRUM: other}
        for one in chains.values():
            put_gateway(one)
        yield chains


@contextmanager
def paying_gateway_chains() -> Iterator[dict[str, Anvil]]:
    """The same with the contracts by which payments are made out of inventory."""
    with two_gateway_chains() as chains:
        for one in chains.values():
            for name in ("IntentFactory", "Escrow2", "Filler2"):
                one.transact(DEPLOYER, SALT + init_code(name))
                one.mine()
            words = address_word("evm", default_deployment().filler2), number_word(2**255)
            call(one, one.token, "mint(address,uint256)", RICH.address, STOCK)
            one.call_token(one.token, "approve(address,uint256)", *words, key=RELAYER_KEY)
            one.mine(10)
        yield chains


@contextmanager
def following(chains: Mapping[str, Anvil]) -> Iterator[GatewayService]:
    """A service of Circle's that follows these chains."""
    networks = {
        CATALOGUE.chains[chain].cctp_domain or 0: Network(
            one.url, dollars(chain), GATEWAY.wallet, GATEWAY.minter
        )
        for chain, one in chains.items()
    }
    with running_gateway(networks) as service:
        yield service


@dataclass
class GatewayWorld:
    """The bridge by a profile, without an engine: what that does to a transfer is in here. Where
    `urls` has two nodes of each chain, both must agree."""

    folder: Path
    anvils: Mapping[str, Anvil]
    service: GatewayService
    depositor: str = ""
    urls: Mapping[str, Sequence[str]] | None = None
    live: LiveEnvironment = field(init=False)
    bridge: GatewayTransfers = field(init=False)
    quotes: GatewayQuotes = field(init=False)

    def __post_init__(self) -> None:
        path = profile_of(
            self.folder,
            self.anvils.values(),
            self.urls,
            quorum=2 if self.urls else 1,
            bridges=("GATEWAY",),
        )
        lines = ["[gateway]", f'url = "{self.service.url}"', "timeout_seconds = 30"]
        if self.depositor:
            lines.append(f'depositor = "{self.depositor}"')
        path.write_text(path.read_text() + "\n".join(lines) + "\n")
        self.live = open_live_environment(path, CATALOGUE, signs=True)
        self.quotes, self.bridge = open_gateway(self.live)

    def close(self) -> None:
        self.quotes.close()
        self.bridge.close()
        self.live.close()

    def planned(
        self, kind: InventoryTransferKind, chain: str, number: int = 1, amount: int = AMOUNT
    ) -> InventoryTransfer:
        """A transfer as it is stored before anything happened."""
        is_mint, now = kind is InventoryTransferKind.MINT, datetime.now(UTC)
        return InventoryTransfer(
            id=number,
            intent_id=number,
            bridge="GATEWAY",
            kind=kind,
            source_chain="" if is_mint else chain,
            destination_chain=chain if is_mint else "",
            source_token="" if is_mint else dollars(chain),
            destination_token=dollars(chain) if is_mint else "",
            amount=amount,
            source_amount=0,
            state=InventoryTransferState.PLANNED,
            attempt=1,
            commitment=b"",
            agreement=b"",
            reference="",
            source_tx="",
            destination_tx="",
            reason="",
            expires_at=None,
            expected_at=None,
            next_at=now,
            created_at=now,
            updated_at=now,
        )

    def commit(self, transfer: InventoryTransfer) -> InventoryTransfer:
        return replace(transfer, commitment=self.bridge.commit(transfer, datetime.now(UTC)))

    def agree(self, transfer: InventoryTransfer) -> InventoryTransfer:
        """The transfer once the service has agreed, which it has to."""
        agreed = self.bridge.agree(transfer, datetime.now(UTC))
        assert isinstance(agreed, Agreed), agreed
        return replace(
            transfer,
            agreement=agreed.agreement,
            reference=agreed.reference,
            source_amount=agreed.source_amount,
            expires_at=agreed.expires_at,
            state=InventoryTransferState.AGREED,
        )

    def track(self, transfer: InventoryTransfer) -> TransferStatus:
        (status,) = self.bridge.track([transfer])
        return status

    def carry_out(self, calls: Sequence[ContractInvocation], key: str = RELAYER_KEY) -> str:
        """Calls in a block each; the name of the last transaction."""
        name = ""
        for one in calls:
            chain = self.anvils[one.chain]
            name = chain.transact(one.to, one.data, one.value, key)
            chain.mine()
        return name

    def deposited(self, chain: str, amount: int = AMOUNT, number: int = 90) -> InventoryTransfer:
        """A deposit of the relayer that is in a block, not yet final."""
        planned = self.planned(InventoryTransferKind.DEPOSIT, chain, number, amount)
        agreed = self.agree(self.commit(planned))
        return replace(agreed, source_tx=self.carry_out(self.bridge.invocations(agreed)))

    def burn(self, chain: str) -> None:
        """Circle burns what was minted of this chain's deposits."""
        domain = CATALOGUE.chains[chain].cctp_domain or 0
        self.anvils[chain].carry_out(GATEWAY.wallet, "0x" + self.service.burn_data(domain).hex())

    def pass_finality(self) -> None:
        for one in self.anvils.values():
            one.mine(12)
