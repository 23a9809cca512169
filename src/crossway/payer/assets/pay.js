// The payer's page: copying, the time left by the service's clock, and updates every few seconds.
"use strict";

const live = document.getElementById("live");
const announcement = document.getElementById("announcement");
const stale = document.getElementById("stale");
// In milliseconds: how often is asked, also once a payment is on its way or has ended, and when an
// answer is late.
const POLL = 2500, HURRY = 1000, SLOW = 15000, LATE = 8000;
let anchor = null; // the service's time, and performance.now() at that time
let pollTimer = null;
let pace = POLL;
let failures = 0;
let updated = Date.now();

function article() { return live && live.firstElementChild; }

function setClock(millis) { anchor = { millis: Number(millis), at: performance.now() }; }

function now() { return anchor.millis + performance.now() - anchor.at; }

function show(scope) {
  for (const element of scope.querySelectorAll("[data-copy][hidden], [data-print][hidden], [data-left][hidden]")) element.hidden = false;
  const format = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
  for (const element of scope.querySelectorAll("time[data-at]")) element.textContent = format.format(Number(element.dataset.at));
}

function tick() {
  const shown = article();
  const left = shown && shown.querySelector("[data-left]");
  if (!left) return;
  const seconds = Math.ceil((Number(shown.dataset.expiresAt) - now()) / 1000);
  if (seconds <= 0) {
    if (left.textContent !== left.dataset.expired) { left.textContent = left.dataset.expired; poll(); }
    return;
  }
  const two = (n) => String(n).padStart(2, "0");
  const hours = Math.floor(seconds / 3600), minutes = Math.floor(seconds / 60) % 60;
  left.textContent = (hours ? hours + ":" + two(minutes) : minutes) + ":" + two(seconds % 60);
}

// Tells the page around, where the merchant allows its site; nobody else can read it.
function notifyParent() {
  if (window.parent === window) return;
  const shown = article(), allowed = (document.documentElement.dataset.frames || "").split(" ").filter(Boolean);
  const around = location.ancestorOrigins && location.ancestorOrigins[0];
  const told = {
    source: "crossway", height: document.documentElement.offsetHeight,
    state: shown ? shown.dataset.state : "form", ended: Boolean(shown && shown.hasAttribute("data-ended")),
  };
  for (const site of allowed) if (!around || around === site) window.parent.postMessage(told, site);
}

// Says since when the page has not been up to date, once; nothing while it is.
function noteAnswer(came) {
  failures = came ? 0 : failures + 1;
  if (came) updated = Date.now();
  else if (stale.hidden) {
    const format = new Intl.DateTimeFormat(document.documentElement.lang, { timeStyle: "medium" });
    stale.textContent = stale.dataset.text.replace("{time}", format.format(updated));
  }
  if (stale.hidden !== came) { stale.hidden = came; notifyParent(); }
}

async function poll() {
  clearTimeout(pollTimer);
  const shown = article();
  if (!shown || document.hidden) return;
  try {
    const url = live.dataset.poll + "&version=" + encodeURIComponent(shown.dataset.version);
    const response = await fetch(url, { cache: "no-store", credentials: "omit", signal: AbortSignal.timeout(LATE) });
    noteAnswer(response.ok);
    if (response.ok) {
      if (response.headers.get("x-now")) setClock(response.headers.get("x-now"));
      if (response.status === 200) draw(await response.text());
    }
  } catch (error) { noteAnswer(false); }
  const ended = article().hasAttribute("data-ended");
  pollTimer = setTimeout(poll, (ended ? SLOW : pace) * Math.min(2 ** failures, 4));
}

// Asks at once, and from now on more often: something is about to arrive.
function hurry() { pace = HURRY; poll(); }

function draw(html) {
  const before = article().dataset.statusText;
  const focused = document.activeElement && live.contains(document.activeElement) ? document.activeElement.id : "";
  const unfolded = [...live.querySelectorAll("details[id][open]")].map((part) => part.id);
  const fresh = new DOMParser().parseFromString(html, "text/html").body.firstElementChild;
  if (!fresh) return;
  live.replaceChildren(document.adoptNode(fresh));
  for (const id of unfolded) { const part = document.getElementById(id); if (part) part.open = true; }
  show(live);
  document.dispatchEvent(new Event("drawn"));
  if (focused && document.getElementById(focused)) document.getElementById(focused).focus();
  if (fresh.dataset.statusText !== before) announcement.textContent = fresh.dataset.statusText;
  tick();
  notifyParent();
}

async function copy(button) {
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
  } catch (error) {
    const field = document.createElement("textarea");
    field.value = button.dataset.copy;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
    button.focus();
  }
  const label = button.textContent;
  const done = article() ? article().dataset.copied : label;
  button.textContent = done;
  button.classList.add("copied");
  if (announcement) announcement.textContent = done;
  setTimeout(() => { button.textContent = label; button.classList.remove("copied"); }, 1800);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.copy && !button.classList.contains("copied")) copy(button);
  if ("print" in button.dataset) window.print();
});

// A double click sends a form once; the service also accepts it only once.
document.addEventListener("submit", (event) => {
  if (!("once" in event.target.dataset)) return;
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "1";
});
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("[data-once]")) delete form.dataset.sent;
});
document.addEventListener("visibilitychange", () => { if (!document.hidden) poll(); });
window.addEventListener("online", () => { if (live) poll(); });

show(document);
if (live) {
  setClock(article().dataset.now);
  tick();
  setInterval(tick, 500);
  pollTimer = setTimeout(poll, POLL);
}
notifyParent();
new ResizeObserver(notifyParent).observe(document.body);
