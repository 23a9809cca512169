"""Keys of Solana are read as wallets write them, and nothing of them is ever shown."""

import json
import pickle

import base58
import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from crossway.adapters.chains.rpc.keys import KeyMissing, load_signer
from crossway.adapters.chains.solana.pdas import (
    SYSTEM,
    TOKEN,
    TOKEN_2022,
    MintRegistry,
    ProgramAddresses,
)
from crossway.adapters.chains.solana.signers import (
    DEPOSIT_KEYS,
    KEYS,
    DepositKeys,
    SolanaSigner,
    parse_key,
)

SEED = bytes(range(32))
PAIR = Keypair.from_seed(SEED)
ADDRESS = str(PAIR.pubkey())
SEED_58 = base58.b58encode(SEED).decode()
MINT = "2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo"
FORMS = {
    "array of 64": json.dumps(list(bytes(PAIR))),
    "array of 32": json.dumps(list(SEED)),
    "base58 of 64": base58.b58encode(bytes(PAIR)).decode(),
    "hex": SEED.hex(),
    "hex with 0x": "0x" + SEED.hex(),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_key_is_read_in_the_form_that_wallets_export(form: str) -> None:
    signer = load_signer(KEYS, "env:KEY", "", {"KEY": f" {FORMS[form]}\n"})
    assert signer.address == ADDRESS


def test_a_message_is_signed_as_in_rfc_8032() -> None:
    """Section 7.1, test 2."""
    seed = bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
    public = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
    signer = SolanaSigner(seed)
    assert base58.b58decode(signer.address).hex() == public
    assert signer.sign(b"\x72").hex() == (
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    )


@pytest.mark.parametrize(
    "text",
    ["", "[]", "[1, 2", "[256]", '["a"]', "{}", "ab" * 31, ADDRESS, json.dumps([1] * 31),
     base58.b58encode(bytes(63)).decode(), base58.b58encode(bytes([9]) * 65).decode()],
)  # fmt: skip
def test_what_is_no_key_is_refused_without_being_repeated(text: str) -> None:
    assert parse_key(text) is None
    with pytest.raises(KeyMissing) as refused:
        load_signer(KEYS, "env:KEY", "", {"KEY": text})
    assert not text or text not in str(refused.value)


def test_halves_that_do_not_belong_together_are_refused() -> None:
    mixed = SEED + bytes(Keypair.from_seed(bytes(32)).pubkey())
    with pytest.raises(KeyMissing, match="halves"):
        SolanaSigner(mixed)
    with pytest.raises(KeyMissing) as refused:
        load_signer(KEYS, "env:KEY", "", {"KEY": json.dumps(list(mixed))})
    assert SEED.hex() not in str(refused.value)


@pytest.mark.parametrize(
    "made", [SolanaSigner(SEED), DepositKeys(SEED)], ids=["signer", "deposits"]
)
def test_a_key_shows_itself_nowhere(made: SolanaSigner | DepositKeys) -> None:
    secrets = (SEED.hex(), str(list(SEED)), SEED_58, FORMS["base58 of 64"])
    shown = f"{made!r} {made}"
    assert not any(secret in shown for secret in secrets)
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(made)
    assert not hasattr(made, "__dict__")


def test_keys_of_deposit_addresses_stay_what_they_were() -> None:
    """Money lies at them: another rule would lose it."""
    keys = load_signer(DEPOSIT_KEYS, "env:KEY", "", {"KEY": SEED.hex()})
    one, other = keys.of(bytes(31) + b"\1"), keys.of(bytes(31) + b"\2")
    assert (one.address, other.address) == (
        "CyE2WsTroPPXSr3k2hdsQhhykPw3CiA6Vj52k7icQUFN",
        "64xxdjj7wo9XzStBooY8nir83eLGPQ7HbfhRRsaZUVAN",
    )
    assert keys.of(bytes(31) + b"\1").address == one.address
    # From the seed or from the whole key, as it was exported.
    assert DepositKeys(bytes(PAIR)).of(bytes(31) + b"\1").address == one.address
    assert Pubkey.from_string(one.address).is_on_curve()


# As test_derivations.py, which names where each was published: wallet, mint, account.
USUAL = (
    "B8UwBUUnKwCyKuGMbFKWaG7exYdDk2ozZrPg72NyVbfj",
    "7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z",
    "DShWnroshVbeUp28oopA3Pu7oFPDBtC1DBmPECXXAQ9n",
)
NEWER = (
    "22Wnk8PwyWZV7BfkZGJEKT9jGGdtvu7xY6EXeRh7zkBa",
    "2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo",
    "5nu6HDY7t1Ds8oPNsArrhb1rzvRqmGubyteyAUncFyNb",
)


@pytest.mark.parametrize(
    ("published", "program"), [(USUAL, TOKEN), (NEWER, TOKEN_2022)], ids=["token", "token-2022"]
)
def test_token_accounts_are_where_wallets_look_for_them(
    published: tuple[str, str, str], program: str
) -> None:
    mints = MintRegistry(frozenset({NEWER[1]}))
    wallet, mint, account = published
    assert mints.account_of(wallet, mint) == account
    assert mints.program_of(mint) == program


def test_coins_lie_with_the_wallet_itself() -> None:
    mints = MintRegistry(frozenset())
    assert mints.account_of(ADDRESS, SYSTEM) == mints.account_of(ADDRESS, "native") == ADDRESS


def test_accounts_of_the_program_are_derived_as_it_derives_them() -> None:
    program, key = ProgramAddresses("BPFLoaderUpgradeab1e11111111111111111111111"), bytes(range(32))
    owner, wallet = Pubkey.from_string(program.id), bytes(PAIR.pubkey())
    mint = bytes(Pubkey.from_string(MINT))
    for found, seeds in (
        (program.deposit_owner(key), [b"intent", key]),
        (program.state(key), [b"state", key]),
        (program.marker(key), [b"fill", key]),
        (program.vault(ADDRESS), [b"vault", wallet]),
        (program.retained(ADDRESS, MINT), [b"retained", wallet, mint]),
        (program.retained(ADDRESS, "native"), [b"retained", wallet, bytes(32)]),
    ):
        assert found == str(Pubkey.find_program_address(seeds, owner)[0])
        assert not Pubkey.from_string(found).is_on_curve()
