"""Numbers of Starknet's field: selectors, hashes, contract addresses, and how nodes write them."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from starknet_py.hash.address import compute_address
from starknet_py.hash.utils import pedersen_hash

from crossway.adapters.chains.addresses import keccak256

PRIME = 2**251 + 17 * 2**192 + 1
_LOW = 2**128 - 1
_MASK_250 = 2**250 - 1


@lru_cache(maxsize=512)
def selector(name: str) -> int:
    """By what a contract knows an entry point or an event."""
    return int.from_bytes(keccak256(name.encode()), "big") & _MASK_250


def short(text: str) -> int:
    """Up to 31 ASCII characters as one number."""
    return int.from_bytes(text.encode("ascii"), "big")


def text_of(felt: int) -> str:
    """The characters that a number stands for; empty where it stands for none."""
    raw = felt.to_bytes(32, "big").lstrip(b"\0")
    return raw.decode("ascii") if raw.isascii() and raw.decode("ascii").isprintable() else ""


def number(text: str) -> int:
    """The number of an address or a hash in canonical form."""
    return int(text, 16)


def name_of(felt: int) -> str:
    """An address or a hash in canonical form: 0x and 64 hex digits."""
    return f"0x{felt:064x}"


def pair(value: int) -> tuple[int, int]:
    """A number of 256 bits as two: the low half, then the high one."""
    return value & _LOW, value >> 128


def whole(low: int, high: int) -> int:
    """The number of 256 bits that two halves make. Raises `ValueError` where one is no half."""
    if low > _LOW or high > _LOW:
        raise ValueError("a half of 256 bits is more than 128")
    return high << 128 | low


def word(raw: bytes) -> tuple[int, int]:
    """A word of 32 bytes as two halves."""
    return pair(int.from_bytes(raw, "big"))


def written(felts: Iterable[int]) -> list[str]:
    """Numbers as nodes take them: hexadecimal and without leading zeros."""
    return [hex(felt) for felt in felts]


def contract_address(class_hash: int, salt: int, calldata: Sequence[int], deployer: int) -> int:
    """The address of a contract, known before anything is deployed there. `deployer` is 0 for
    what the universal deployer puts on every network at the same address."""
    return compute_address(
        class_hash=class_hash, constructor_calldata=calldata, salt=salt, deployer_address=deployer
    )


def salt_of(key: bytes) -> int:
    """The salt of the deposit address of an intent."""
    low, high = word(key)
    return pedersen_hash(low, high)
