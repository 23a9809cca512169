// Wallets of EVM chains: those that announce themselves (EIP-6963), else the one that is injected.
"use strict";

{
  const word = (number) => BigInt(number).toString(16).padStart(64, "0");
  const PERMIT2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3";
  const isAddress = (text) => /^0x[0-9a-f]{40}$/i.test(text);

  // The call of the only transfer that was asked for, from integers alone.
  function transferOf(ask, from) {
    if (!isAddress(ask.to) || (ask.token && !isAddress(ask.token))) throw new Refusal("mismatch");
    const transfer = ask.token ? { to: ask.token, value: "0x0", data: "0xa9059cbb" + word(ask.to) + word(ask.amount) }
      : { to: ask.to, value: "0x" + BigInt(ask.amount).toString(16) };
    return { from, chainId: ask.chain, ...transfer };
  }

  async function isOnChain(provider, ask) {
    return BigInt(await provider.request({ method: "eth_chainId" })) === BigInt(ask.chain);
  }

  families.evm = {
    find: (found) => findAnnounced("eip6963", () => window.ethereum, found),

    async connect(provider, quietly) {
      const accounts = await provider.request({ method: quietly ? "eth_accounts" : "eth_requestAccounts" });
      if (!isAddress(accounts?.[0])) throw new Refusal("locked");
      return accounts[0];
    },

    isOnChain,

    async switchChain(provider, ask) {
      const change = { method: "wallet_switchEthereumChain", params: [{ chainId: ask.chain }] };
      try {
        await provider.request(change);
      } catch (error) {
        // Some say it by the code, others only in words.
        if (codeOf(error) !== 4902 && !/unrecognized chain|addEthereumChain/i.test(error?.message)) throw error;
        await provider.request({ method: "wallet_addEthereumChain", params: [ask.add] });
        if (!(await isOnChain(provider, ask))) await provider.request(change);
      }
    },

    async send(provider, ask, from) {
      return { hash: await provider.request({ method: "eth_sendTransaction", params: [transferOf(ask, from)] }) };
    },

    // The signature of what the service asks for, if that is the only transfer that was asked for.
    async sign(provider, ask, from, typed) {
      const same = (one, other) => String(one).toLowerCase() === String(other).toLowerCase();
      const { primaryType, domain, message } = typed;
      const byToken = () => primaryType === "TransferWithAuthorization" && same(domain.verifyingContract, ask.token) && same(message.from, from)
        && same(message.to, ask.to) && message.value === ask.amount;
      const byPermit2 = () => primaryType === "PermitWitnessTransferFrom" && same(domain.verifyingContract, PERMIT2)
        && same(message.permitted.token, ask.token) && message.permitted.amount === ask.amount && same(message.witness.to, ask.to);
      if (BigInt(domain.chainId) !== BigInt(ask.chain) || !(byToken() || byPermit2())) throw new Refusal("mismatch");
      return provider.request({ method: "eth_signTypedData_v4", params: [from, JSON.stringify(typed)] });
    },

    // What became of a transaction: `sent`, `included`, `reverted` or `replaced`.
    async follow(provider, sent) {
      const receipt = await provider.request({ method: "eth_getTransactionReceipt", params: [sent.hash] });
      if (receipt) return BigInt(receipt.status) ? "included" : "reverted";
      const waiting = await provider.request({ method: "eth_getTransactionByHash", params: [sent.hash] });
      if (waiting) sent.nonce = waiting.nonce;
      else if (sent.nonce) {
        const next = await provider.request({ method: "eth_getTransactionCount", params: [sent.from, "latest"] });
        if (BigInt(next) > BigInt(sent.nonce)) return "replaced";
      }
      return "sent";
    },

    watch: (provider, changed) => onEvents(provider, ["accountsChanged", "chainChanged"], changed),

    isHash: (text) => /^0x[0-9a-f]{64}$/i.test(text),
  };
}
