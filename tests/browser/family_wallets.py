"""Wallets of Solana, Tron and Starknet that tests play, each on its stand-in of a chain."""

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

from solders.keypair import Keypair
from solders.signature import Signature
from solders.transaction import VersionedTransaction

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.calldata import Call
from crossway.adapters.chains.starknet.felts import to_felt
from crossway.adapters.chains.tron.address_format import to_evm_address
from crossway.adapters.chains.tron.transactions import (
    TronSigner,
    encode_call_tx,
    encode_transfer_tx,
)
from crossway.adapters.chains.words import address_word, number_word
from tests.browser.wallets import PICTURE
from tests.chains.families import SolanaHands
from tests.chains.solana import node as solana
from tests.chains.starknet.network import Starknet
from tests.chains.tron.node import FEE_LIMIT, Tron

_SOLANA = """
{
  const { name, icon, chains } = %s, accounts = [], features = {}, listeners = [];
  const wallet = { version: "1.0.0", name, icon, chains, accounts, features };
  features["standard:connect"] = { version: "1.0.0", connect: async (input) => {
    const shared = await ask(name, "connect", input);
    const more = { publicKey: new Uint8Array(32), chains, features: [] };
    accounts.splice(0, 9, ...shared.map((address) => ({ address, ...more })));
    return { accounts };
  } };
  features["standard:events"] = { version: "1.0.0", on: (_, one) => { listeners.push(one); } };
  features["solana:signAndSendTransaction"] = { version: "1.0.0", supportedTransactionVersions: [0],
    signAndSendTransaction: async ({ account, chain, transaction }) => {
      const asked = { address: account.address, chain, transaction: [...transaction] };
      return [{ signature: Uint8Array.from(await ask(name, "send", asked)) }];
    } };
  addEventListener("wallet-standard:app-ready", ({ detail }) => detail.register(wallet));
}
"""
_TRON = """
{
  const { name, icon } = %s;
  let shared = false;
  const tronWeb = {
    get defaultAddress() { return { base58: shared }; },
    transactionBuilder: {
      triggerSmartContract: async (token, call, options, values, from) =>
        ({ transaction: { token, call, options, values, from } }),
      sendTrx: async (to, amount, from) => ({ to, amount, from }),
    },
    trx: {
      sign: (transaction) => ask(name, "sign", transaction),
      sendRawTransaction: (signed) => ask(name, "broadcast", signed),
    },
  };
  const provider = { tronWeb, on() {}, request: async ({ method, params }) => {
    const answer = await ask(name, method, params);
    if (method === "eth_requestAccounts") shared = answer[0] ?? false;
    return answer;
  } };
  const detail = { info: { uuid: crypto.randomUUID(), name, icon, rdns: name }, provider };
  const announce = () => dispatchEvent(new CustomEvent("TIP6963:announceProvider", { detail }));
  addEventListener("TIP6963:requestProvider", announce);
}
"""
_STARKNET = """
{
  const { name, icon } = %s;
  window["starknet_" + name] = { id: name, name, icon, version: "1.0.0", on() {}, off() {},
    request: ({ type, params }) => ask(name, type, params) };
}
"""


@dataclass
class FamilyWallet(ABC):
    """A wallet with dollars; `errors` are what it answers to a question instead. One that `lies`
    claims to have switched."""

    hands: Any
    name: str
    chain: str
    locked: bool = False
    lies: bool = False
    icon: str = PICTURE
    connected: bool = False
    errors: dict[str, dict[str, Any]] = field(default_factory=dict)
    asked: list[tuple[str, Any]] = field(default_factory=list)

    @property
    @abstractmethod
    def address(self) -> str: ...

    @abstractmethod
    def fund(self, units: int) -> None:
        """Dollars, and coins for fees."""

    @abstractmethod
    def script(self) -> str: ...

    @abstractmethod
    def result(self, method: str, params: Any) -> Any:
        """What it answers where nothing is wrong."""

    def answer(self, method: str, params: Any) -> dict[str, Any]:
        self.asked.append((method, params))
        if method in self.errors:
            return {"error": self.errors[method]}
        return {"result": self.result(method, params)}

    def facts(self) -> str:
        return json.dumps({"name": self.name, "icon": self.icon, "chains": [self.chain]})

    def accounts(self, quietly: bool) -> list[str]:
        self.connected = not self.locked and (self.connected or not quietly)
        return [self.address] if self.connected else []

    def switch(self, chain: str) -> bool:
        self.chain = self.chain if self.lies else chain
        return True


class SolanaWallet(FamilyWallet):
    """Registered by the Wallet Standard."""

    hands: SolanaHands
    declined = "send", {"code": 4001, "message": "User rejected the request."}

    @property
    def key(self) -> Keypair:
        return solana.key_of(self.name)

    @property
    def address(self) -> str:
        return str(self.key.pubkey())

    def fund(self, units: int) -> None:
        self.hands.node.give(self.address, 10**9, solana.NATIVE)
        self.hands.node.give(self.address, units)

    def script(self) -> str:
        return _SOLANA % self.facts()

    def result(self, method: str, params: Any) -> Any:
        if method == "connect":
            return self.accounts(bool(params and params.get("silent")))
        assert (method, params["chain"], params["address"]) == ("send", self.chain, self.address)
        message = VersionedTransaction.from_bytes(bytes(params["transaction"])).message
        signed = VersionedTransaction(message, [self.key])
        name = self.hands.node.cluster.send(signed, wallet=True)
        return list(bytes(Signature.from_string(name)))


class TronWallet(FamilyWallet):
    """Announced by TIP-6963, with TronWeb's part that pages use."""

    hands: Tron
    declined = "sign", {"message": "Confirmation declined by user"}

    @property
    def signer(self) -> TronSigner:
        return TronSigner(keccak256(self.name.encode()))

    @property
    def address(self) -> str:
        return self.signer.address

    def fund(self, units: int) -> None:
        self.hands.anvil.rpc("anvil_setBalance", to_evm_address(self.address), hex(10**12))
        words = address_word("tron", self.address) + number_word(units)
        self.hands.call(self.hands.token, keccak256(b"mint(address,uint256)")[:4] + words)
        self.hands.mine()

    def script(self) -> str:
        return _TRON % self.facts()

    def result(self, method: str, params: Any) -> Any:
        match method:
            case "eth_requestAccounts":
                return self.accounts(False)
            case "eth_chainId":
                return self.chain
            case "wallet_switchEthereumChain":
                return self.switch(params[0]["chainId"])
            case "sign":
                return {"raw": self._encode(**params).hex()}
        assert method == "broadcast"
        return {"result": True, "txid": self.hands.send(bytes.fromhex(params["raw"]), self.signer)}

    def _encode(self, **asked: Any) -> bytes:
        own, frame = to_evm_address(self.address), self.hands.frame()
        assert asked.pop("from") == self.address
        if "token" not in asked:
            return encode_transfer_tx(own, to_evm_address(asked["to"]), asked["amount"], frame)
        assert asked["call"] == "transfer(address,uint256)"
        to, amount = asked["values"]
        assert (to["type"], amount["type"]) == ("address", "uint256")
        words = address_word("tron", to["value"]) + number_word(int(amount["value"]))
        data = keccak256(asked["call"].encode())[:4] + words
        assert asked["options"]["feeLimit"] <= FEE_LIMIT
        return encode_call_tx(own, Call(to_evm_address(asked["token"]), data, 0), frame, FEE_LIMIT)


class StarknetWallet(FamilyWallet):
    """Injected as get-starknet finds wallets."""

    hands: Starknet
    declined = "wallet_addInvokeTransaction", {"code": 113, "message": "An error occurred"}

    @property
    def address(self) -> str:
        return self.hands.wallet(self.name)

    def fund(self, units: int) -> None:
        self.hands.give(self.address, units)

    def script(self) -> str:
        return _STARKNET % self.facts()

    def result(self, method: str, params: Any) -> Any:
        match method:
            case "wallet_requestAccounts":
                return self.accounts(params["silent_mode"])
            case "wallet_requestChainId":
                return self.chain
            case "wallet_switchStarknetChain":
                return self.switch(params["chainId"])
        assert method == "wallet_addInvokeTransaction"
        [call] = params["calls"]
        felts = [to_felt(felt) for felt in call["calldata"]]
        contract, name = call["contract_address"], call["entry_point"]
        return {"transaction_hash": self.hands.call(contract, name, *felts, by=self.address)}
