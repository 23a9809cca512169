// Shows a payer's page inside a shop's own page, and tells the shop what happens there.
// crossway.embed(place, url) returns an EventTarget with `frame` and `close()`; its events have
// {state, ended, height} in `detail`: "ready" once, "change" with each state, "paid", "ended".
"use strict";

(() => {
  const home = new URL(document.currentScript.src).origin;

  function embed(place, url) {
    const page = new URL(url, home);
    if (page.origin !== home) throw new TypeError("The page to embed must be of " + home);
    const parent = typeof place === "string" ? document.querySelector(place) : place;
    if (!parent) throw new TypeError("There is no such element: " + place);
    page.searchParams.set("embed", "1");
    const events = new EventTarget(), frame = document.createElement("iframe");
    let state = null, ended = false;

    function hear(event) {
      const told = event.data;
      if (event.origin !== home || event.source !== frame.contentWindow) return;
      if (!told || told.source !== "crossway") return;
      frame.style.height = Math.ceil(Number(told.height) || 0) + "px";
      const tell = (name) => events.dispatchEvent(new CustomEvent(name, { detail: { ...told } }));
      if (state === null) tell("ready");
      if (state !== told.state) {
        state = told.state;
        tell("change");
        if (state === "completed") tell("paid");
      }
      if (told.ended && !ended) tell("ended");
      ended = Boolean(told.ended);
    }

    events.frame = frame;
    events.close = () => { window.removeEventListener("message", hear); frame.remove(); };
    window.addEventListener("message", hear);
    frame.title = "Payment";
    frame.allow = "clipboard-write";
    frame.style.cssText = "border:0;width:100%;min-height:20rem;color-scheme:auto";
    frame.src = page.href;
    parent.append(frame);
    return events;
  }

  window.crossway = Object.freeze({ embed });
})();
