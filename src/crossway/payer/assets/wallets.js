// What all wallets in the browser have in common: how they are found and shown, and what went wrong.
"use strict";

// By family of chains, how its wallets are found and asked; the families' own scripts fill it.
const families = {};
const MOST_WALLETS = 12;
const WALLET_ICON = /^data:image\/(png|jpeg|gif|webp|svg\+xml)[;,]/;

// Something that a wallet did not do; `key` is that of our text.
class Refusal extends Error {
  constructor(key) { super(key); this.key = key; }
}

function codeOf(error) { return error?.data?.originalError?.code ?? error?.code; }

// Why a wallet did not do what it was asked, as a key of our texts. Its own words are never shown.
function reasonOf(error) {
  if (error instanceof Refusal) return error.key;
  const code = codeOf(error), words = String(error?.message ?? error);
  const known = { 4001: "rejected", 113: "rejected", 4100: "locked", 4900: "offline", 4901: "offline", "-32002": "busy", "-32003": "no_gas", 117: "wrong_chain" };
  if (known[code]) return known[code];
  if (/insufficient|not enough/i.test(words)) return "no_gas";
  return /reject|declin|denied|cancel/i.test(words) ? "rejected" : "failed";
}

// Calls `found` with each wallet of these families, once, also with those that come later.
function findWallets(names, found) {
  const known = [];
  for (const family of names) {
    families[family].find(({ id, name, icon, provider }) => {
      if (!provider || known.includes(provider) || known.length >= MOST_WALLETS) return;
      known.push(provider);
      found({
        family, provider, id: String(id), name: String(name || "").trim().slice(0, 40),
        icon: WALLET_ICON.test(icon) ? icon : "",
      });
    });
  }
}

// Finds wallets that announce themselves under this name, else the one that is injected.
function findAnnounced(prefix, injected, found) {
  const isProvider = (provider) => typeof provider?.request === "function";
  let announced = false;
  addEventListener(prefix + ":announceProvider", (event) => {
    const { info, provider } = event.detail ?? {};
    if (!info || !isProvider(provider)) return;
    announced = true;
    found({ id: info.rdns, name: info.name, icon: info.icon, provider });
  });
  dispatchEvent(new Event(prefix + ":requestProvider"));
  setTimeout(() => {
    if (!announced && isProvider(injected())) found({ id: "injected", name: "", provider: injected() });
  }, 300);
}

function onEvents(provider, events, changed) {
  for (const event of events) provider.on?.(event, changed);
}

// An element; strings among its children are text, never HTML.
function make(tag, facts, ...children) {
  const element = Object.assign(document.createElement(tag), facts);
  element.append(...children);
  return element;
}

// A text with the values for its names in braces, each apart from the text's direction.
function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (hole, name) => name in values ? "\u2068" + values[name] + "\u2069" : hole);
}

function walletButton(wallet, label, act) {
  const mark = wallet.icon ? make("img", { src: wallet.icon, alt: "", width: 28, height: 28 })
    : make("span", { className: "mark", ariaHidden: "true" }, label.slice(0, 1));
  const button = make("button", { type: "button", className: "quiet wallet", id: "wallet " + wallet.family + " " + wallet.id }, mark, make("bdi", {}, label));
  button.addEventListener("click", act);
  return button;
}

// The wallet that was used last, in this tab alone: the next page finds it again.
function rememberWallet(wallet) { keep("wallet", wallet.family + " " + wallet.id); }

function isRemembered(wallet) { return kept("wallet") === wallet.family + " " + wallet.id; }

// A frame of another site may have no storage.
function keep(name, value) { try { sessionStorage.setItem(name, value); } catch (error) { /* as above */ } }

function kept(name) { try { return sessionStorage.getItem(name); } catch (error) { return null; } }
