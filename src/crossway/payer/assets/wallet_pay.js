// A payment's page: asks the payer's wallet to send exactly what the service says, and follows it.
// Whether it is paid, the service alone decides, by the chain.
"use strict";

{
  // In milliseconds: when a wallet's silence is mentioned, how often a transaction is looked at, and
  // when it may be sent again although nothing is known of it.
  const SILENT = 15_000, LOOK = 1500, UNSEEN = 120_000;
  // States in which nothing is asked of the wallet, so that what it tells by itself is looked at.
  const QUIET = ["ready", "signable", "approvable", "unread", "changed", "low", "elsewhere"];
  const texts = JSON.parse(live.dataset.walletTexts);
  const panel = make("div", { className: "wallets" });
  const memory = "sent " + location.pathname;
  const found = [];
  let used = null; // the connected wallet and its account, with its balance of the token
  let sent = JSON.parse(kept(memory) ?? "null");
  let started = false;
  let step = 0; // what an earlier step tells late is not shown

  const place = () => document.getElementById("wallet_pay");
  const ask = () => JSON.parse(place().dataset.ask);
  const family = () => families[ask().family];
  const nameOf = (wallet) => wallet.name || texts.unnamed;
  const same = (one, other) => one === other || (/^0x/i.test(one) && one.toLowerCase() === String(other).toLowerCase());

  function button(key, act, className = "quiet") {
    const made = make("button", { type: "button", className, id: "wallet_do_" + key }, say(key));
    made.addEventListener("click", act);
    return made;
  }

  function say(key) {
    return fill(texts[key], { ...ask().names, wallet: used ? nameOf(used.wallet) : texts.unnamed, balance: used?.balance ?? "" });
  }

  // Shows one state of the panel: its text, read out too, and what can be done.
  function tell(key, ...actions) {
    if (!place()) return;
    const facts = [], focused = panel.contains(document.activeElement), changed = panel.dataset.state !== key;
    if (used?.account) facts.push(make("p", { className: "hint" }, make("bdi", {}, nameOf(used.wallet)), " · ", make("bdi", { dir: "ltr", title: used.account }, used.account.slice(0, 8) + "…" + used.account.slice(-6))));
    if (sent?.hash) facts.push(transactionLine(sent.hash));
    panel.dataset.state = key;
    panel.replaceChildren(make("h2", {}, texts.title), ...facts, make("p", { className: "told", id: "wallet_told", tabIndex: -1 }, say(key)), make("div", { className: "acts" }, ...actions));
    if (!panel.isConnected) place().replaceChildren(panel);
    if (focused) (actions.find((action) => action.matches(".button")) ?? panel.querySelector(".told")).focus();
    if (changed) announcement.textContent = say(key);
    notifyParent();
  }

  function transactionLine(hash) {
    const short = make("bdi", { dir: "ltr" }, hash.slice(0, 10) + "…" + hash.slice(-8)), { explorer } = ask();
    const shown = explorer ? make("a", { href: explorer.replace("{tx}", hash), target: "_blank", rel: "noopener noreferrer" }, short) : short;
    return make("p", { className: "hint" }, texts.transaction + " ", shown);
  }

  function choose() {
    step++;
    used = null;
    if (!found.length) return panel.remove();
    tell("choose", ...found.map((wallet) => walletButton(wallet, nameOf(wallet), () => connect(wallet))));
  }

  const other = () => button("other", choose);

  // Asks the wallet something that may take a while or never end. Null if it fails, after which the
  // payer can do `again` what led to it, or if another step came first.
  async function request(key, question, again) {
    const mine = ++step;
    tell(key, other());
    const timer = setTimeout(() => { if (mine === step) tell("silent", other()); }, SILENT);
    try {
      const answer = await question();
      return mine === step && place() ? answer : null;
    } catch (error) {
      if (mine === step) tell(reasonOf(error), button("again", () => again(reasonOf(error))), other());
      return null;
    } finally { clearTimeout(timer); }
  }

  async function connect(wallet) {
    used = { wallet };
    const account = await request("connecting", () => family().connect(wallet.provider, false), () => connect(wallet));
    if (account !== null) await begin(wallet, account);
  }

  // A wallet that was used on the page before, if it still shows its account without asking.
  async function resume(wallet) {
    const account = await family().connect(wallet.provider, true).catch(() => null);
    if (account && !used && !sent) await begin(wallet, account);
  }

  async function begin(wallet, account) {
    used = { wallet, account };
    rememberWallet(wallet);
    await check();
  }

  // Shows what the wallet can do now: switch, pay, or neither.
  async function check(key = "ready") {
    const { wallet, account } = used;
    const state = await request("checking", async () => {
      const [right, held] = await Promise.all([family().isOnChain(wallet.provider, ask()), readBalance(account)]);
      return { right, held };
    }, () => check());
    if (!state) return;
    used.balance = state.held?.balance;
    // Somebody has signed, perhaps in another window: nobody shall pay twice.
    if (state.held?.signed) return remember(wallet, account, ask(), "", true);
    if (state.held && !state.held.enough) tell("low", button("again", () => check()), other());
    else if (!state.right) tell("elsewhere", family().switchChain ? button("switch", switchChain, "button") : button("again", () => check()), other());
    else if (state.held?.signs && family().sign && key === "ready") tell("signable", button("sign", () => pay(sign), "button"), button("pay", () => pay(send)), other());
    else if (state.held?.approves && key === "ready") tell("approvable", button("pay", () => pay(send), "button"), other());
    else tell(key === "ready" && !used.balance ? "unread" : key, button("pay", () => pay(send), "button"), other());
  }

  // Null if the service cannot tell: the wallet knows it in the end.
  async function readBalance(account) {
    try {
      const response = await fetch(live.dataset.balance, { method: "POST", body: new URLSearchParams({ account }), credentials: "omit", signal: AbortSignal.timeout(LATE) });
      return response.ok ? await response.json() : null;
    } catch (error) { return null; }
  }

  async function switchChain() {
    const done = await request("switching", async () => {
      await family().switchChain(used.wallet.provider, ask());
      // Wallets say that they have switched although they have not.
      if (!(await family().isOnChain(used.wallet.provider, ask()))) throw new Refusal("wrong_chain");
      return true;
    }, switchChain);
    if (done) await check();
  }

  // Asks the wallet to pay by `way`, if all is still as it was shown.
  async function pay(way) {
    const { wallet, account } = used, asked = ask();
    if (now() >= Number(article().dataset.expiresAt)) return poll();
    if (document.querySelector(".address").textContent !== asked.to) return tell("mismatch");
    const state = await request("checking", async () => {
      const shared = await family().connect(wallet.provider, true);
      return { same: same(shared, account) && await family().isOnChain(wallet.provider, asked) };
    }, () => check());
    if (state && !state.same) await renew();
    else if (state) await request("confirm", () => way(wallet, account, asked), (reason) => way === sign || reason === "failed" ? check() : pay(way));
  }

  // What comes back counts also when the payer has meanwhile looked elsewhere: it is sent.
  async function send(wallet, account, asked) {
    const { hash } = await families[asked.family].send(wallet.provider, asked, account);
    remember(wallet, account, asked, hash);
  }

  // The payer only signs, and the service sends it.
  async function sign(wallet, account, asked) {
    const { typed } = await handIn({ account });
    if (!typed) return remember(wallet, account, asked, "", true);
    const signature = await families[asked.family].sign(wallet.provider, asked, account, typed);
    await handIn({ account, signature });
    remember(wallet, account, asked, "", true);
  }

  async function handIn(fields) {
    let answer = {};
    try {
      const response = await fetch(live.dataset.sign, { method: "POST", body: new URLSearchParams(fields), credentials: "omit", signal: AbortSignal.timeout(LATE) });
      if ((answer = await response.json()) && response.ok) return answer;
    } catch (error) { /* Without an answer that is ours. */ }
    throw new Refusal(["low", "sign_wrong", "sign_refused"].includes(answer.error) ? answer.error : "unbuilt");
  }

  function remember(wallet, account, asked, hash, signed = false) {
    sent = { from: account, wallet: wallet.id, amount: asked.amount, at: Date.now(), hash: families[asked.family].isHash(hash) ? hash : "", signed };
    used = { ...used, wallet, account };
    keep(memory, JSON.stringify(sent));
    hurry();
    follow();
  }

  // The account or chain is another one than a moment ago: nothing is sent before it was shown.
  async function renew() {
    const { wallet } = used;
    const account = await request("checking", () => family().connect(wallet.provider, true), () => connect(wallet));
    if (account === null) return;
    used.account = account;
    await check("changed");
  }

  async function follow() {
    if (!sent || !place()) return;
    const mine = ++step, provider = used?.wallet.id === sent.wallet ? used.wallet.provider : null;
    let state = sent.signed ? "signed" : "sent";
    if (sent.signed) state = await followSignature();
    else if (provider && sent.hash && family().follow) {
      try { state = await family().follow(provider, sent); } catch (error) { /* The service follows it too. */ }
    }
    if (mine !== step || !place() || !sent) return;
    if (["reverted", "sign_used", "sign_refused"].includes(state)) return tell(state, button("anew", startOver));
    if (state === "sent" && Date.now() - sent.at > UNSEEN) state = "unseen";
    if (panel.dataset.state !== state) tell(state, ...(["unseen", "replaced"].includes(state) ? [button("anew", startOver)] : []));
    setTimeout(() => { if (mine === step) follow(); }, LOOK);
  }

  async function followSignature() {
    try {
      const answer = await (await fetch(live.dataset.sign, { credentials: "omit", signal: AbortSignal.timeout(LATE) })).json();
      if (sent && family().isHash(answer.hash)) sent.hash = answer.hash;
      return ["sign_used", "sign_refused"].includes(answer.state) ? answer.state : "signed";
    } catch (error) { return "signed"; }
  }

  function startOver() {
    sent = null;
    keep(memory, "null");
    if (used?.account) check(); else choose();
  }

  // Looks for wallets, once: as soon as the page asks for a payment.
  function start() {
    started = true;
    if (sent) resumeSent();
    findWallets([ask().family], (wallet) => {
      found.push(wallet);
      families[wallet.family].watch?.(wallet.provider, () => {
        if (used?.wallet === wallet && QUIET.includes(panel.dataset.state)) renew();
      });
      if (!place()) return;
      if (sent) { if (wallet.id === sent.wallet) used ??= { wallet, account: sent.from }; return; }
      if (used) return;
      choose();
      if (isRemembered(wallet)) resume(wallet);
    });
  }

  // What is missing may be another amount than was sent, as that has arrived.
  function resumeSent() {
    if (sent.amount !== ask().amount) return startOver();
    hurry();
    follow();
  }

  document.addEventListener("drawn", () => {
    if (!place()) return;
    if (!started) return start();
    if (found.length || sent) place().replaceChildren(panel);
    if (sent && sent.amount !== ask().amount) startOver();
  });

  if (place()) start();
}
