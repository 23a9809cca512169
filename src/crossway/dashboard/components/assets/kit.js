// What every widget draws with: elements, chips, copy buttons, times that follow the service's clock.

const make = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false || value === "") continue
    if (name === "onclick") node.onclick = value
    else node.setAttribute(name, value)
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== ""))
  return node
}

const icon = (name) => make("span", { class: "icon", "aria-hidden": "true" }, name)

const chip = ({ text, color, icon: sign, hint }) =>
  make("span", { class: `chip ${color || "gray"}`, title: hint }, sign ? icon(sign) : null, text)

const intoClipboard = async (text) => {
  if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(text)
  const area = make("textarea", { style: "position:fixed;opacity:0" })
  area.value = text
  document.body.append(area)
  area.select()
  const done = document.execCommand("copy")
  area.remove()
  if (!done) throw new Error("copy refused")
}

const copyButton = (text, what) => {
  const sign = icon("content_copy")
  const button = make("button", { type: "button", class: "copy", "aria-label": `Copy ${what}`, title: `Copy ${what}` }, sign)
  button.onclick = async (event) => {
    event.stopPropagation()
    event.preventDefault()
    let answer = "check"
    try {
      await intoClipboard(text)
    } catch {
      answer = "priority_high"
    }
    sign.textContent = answer
    button.classList.add("done")
    setTimeout(() => {
      sign.textContent = "content_copy"
      button.classList.remove("done")
    }, 1200)
  }
  return button
}

const span = (seconds) => {
  const whole = Math.floor(Math.abs(seconds))
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min`
  if (whole < 86400) return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
  return `${Math.floor(whole / 86400)} d ${Math.floor((whole % 86400) / 3600)} h`
}

const precise = (seconds) => {
  const whole = Math.max(0, Math.floor(seconds))
  const two = (n) => String(n).padStart(2, "0")
  const hours = Math.floor(whole / 3600)
  return `${hours ? `${hours}:` : ""}${two(Math.floor((whole % 3600) / 60))}:${two(whole % 60)}`
}

const exactly = (at) =>
  new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" }).format(new Date(at))

const spoken = (at, now, as) => {
  const seconds = (at - now) / 1000
  if (as === "exact") return exactly(at)
  if (as === "clock") return exactly(now)
  if (as === "countdown") return seconds > 0 ? precise(seconds) : "over"
  if (as === "left") return seconds > 0 ? `${span(seconds)} left` : "time is over"
  if (Math.abs(seconds) < 1) return "just now"
  return seconds > 0 ? `in ${span(seconds)}` : `${span(seconds)} ago`
}

const time = (at, as) =>
  make("time", { "data-at": at, "data-as": as || "ago", datetime: new Date(at).toISOString(), title: exactly(at) })

const tick = (root, now) => {
  for (const node of root.querySelectorAll("time[data-at]")) {
    const text = spoken(Number(node.dataset.at), now, node.dataset.as)
    if (node.textContent !== text) node.textContent = text
  }
}

// To another screen of the dashboard without loading anything anew, as the Back button goes.
const visit = (href) => {
  const to = new URL(href, document.baseURI)
  const go = () => {
    history.pushState({}, "", to)
    window.dispatchEvent(new PopStateEvent("popstate"))
  }
  if (window.crosswayStream) window.crosswayStream.leave(to.pathname, go)
  else go()
}

const outward = (href, label) =>
  make("a", { href, target: "_blank", rel: "noopener noreferrer", class: "outward", "aria-label": label, title: label }, icon("open_in_new"))

// What is short enough stands on one line.
const whole = (text) => (text.length <= 20 ? "whole" : "")

const content = (cell) => {
  const line = make("span", { class: `line ${cell.mono ? "mono" : ""} ${cell.tone || ""}`, title: cell.hint })
  if (cell.text) line.append(make("span", { class: `text ${whole(cell.text)}` }, cell.text))
  // Spaces that are heard, not seen: what stands side by side is not read as one word.
  if (cell.chips) line.append(...cell.chips.flatMap((one) => [" ", chip(one)]))
  if (cell.at) line.append(time(cell.at, cell.as))
  if (cell.copy) line.append(copyButton(cell.copy, cell.what || "this"))
  if (cell.href) line.append(outward(cell.href, `Open ${cell.what || "this"} in the explorer`))
  const body = make("span", { class: "body" }, line)
  if (cell.sub) body.append(" ", make("span", { class: `sub ${whole(cell.sub)}` }, cell.sub))
  if (cell.share !== null && cell.share !== undefined) {
    const bar = make("span", { class: "bar", role: "presentation" }, make("span", { style: `width:${cell.share}%` }))
    body.append(bar)
  }
  return body
}

// When this browser first heard of each reading of the service's clock.
const heard = (window.crosswayClocks ??= new Map())

const serviceTime = ({ id, now, stands }) => {
  if (!heard.has(id)) heard.set(id, performance.now())
  return stands ? now : now + performance.now() - heard.get(id)
}

// What the server tells all browsers at once of readings that they follow (stream.js hears it), and
// the widgets that draw it, by reading and key.
const told = (window.crosswayTold ??= { of: new Map(), draw: new Map() })

// Draws anew only when something has changed: focus, selection and open parts stay. Times count on.
const redraw = (host, { follow, ...given }, draw) => {
  if (!follow) return paint(host, given, draw)
  const name = `${follow.watch} ${follow.key}`
  let stop
  const latest = () => {
    const news = told.of.get(follow.watch)
    const newer = news && news.number > follow.number && news.widgets[follow.key]
    stop?.()
    stop = paint(host, newer ? { ...newer, clock: given.clock } : given, draw)
  }
  latest()
  told.draw.set(name, latest)
  return () => {
    stop?.()
    if (told.draw.get(name) === latest) told.draw.delete(name)
  }
}

const paint = (host, { clock, ...rest }, draw) => {
  const signature = JSON.stringify(rest)
  if (host.dataset.signature !== signature) {
    const focused = host.getRootNode().activeElement?.dataset?.key
    const open = new Set([...host.querySelectorAll("details[open]")].map((node) => node.dataset.key))
    host.replaceChildren(draw(rest))
    host.dataset.signature = signature
    for (const node of host.querySelectorAll("details")) if (open.has(node.dataset.key)) node.open = true
    if (focused) host.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus()
  }
  if (!clock) return undefined
  tick(host, serviceTime(clock))
  clearInterval(host.crosswayTicking)
  host.crosswayTicking = setInterval(() => tick(host, serviceTime(clock)), 1000)
  return () => clearInterval(host.crosswayTicking)
}
