// Wallets of Starknet, which put an object named `starknet_` and more into the window.
"use strict";

{
  const isFelt = (text) => /^0x[0-9a-f]{1,64}$/i.test(text);

  async function isOnChain(wallet, ask) {
    return BigInt(await wallet.request({ type: "wallet_requestChainId" })) === BigInt(ask.chain);
  }

  function look(found) {
    for (const name of Object.keys(window)) {
      const one = name.startsWith("starknet_") ? window[name] : null;
      if (typeof one?.request === "function") found({ id: one.id, name: one.name, icon: one.icon?.light ?? one.icon, provider: one });
    }
  }

  families.starknet = {
    find(found) {
      look(found);
      setTimeout(() => look(found), 300);
    },

    async connect(wallet, quietly) {
      const accounts = await wallet.request({ type: "wallet_requestAccounts", params: { silent_mode: quietly } });
      if (!isFelt(accounts?.[0])) throw new Refusal("locked");
      return accounts[0];
    },

    isOnChain,

    async switchChain(wallet, ask) {
      await wallet.request({ type: "wallet_switchStarknetChain", params: { chainId: ask.chain } });
    },

    async send(wallet, ask) {
      const amount = BigInt(ask.amount), word = (number) => "0x" + number.toString(16);
      const calldata = [ask.to, word(amount & ((1n << 128n) - 1n)), word(amount >> 128n)];
      const calls = [{ contract_address: ask.token, entry_point: "transfer", calldata }];
      const sent = await wallet.request({ type: "wallet_addInvokeTransaction", params: { calls } });
      return { hash: sent?.transaction_hash };
    },

    watch: (wallet, changed) => onEvents(wallet, ["accountsChanged", "networkChanged"], changed),

    isHash: isFelt,
  };
}
