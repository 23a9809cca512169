// Wallets of Tron: those that announce themselves (TIP-6963), else the one that is injected.
"use strict";

{
  // In sun: a transfer to a new address costs less than a third of it. Unused energy costs nothing.
  const FEE_LIMIT = 100_000_000;

  async function isOnChain(provider, ask) {
    return BigInt(await provider.request({ method: "eth_chainId" })) === BigInt(ask.chain);
  }

  // From text and integers alone; the wallet shows what it signs.
  async function buildTransfer({ transactionBuilder }, ask, from) {
    if (!ask.token) {
      const sun = Number(ask.amount);
      if (!Number.isSafeInteger(sun)) throw new Refusal("unbuilt");
      return transactionBuilder.sendTrx(ask.to, sun, from);
    }
    const values = [{ type: "address", value: ask.to }, { type: "uint256", value: ask.amount }];
    const built = await transactionBuilder.triggerSmartContract(ask.token, "transfer(address,uint256)", { feeLimit: FEE_LIMIT }, values, from);
    return built.transaction;
  }

  families.tron = {
    find: (found) => findAnnounced("TIP6963", () => window.tron ?? window.tronLink, found),

    async connect(provider, quietly) {
      let account = null;
      if (!quietly) {
        try {
          [account] = await provider.request({ method: "eth_requestAccounts" });
        } catch (error) {
          if (![4200, -32601].includes(codeOf(error))) throw error;
          const answer = await provider.request({ method: "tron_requestAccounts" });
          if (answer?.code === 4001) throw new Refusal("rejected");
        }
      }
      account ??= provider.tronWeb?.defaultAddress?.base58;
      if (!/^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(account)) throw new Refusal("locked");
      return account;
    },

    isOnChain,

    async switchChain(provider, ask) {
      await provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId: ask.chain }] });
    },

    async send(provider, ask, from) {
      // Read anew: it is another one after a change of chain.
      const { tronWeb } = provider;
      const signed = await tronWeb.trx.sign(await buildTransfer(tronWeb, ask, from));
      const { result, txid, code } = await tronWeb.trx.sendRawTransaction(signed);
      if (!result) throw new Error(code);
      return { hash: txid };
    },

    watch: (provider, changed) => onEvents(provider, ["accountsChanged", "chainChanged"], changed),

    isHash: (text) => /^[0-9a-f]{64}$/i.test(text),
  };
}
