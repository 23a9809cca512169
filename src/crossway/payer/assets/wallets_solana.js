// Wallets of Solana, which register by the Wallet Standard and sign what the service has built.
"use strict";

{
  const CONNECT = "standard:connect", SEND = "solana:signAndSendTransaction";
  const DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

  function base58(bytes) {
    let number = 0n, text = "";
    for (const byte of bytes) number = number * 256n + BigInt(byte);
    for (; number; number /= 58n) text = DIGITS[Number(number % 58n)] + text;
    return "1".repeat([...bytes].findIndex(Boolean)) + text;
  }

  async function buildTransfer(account) {
    const response = await fetch(live.dataset.transfer, { method: "POST", body: new URLSearchParams({ account }), credentials: "omit", signal: AbortSignal.timeout(LATE) });
    if (!response.ok) throw new Refusal("unbuilt");
    return response.json();
  }

  families.solana = {
    find(found) {
      const register = (...wallets) => {
        for (const one of wallets) if (one?.features?.[CONNECT] && one.features[SEND]) found({ id: one.name, name: one.name, icon: one.icon, provider: one });
        return () => {};
      };
      addEventListener("wallet-standard:register-wallet", (event) => event.detail?.({ register }));
      dispatchEvent(new CustomEvent("wallet-standard:app-ready", { detail: { register } }));
    },

    async connect(wallet, quietly) {
      const { accounts } = await wallet.features[CONNECT].connect(quietly ? { silent: true } : undefined);
      const account = accounts.find((one) => one.chains.some((chain) => chain.startsWith("solana:")));
      if (!account) throw new Refusal("locked");
      return account.address;
    },

    // A wallet is told the chain with each transaction; it knows some, and there is no switching.
    isOnChain: async (wallet, ask) => wallet.chains.includes(ask.chain),

    async send(wallet, ask, from) {
      const account = wallet.accounts.find((one) => one.address === from);
      if (!account) throw new Refusal("locked");
      const { transaction, amount } = await buildTransfer(from).catch(() => { throw new Refusal("unbuilt"); });
      if (amount !== ask.amount) throw new Refusal("unbuilt");
      const bytes = Uint8Array.from(atob(transaction), (one) => one.charCodeAt(0));
      const [sent] = await wallet.features[SEND].signAndSendTransaction({ account, chain: ask.chain, transaction: bytes });
      return { hash: base58(sent?.signature ?? []) };
    },

    watch: (wallet, changed) => wallet.features["standard:events"]?.on("change", changed),

    isHash: (text) => /^[1-9A-HJ-NP-Za-km-z]{64,90}$/.test(text),
  };
}
