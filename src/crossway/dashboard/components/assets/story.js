// The guided story: its chapters, which go on by themselves once they were read and have happened, and
// the keys of a presentation.

const TICK_MILLIS = 200
// A tab in the background is called rarely: the story waits for its reader.
const MAX_STEP_MILLIS = 1000
const ASK_AGAIN_MILLIS = 5000
const SHOW_WAITING_MILLIS = 2500
const KEYS = [
  ["→  Space  Page Down", "Next chapter"],
  ["←  Page Up", "Back"],
  ["Home  End", "First and last chapter"],
  ["B", "A chain stops answering; again: it answers"],
  ["P", "Play by itself, pause"],
  ["F", "Full screen"],
  ["Esc", "Leave"],
  ["?  F1", "These keys"],
]

const clockOf = (host, data) => {
  const clock = (host.crosswayStory ??= { run: null })
  if (clock.run !== data.run) Object.assign(clock, { run: data.run, at: -1, paused: data.presenting, keys: false })
  if (clock.at !== data.at) Object.assign(clock, { at: data.at, spent: 0, since: performance.now(), sentAt: -Infinity })
  return clock
}

const chapterMillis = ({ chapters, at }) => (chapters[at]?.seconds ?? 0) * 1000

const button = (key, label, symbol, onclick, kind = "") =>
  make("button", { type: "button", "data-key": key, class: kind, onclick }, icon(symbol), label)

const segments = ({ chapters, at }) =>
  make("ol", { "aria-label": "Chapters" }, ...chapters.map(({ title }, number) =>
    make("li", { class: number < at ? "done" : number === at ? "now" : "todo", "aria-current": number === at ? "step" : null },
      make("span", { class: "track" }, make("span", { class: "fill" })), make("span", { class: "chapter" }, title))))

const facts = ({ facts: of }) =>
  make("dl", {}, ...of.map(([label, value]) => make("div", {}, make("dt", {}, label), make("dd", {}, value))))

const keyList = () =>
  make("dl", { class: "keys", "aria-label": "Keys" }, ...KEYS.map(([keys, what]) =>
    make("div", {}, make("dt", {}, keys), make("dd", {}, what))))

// Everything that somebody can do; a chapter is asked for until it is there.
const actionsOf = (host, data, setTriggerValue) => {
  const clock = host.crosswayStory
  const last = data.chapters.length - (data.presenting ? 1 : 0)
  const go = (to) => {
    const at = Math.max(0, Math.min(last, to))
    clock.sentAt = performance.now()
    if (at !== data.at) setTriggerValue("go", at)
  }
  const redrawControls = () => host.dispatchEvent(new CustomEvent("crossway-story"))
  return {
    go,
    next: () => go(data.at + 1),
    back: () => go(data.at - 1),
    first: () => go(0),
    last: () => go(last),
    pause: () => { clock.paused = !clock.paused; redrawControls() },
    keys: () => { clock.keys = !clock.keys; redrawControls() },
    again: () => setTriggerValue("again", Date.now()),
    fault: () => { if (data.fault) setTriggerValue("fault", !data.fault.active) },
    full: () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen?.()),
    leave: () => {
      if (clock.keys) return actionsOf(host, data, setTriggerValue).keys()
      if (document.fullscreenElement) document.exitFullscreen()
      visit("overview")
    },
  }
}

const controls = (data, clock, act) => {
  const { at, chapters, finished, presenting, fault } = data
  const parts = [button("back", "Back", "arrow_back", act.back)]
  if (!finished) parts.push(clock.paused
    ? button("pause", "Play", "play_arrow", act.pause)
    : button("pause", "Pause", "pause", act.pause))
  if (at < chapters.length - (presenting ? 1 : 0)) parts.push(button("next", "Next", "arrow_forward", act.next))
  if (finished) parts.push(button("again", "Play again", "replay", act.again))
  if (fault) parts.push(button("fault", fault.label, fault.active ? "healing" : "cloud_off", act.fault, fault.active ? "active" : ""))
  if (presenting) parts.push(
    button("full", "Full screen", "fullscreen", act.full),
    button("keys", "Keys", "keyboard", act.keys),
    button("leave", "Leave", "close", act.leave))
  return make("div", { class: "controls", role: "group", "aria-label": "Story" }, ...parts)
}

const draw = (data, clock, act) =>
  make("section", { class: data.presenting ? "presenting" : "", "aria-label": "Guided story" },
    segments(data),
    make("h2", {}, data.title),
    clock.keys ? keyList() : make("p", { class: "text" }, data.text),
    clock.keys ? null : facts(data),
    make("p", { class: "waiting", role: "status" }),
    controls(data, clock, act),
    make("p", { class: "played seconds" }))

// What changes with time alone.
const show = (host, data, clock) => {
  const total = data.chapters.reduce((sum, { seconds }) => sum + seconds, 0)
  const before = data.chapters.slice(0, data.at).reduce((sum, { seconds }) => sum + seconds, 0)
  const share = chapterMillis(data) ? Math.min(1, clock.spent / chapterMillis(data)) : 0
  host.querySelectorAll(".fill").forEach((fill, number) => {
    fill.style.width = `${number < data.at ? 100 : number === data.at ? Math.round(share * 100) : 0}%`
  })
  const over = clock.spent >= chapterMillis(data)
  const said = data.ready || data.finished || performance.now() - clock.since < SHOW_WAITING_MILLIS ? "" : data.waiting
  const waiting = host.querySelector(".waiting")
  if (waiting.textContent !== said) waiting.textContent = said
  const played = Math.min(total, before + (over ? chapterMillis(data) : clock.spent) / 1000)
  const seconds = host.querySelector(".seconds")
  const text = data.presenting && clock.paused ? "" : `${Math.floor(played)} of ${total} s${clock.paused ? ", paused" : ""}`
  if (seconds.textContent !== text) seconds.textContent = text
}

const play = (host, data, clock, act) => {
  let before = performance.now()
  show(host, data, clock)
  return setInterval(() => {
    const now = performance.now()
    const passed = Math.min(MAX_STEP_MILLIS, now - before)
    before = now
    if (data.finished) return
    if (!clock.paused) clock.spent += passed
    const last = data.presenting && data.at === data.chapters.length - 1
    const over = clock.spent >= chapterMillis(data) && data.ready && !clock.paused && !last
    if (over && now - clock.sentAt > ASK_AGAIN_MILLIS) act.next()
    show(host, data, clock)
  }, TICK_MILLIS)
}

const NAMES = {
  ArrowRight: "next", " ": "next", PageDown: "next", ArrowLeft: "back", PageUp: "back", Home: "first", End: "last",
  b: "fault", p: "pause", f: "full", Escape: "leave", "?": "keys", F1: "keys",
}

const listen = (data, act) => {
  if (!data.presenting) return () => {}
  const pressed = (event) => {
    const name = NAMES[event.key.length === 1 ? event.key.toLowerCase() : event.key]
    const at = event.composedPath()[0]
    const typing = at.matches?.("input, textarea, select, [contenteditable=true]") || (event.key === " " && at.matches?.("button, a"))
    if (!name || typing || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return
    event.preventDefault()
    act[name]()
  }
  document.addEventListener("keydown", pressed, true)
  return () => document.removeEventListener("keydown", pressed, true)
}

export default function (component) {
  const { data: [data], parentElement, setTriggerValue } = component
  const host = parentElement.querySelector(".host")
  host.crosswayStoryStop?.()
  const { clock: serviceClock, ...rest } = data
  const clock = clockOf(host, rest)
  const act = actionsOf(host, rest, setTriggerValue)
  const paintAgain = () => paint(host, { ...rest, controls: [clock.paused, clock.keys, data.run] }, () => draw(rest, clock, act))
  const drawControls = () => { paintAgain(); show(host, rest, clock) }
  // The buttons of the drawing before act on the data of then.
  delete host.dataset.signature
  paintAgain()
  host.addEventListener("crossway-story", drawControls)
  const timer = play(host, rest, clock, act)
  const forget = listen(rest, act)
  const stop = () => {
    clearInterval(timer)
    forget()
    host.removeEventListener("crossway-story", drawControls)
  }
  host.crosswayStoryStop = stop
  return stop
}
