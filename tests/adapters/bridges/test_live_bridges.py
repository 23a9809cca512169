"""The bridges of a live environment, as its profile names them."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import permutations
from pathlib import Path

import pytest

from crossway.adapters.live_bridges import LiveBridges, open_bridges
from crossway.adapters.live_environment import LiveEnvironment, open_live_environment
from crossway.adapters.prices.fixed import FixedPrices
from crossway.domain.errors import Unreachable
from crossway.domain.quotes import BridgeQuote, RouteRequest
from tests.bridges.across_service import running_across
from tests.bridges.attestation_service import running_service
from tests.bridges.gateway_service import running_gateway
from tests.bridges.payments import ARBITRUM, BASE, CATALOGUE, NOW
from tests.bridges.rhinofi_chains import KEY_NAME, rhinofi_key
from tests.bridges.rhinofi_service import running_rhinofi

ACCOUNT = "0x8617E340B3D01FA5F11F306F4090FD50E238070D"
BSC, POLYGON, MONAD_TEST = "BSC_MAINNET", "POLYGON_MAINNET", "MONAD_TESTNET"


def read(folder: Path, head: str, *chains: str) -> LiveEnvironment:
    lines = [head]
    for chain in chains:
        lines += [
            f"[chains.{chain}]",
            'rpc = ["http://127.0.0.1:9"]',
            'key = "env:NO_KEY"',
            f'treasury = "{ACCOUNT}"',
            f'relayer = "{ACCOUNT}"',
        ]
    path = folder / "profile.toml"
    path.write_text("\n".join(lines) + "\n")
    return open_live_environment(path, CATALOGUE, signs=False)


@contextmanager
def opened(folder: Path, head: str = "", *chains: str) -> Iterator[LiveBridges]:
    live = read(folder, head, *(chains or (BASE, ARBITRUM)))
    bridges = open_bridges(live, FixedPrices({"USDC": 10**12}, NOW))
    try:
        yield bridges
    finally:
        moving = bridges.inventory_bridges.values()
        for one in (*bridges.bridges, *bridges.clients.values(), *moving):
            getattr(one, "close", int)()
        live.close()


def test_cctp_alone_is_quoted_by_default(tmp_path: Path) -> None:
    with opened(tmp_path) as bridges:
        assert [bridge.name for bridge in bridges.bridges] == ["CCTP"]
        pairs = {(route.source, route.destination) for route in bridges.bridges[0].routes()}
    assert pairs == {(BASE, ARBITRUM), (ARBITRUM, BASE)}


def test_paying_out_of_inventory_has_to_be_named(tmp_path: Path) -> None:
    with opened(tmp_path, 'bridges = ["CCTP", "INVENTORY"]') as bridges:
        assert [bridge.name for bridge in bridges.bridges] == ["CCTP", "INVENTORY"]


def test_across_has_to_be_named_and_prices_where_its_contract_is(tmp_path: Path) -> None:
    with running_across() as service:
        head = f'bridges = ["ACROSS"]\n[across]\nurl = "{service.url}"'
        with opened(tmp_path, head, BASE, BSC, POLYGON, MONAD_TEST) as bridges:
            (across,) = bridges.bridges
            pairs = {(route.source, route.destination) for route in across.routes()}
            (quote,) = across.get_quotes([RouteRequest(BASE, BSC, 25_000_000)], NOW)
    assert pairs == set(permutations((BASE, BSC, POLYGON), 2))
    assert isinstance(quote, BridgeQuote)
    assert (quote.bridge, quote.collector) == ("ACROSS", "ACROSS")
    assert service.keys == [""]


def test_the_key_of_across_must_be_in_the_environment(tmp_path: Path) -> None:
    head = '[across]\napi_key = "env:CROSSWAY_NO_SUCH_KEY"'
    live = read(tmp_path, head, BASE)
    with pytest.raises(ValueError, match=r"across\.api_key: the environment has no CROSSWAY_NO_SU"):
        open_bridges(live, FixedPrices({}, NOW))
    live.close()


def test_transfers_are_followed_although_their_bridge_is_quoted_no_more(tmp_path: Path) -> None:
    with opened(tmp_path, "bridges = []", BASE, BSC, POLYGON) as bridges:
        assert bridges.bridges == []
        assert bridges.clients.keys() == {"ACROSS", "CCTP"}
        assert bridges.ends.keys() == {BASE, BSC, POLYGON}


def test_rhinofi_has_to_be_named_and_moves_inventory_where_its_key_is(tmp_path: Path) -> None:
    with running_rhinofi() as service, rhinofi_key():
        table = f'[rhinofi]\nurl = "{service.url}"\napi_key = "env:{KEY_NAME}"'
        with opened(tmp_path, f'bridges = ["RHINOFI"]\n{table}', BASE, BSC, MONAD_TEST) as bridges:
            (rhinofi,) = bridges.bridges
            pairs = {(route.source, route.destination) for route in rhinofi.routes()}
            assert bridges.inventory_bridges.keys() == {"ACROSS", "GATEWAY", "RHINOFI"}
        # Transfers are followed although it is quoted no more.
        with opened(tmp_path, f"bridges = []\n{table}") as bridges:
            assert bridges.bridges == []
            assert bridges.inventory_bridges.keys() == {"ACROSS", "GATEWAY", "RHINOFI"}
    assert pairs == set(permutations((BASE, BSC)))
    assert service.requests == []
    with opened(tmp_path) as bridges:
        assert bridges.inventory_bridges.keys() == {"ACROSS", "GATEWAY"}


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ('bridges = ["RHINOFI"]', r"rhinofi\.api_key is missing"),
        ('[rhinofi]\napi_key = "env:NO_SUCH_KEY"', "the environment has no NO_SUCH_KEY"),
    ],
)
def test_rhinofi_cannot_be_used_without_a_key(head: str, words: str, tmp_path: Path) -> None:
    live = read(tmp_path, head, BASE)
    with pytest.raises(ValueError, match=words):
        open_bridges(live, FixedPrices({}, NOW))
    live.close()


def test_gateway_is_quoted_by_the_operators_url_between_its_evm_chains(tmp_path: Path) -> None:
    with running_gateway({}) as service:
        head = f'bridges = ["GATEWAY"]\n[gateway]\nurl = "{service.url}"'
        with opened(tmp_path, head, BASE, ARBITRUM, BSC, MONAD_TEST) as bridges:
            (gateway,) = bridges.bridges
            pairs = {(route.source, route.destination) for route in gateway.routes()}
            (quote,) = gateway.get_quotes([RouteRequest(BASE, ARBITRUM, 25_000_000)], NOW)
    assert pairs == {(BASE, ARBITRUM), (ARBITRUM, BASE)}
    assert isinstance(quote, BridgeQuote)
    assert (quote.bridge, quote.custody, quote.collector) == ("GATEWAY", "OPERATOR", "")


def test_inventory_moves_although_gateway_is_not_quoted(tmp_path: Path) -> None:
    with opened(tmp_path, "bridges = []") as bridges:
        assert bridges.inventory_bridges.keys() == {"ACROSS", "GATEWAY"}


def test_an_attestation_service_of_the_operators_is_asked_instead_of_circles(
    tmp_path: Path,
) -> None:
    with running_service() as service:
        head = f'[cctp]\nurl = "{service.url}"'
        with opened(tmp_path, head) as bridges:
            request = RouteRequest(BASE, ARBITRUM, 25_000_000)
            (quote,) = bridges.bridges[0].get_quotes([request], NOW)
    assert isinstance(quote, BridgeQuote)
    assert quote.collector == "CCTP_FAST"
    assert len(service.requests) == 2


def test_after_its_end_nothing_is_asked(tmp_path: Path) -> None:
    with running_service() as service:
        with opened(tmp_path, f'[cctp]\nurl = "{service.url}"') as bridges:
            (bridge,) = bridges.bridges
        with pytest.raises((Unreachable, RuntimeError)):
            bridge.get_quotes([RouteRequest(BASE, ARBITRUM, 25_000_000)], NOW)
    assert service.requests == []


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ('[cctp]\nurl = "ftp://circle.example"', "cctp.url: must begin with https://"),
        ('[cctp]\nkey = "secret"', "cctp.key: there is no such field"),
        ('[across]\napi_key = "secret"', "across.api_key: must be env:NAME, never a key itself"),
        ("[cctp]\ntimeout_seconds = 0", "cctp.timeout_seconds: Input should be greater than 0"),
        ("[cctp]\nrequests_per_second = 36", "cctp.requests_per_second: Input should be less than"),
        (
            "[across]\nrequests_per_minute = 0",
            "across.requests_per_minute: Input should be",
        ),
        ("[cctp]\ncache_seconds = 601", "cctp.cache_seconds: Input should be less than"),
        ("[across]\ncache_seconds = 5", "across.cache_seconds: there is no such field"),
        ('[gateway]\nkey = "secret"', "gateway.key: there is no such field"),
        ('[gateway]\ndepositor = "0x12"', "gateway: "),
        (f'[gateway]\ndepositor = "{ACCOUNT.lower()}"', f"depositor must be written {ACCOUNT}"),
        ("[gateway]\ntimeout_seconds = 0", "gateway.timeout_seconds: "),
        ('[rhinofi]\napi_key = "secret"', "rhinofi.api_key: must be env:NAME, never a key itself"),
        ('[rhinofi]\nurl = "rhino.fi"', "rhinofi.url: must begin with https://"),
        ('bridges = ["MOON"]', r"bridges\.0: Input should be"),
    ],
)
def test_a_wrong_field_is_refused_in_words(head: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=words):
        read(tmp_path, head, BASE)
