"""Wallets in the browser that tests play: injected by a script, with the key outside the page."""

import json
from dataclasses import dataclass, field
from typing import Any

from eth_account import Account
from playwright.sync_api import BrowserContext

from tests.chains.anvil import Anvil
from tests.chains.signing import numbers_of

PICTURE = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E"
REFUSED = {"code": 4001, "message": "User rejected the request."}
UNKNOWN_CHAIN = {"code": 4902, "message": "Unrecognized chain ID."}
NEW_CHAIN = {"chainId", "chainName", "nativeCurrency", "rpcUrls", "blockExplorerUrls"}
_ASK = """
const ask = async (name, method, params) => {
  const answer = JSON.parse(await window.askWallet(name, method, JSON.stringify(params ?? null)));
  if (answer.silent) return new Promise(() => {});
  if (answer.error) throw Object.assign(new Error(answer.error.message), answer.error);
  return answer.result;
};
window.standIns = {};
"""
_EVM = """
{
  const facts = %s, listeners = {};
  const provider = {
    request: ({ method, params }) => ask(facts.name, method, params),
    on: (event, listener) => { (listeners[event] ??= []).push(listener); },
    emit: (event, value) => { for (const listener of listeners[event] ?? []) listener(value); },
  };
  window.standIns[facts.name] = provider;
  if (facts.announced) {
    const detail = Object.freeze({ info: { ...facts, uuid: crypto.randomUUID() }, provider });
    const announce = () => dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
    addEventListener("eip6963:requestProvider", announce);
    announce();
  } else window.ethereum = provider;
}
"""


class Refused(Exception):
    """A wallet's error, as the page gets it."""

    def __init__(self, **error: Any) -> None:
        super().__init__(error)
        self.error = error


@dataclass
class EvmWallet:
    """One wallet: which chains it knows, on which of them it is, and what its owner does.

    One that `pretends` is on that chain by its own word, and sends on the one that it is on.
    `errors` and `results` are what it answers to a method instead, `silent` methods never answer.
    One that `lies` claims to have switched. `asked` is everything that it was asked."""

    name: str
    key: str
    chains: dict[int, Anvil]
    chain: int
    announced: bool = True
    icon: str = PICTURE
    locked: bool = False
    lies: bool = False
    pretends: int | None = None
    errors: dict[str, dict[str, Any]] = field(default_factory=dict)
    results: dict[str, Any] = field(default_factory=dict)
    unknown_error: dict[str, Any] = field(default_factory=lambda: UNKNOWN_CHAIN)
    silent: set[str] = field(default_factory=set)
    asked: list[tuple[str, Any]] = field(default_factory=list)
    connected: bool = False
    unknown: set[int] = field(default_factory=set)

    @property
    def address(self) -> str:
        return str(Account.from_key(self.key).address)

    def script(self) -> str:
        facts = {"name": self.name, "rdns": f"test.{self.name}", "icon": self.icon}
        return _EVM % json.dumps({**facts, "announced": self.announced})

    def times(self, method: str) -> int:
        """How often it was asked this."""
        return sum(asked == method for asked, _ in self.asked)

    def answer(self, method: str, params: Any) -> dict[str, Any]:
        self.asked.append((method, params))
        if method in self.silent:
            return {"silent": True}
        if method in self.errors:
            return {"error": self.errors[method]}
        if method in self.results:
            return {"result": self.results[method]}
        try:
            return {"result": self._result(method, params)}
        except Refused as refused:
            return {"error": refused.error}

    def _result(self, method: str, params: Any) -> Any:
        match method:
            case "eth_requestAccounts":
                self.connected = not self.locked
                return self._accounts()
            case "eth_accounts":
                return self._accounts()
            case "eth_chainId":
                return hex(self.pretends or self.chain)
            case "wallet_switchEthereumChain":
                asked = int(params[0]["chainId"], 16)
                if asked in self.unknown:
                    raise Refused(**self.unknown_error)
                self.chain = self.chain if self.lies else asked
                return None
            case "wallet_addEthereumChain":
                assert set(params[0]) == NEW_CHAIN
                assert all(url.startswith("https://") for url in params[0]["rpcUrls"])
                self.unknown.discard(int(params[0]["chainId"], 16))
                return None
            case "eth_sendTransaction":
                return self._send(**params[0])
            case "eth_signTypedData_v4":
                return self._sign(*params)
        return self._ask_node(method, *params)

    def _accounts(self) -> list[str]:
        return [self.address] if self.connected and not self.locked else []

    def _send(self, **asked: Any) -> str:
        assert set(asked) <= {"from", "to", "value", "data", "chainId"}
        assert asked["from"] == self.address
        if int(asked["chainId"], 16) != (self.pretends or self.chain):
            raise Refused(code=-32602, message="chainId does not match")
        data, value = bytes.fromhex(asked.get("data", "0x")[2:]), int(asked["value"], 16)
        raw = self.chains[self.chain].signed(asked["to"], data, value, self.key)
        return str(self._ask_node("eth_sendRawTransaction", raw))

    def _sign(self, account: str, content: str) -> str:
        """As a wallet does: the domain's type is in what it signs, and numbers are text."""
        assert account == self.address
        asked = json.loads(content)
        assert "EIP712Domain" in asked["types"]
        if asked["domain"]["chainId"] != (self.pretends or self.chain):
            raise Refused(code=-32602, message="chainId does not match")
        signed = Account.sign_typed_data(self.key, full_message=numbers_of(asked))
        return "0x" + bytes(signed.signature).hex()

    def _ask_node(self, method: str, *params: Any) -> Any:
        answer = self.chains[self.chain].asked(method, *params)
        if "error" in answer:
            raise Refused(**answer["error"])
        return answer["result"]


def install(context: BrowserContext, *wallets: Any) -> None:
    """Put these wallets into every page of a browser context."""
    by_name = {wallet.name: wallet for wallet in wallets}

    def ask(name: str, method: str, params: str) -> str:
        return json.dumps(by_name[name].answer(method, json.loads(params)))

    context.expose_function("askWallet", ask)
    context.add_init_script(_ASK + "".join(wallet.script() for wallet in wallets))
