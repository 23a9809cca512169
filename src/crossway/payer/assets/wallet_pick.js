// A payment link's page: shows what the payer's wallets can pay with, as the service reads it, and
// fills in the form by the pick.
"use strict";

{
  const SILENT = 15_000;
  const FAMILY_NAMES = { evm: "EVM", solana: "Solana", tron: "Tron", starknet: "Starknet" };
  const box = document.getElementById("wallet_pick"), form = box.closest("form"), refund = form.elements.refund;
  const texts = JSON.parse(box.dataset.texts), names = box.dataset.families.split(" ");
  const found = [], accounts = {}, used = {}; // by family: the account to pay from, and its wallet
  const list = make("div", { className: "acts" }), told = make("p", {}, texts.choose), held = make("div", {});
  let step = 0, filled = "";

  const nameOf = (wallet) => (wallet.name || texts.unnamed) + (names.length > 1 ? " · " + FAMILY_NAMES[wallet.family] : "");

  function tell(key, wallet) {
    told.textContent = fill(texts[key], { wallet: nameOf(wallet) });
    announcement.textContent = told.textContent;
  }

  async function connect(wallet) {
    const mine = ++step;
    tell("connecting", wallet);
    const timer = setTimeout(() => { if (mine === step) tell("silent", wallet); }, SILENT);
    try {
      const account = await families[wallet.family].connect(wallet.provider, false);
      if (mine === step) await show(wallet, account, true);
    } catch (error) {
      if (mine === step) tell(reasonOf(error), wallet);
    } finally { clearTimeout(timer); }
  }

  // A wallet that was used before, if it still shows its account without asking. Nothing is picked.
  async function resume(wallet) {
    const account = await families[wallet.family].connect(wallet.provider, true).catch(() => null);
    if (account && !step) await show(wallet, account, false).catch(() => {});
  }

  async function show(wallet, account, picks) {
    const mine = ++step;
    accounts[wallet.family] = account;
    used[wallet.family] = wallet;
    rememberWallet(wallet);
    tell("looking", wallet);
    const body = new URLSearchParams({ ...accounts, amount: form.elements.amount.value });
    const response = await fetch(box.dataset.url, { method: "POST", body, credentials: "omit" });
    if (mine !== step) return;
    if (!response.ok) return tell("failed", wallet);
    const html = new DOMParser().parseFromString(await response.text(), "text/html").body.firstElementChild;
    held.replaceChildren(document.adoptNode(html));
    told.textContent = "";
    announcement.textContent = held.querySelector(".told").textContent;
    const first = held.querySelector("input");
    if (picks && first) { first.checked = true; pick(first); first.focus(); } else if (picks) held.querySelector(".told").focus();
  }

  // Money that comes back goes to the wallet that pays, unless the payer has written an address.
  function pick(choice) {
    const account = accounts[choice.dataset.family] ?? "";
    if (refund.value !== filled) return;
    refund.value = filled = account;
  }

  form.addEventListener("change", (event) => { if (event.target.name === "method") pick(event.target); });
  form.addEventListener("submit", () => {
    const wallet = used[form.querySelector("[name=method]:checked")?.dataset.family];
    if (wallet) rememberWallet(wallet);
  });

  findWallets(names, (wallet) => {
    if (!found.length) box.append(make("h2", {}, texts.title), told, list, held);
    found.push(wallet);
    list.append(walletButton(wallet, nameOf(wallet), () => connect(wallet)));
    if (isRemembered(wallet)) resume(wallet);
  });
}
