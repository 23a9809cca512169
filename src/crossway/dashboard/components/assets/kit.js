// Helpers of all widgets: elements, badges, copy buttons and times that follow the service's clock.

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

const badge = ({ text, color, icon: symbol, hint }) =>
  make("span", { class: `badge ${color || "gray"}`, title: hint }, symbol ? icon(symbol) : null, text)

const writeClipboard = async (text) => {
  if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(text)
  const area = make("textarea", { style: "position:fixed;opacity:0" })
  area.value = text
  document.body.append(area)
  area.select()
  const copied = document.execCommand("copy")
  area.remove()
  if (!copied) throw new Error("copy refused")
}

const copyButton = (text, valueName) => {
  const symbol = icon("content_copy")
  const button = make("button", { type: "button", class: "copy", "aria-label": `Copy ${valueName}`, title: `Copy ${valueName}` }, symbol)
  button.onclick = async (event) => {
    event.stopPropagation()
    event.preventDefault()
    let result = "check"
    try {
      await writeClipboard(text)
    } catch {
      result = "priority_high"
    }
    symbol.textContent = result
    button.classList.add("done")
    setTimeout(() => {
      symbol.textContent = "content_copy"
      button.classList.remove("done")
    }, 1200)
  }
  return button
}

const formatSpan = (seconds) => {
  const whole = Math.floor(Math.abs(seconds))
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min`
  const join = (large, unit, rest, restUnit) => `${large} ${unit}${rest ? ` ${rest} ${restUnit}` : ""}`
  if (whole < 86400) return join(Math.floor(whole / 3600), "h", Math.floor((whole % 3600) / 60), "min")
  return join(Math.floor(whole / 86400), "d", Math.floor((whole % 86400) / 3600), "h")
}

const formatCountdown = (seconds) => {
  const whole = Math.max(0, Math.floor(seconds))
  const two = (n) => String(n).padStart(2, "0")
  const hours = Math.floor(whole / 3600)
  return `${hours ? `${hours}:` : ""}${two(Math.floor((whole % 3600) / 60))}:${two(whole % 60)}`
}

// In the zone of whoever looks, and written as views/formatting.py writes it: 27 Nov 2026, 07:10:05.
const formatExact = (at) =>
  new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" }).format(new Date(at))

const formatTime = (at, now, as) => {
  const seconds = (at - now) / 1000
  if (as === "exact") return formatExact(at)
  if (as === "clock") return formatExact(now)
  if (as === "countdown") return seconds > 0 ? formatCountdown(seconds) : "expired"
  if (as === "left") return seconds > 0 ? `${formatSpan(seconds)} left` : "expired"
  // The clocks of the browser and of the service may differ by a moment.
  if (Math.abs(seconds) < 2) return "just now"
  return seconds > 0 ? `in ${formatSpan(seconds)}` : `${formatSpan(seconds)} ago`
}

const time = (at, as) =>
  make("time", { "data-at": at, "data-as": as || "ago", datetime: new Date(at).toISOString(), title: as === "clock" ? null : formatExact(at) })

// When the page was last up to date: now, or when the connection was lost.
const lastHeard = () => window.crosswayConnection?.lostAt ?? performance.now()

// Ages stand still while the connection is lost: they are of what the page last heard. Deadlines go on.
const tick = (root, clock) => {
  const now = serviceTime(clock)
  const heard = serviceTime(clock, lastHeard())
  for (const node of root.querySelectorAll("time[data-at]")) {
    const text = formatTime(Number(node.dataset.at), node.dataset.as === "ago" ? heard : now, node.dataset.as)
    if (node.textContent !== text) node.textContent = text
  }
}

// Open another page of the dashboard without reloading, as the Back button does.
const visit = (href) => {
  const to = new URL(href, document.baseURI)
  const go = () => {
    history.pushState({}, "", to)
    window.dispatchEvent(new PopStateEvent("popstate"))
  }
  if (window.crosswayStream) window.crosswayStream.leave(to, go)
  else go()
}

const externalLink = (href, label) =>
  make("a", { href, target: "_blank", rel: "noopener noreferrer", class: "external", "aria-label": label, title: label }, icon("open_in_new"))

// The marks of chains, tokens, bridges and ramp providers say nothing that the text does not.
const drawMark = (mark) => {
  const [kind, name] = mark.split("/")
  const file = `app/static/marks/${kind === "testnets" ? "chains" : kind}/${name}.svg`
  const image = make("img", { class: `mark ${kind}`, src: new URL(file, document.baseURI).href, width: 16, height: 16 })
  // make() leaves empty attributes out.
  image.alt = ""
  return image
}

// A click on a link to a page of the dashboard opens it in place; one with modifier keys as the browser has it.
const openInPlace = (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return
  event.preventDefault()
  visit(event.currentTarget.getAttribute("href"))
}

const pageLink = (href, label) =>
  make("a", { href, class: "external", "aria-label": label, title: label, onclick: openInPlace }, icon("arrow_forward"))

const linkOf = ({ href, value_name: name }) =>
  /^https?:/.test(href)
    ? externalLink(href, name?.endsWith("URL") ? `Open ${name}` : `Open ${name || "this"} in the explorer`)
    : pageLink(href, `Open the page of this ${name || "record"}`)

// Short texts do not wrap.
const nowrap = (text) => (text.length <= 20 ? "nowrap" : "")

const content = (cell) => {
  const line = make("span", { class: `line ${cell.mono ? "mono" : ""} ${cell.tone || ""}`, title: cell.hint })
  if (cell.marks) line.append(make("span", { class: "marks" }, ...cell.marks.map(drawMark)))
  if (cell.text) line.append(make("span", { class: `text ${nowrap(cell.text)}` }, cell.text))
  // The space is for screen readers, which would read adjacent badges as one word.
  if (cell.badges) line.append(...cell.badges.flatMap((one) => [" ", badge(one)]))
  if (cell.at) line.append(time(cell.at, cell.as))
  if (cell.copy) line.append(copyButton(cell.copy, cell.value_name || "this"))
  if (cell.href) line.append(linkOf(cell))
  const body = make("span", { class: "body" }, line)
  if (cell.sub) body.append(" ", make("span", { class: `sub ${nowrap(cell.sub)}` }, cell.sub))
  if (cell.share !== null && cell.share !== undefined) {
    const bar = make("span", { class: "bar", role: "presentation" }, make("span", { style: `width:${cell.share}%` }))
    body.append(bar)
  }
  return body
}

// When this browser first received each state of the service's clock.
const received = (window.crosswayClocks ??= new Map())

const serviceTime = ({ id, now, stopped }, at = performance.now()) => {
  if (!received.has(id)) received.set(id, performance.now())
  return stopped ? now : now + at - received.get(id)
}

// The latest results of shared queries, which stream.js receives, and the redraw function of each
// widget that shows one, by query and widget key.
const shared = (window.crosswayQueries ??= { results: new Map(), redraws: new Map() })

// Draw a widget, and redraw it when its shared query has a new result. Its controls are the viewer's
// own: no query has them. A widget that keeps its elements brings its own `painter`.
const redraw = (host, { subscription, ...data }, draw, painter = paint) => {
  if (!subscription) return painter(host, data, draw)
  const name = `${subscription.query} ${subscription.key}`
  let stop
  const update = () => {
    const result = shared.results.get(subscription.query)
    const newer = result && result.version > subscription.version && result.widgets[subscription.key]
    stop?.()
    stop = painter(host, newer ? { ...newer, controls: data.controls, clock: data.clock } : data, draw)
  }
  update()
  shared.redraws.set(name, update)
  return () => {
    stop?.()
    if (shared.redraws.get(name) === update) shared.redraws.delete(name)
  }
}

// Redraws only if the data has changed, so that focus, selection and open parts stay. Times tick on.
const paint = (host, { clock, ...rest }, draw) => {
  const drawAgain = () => {
    const focused = host.getRootNode().activeElement?.dataset?.key
    const open = new Set([...host.querySelectorAll("details[open]")].map((node) => node.dataset.key))
    host.replaceChildren(draw(rest, drawAgain))
    if (clock) tick(host, clock)
    for (const node of host.querySelectorAll("details")) if (open.has(node.dataset.key)) node.open = true
    if (focused) host.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus()
  }
  const signature = JSON.stringify(rest)
  if (host.dataset.signature !== signature) {
    drawAgain()
    host.dataset.signature = signature
  }
  if (!clock) return undefined
  tick(host, clock)
  clearInterval(host.crosswayTicking)
  host.crosswayTicking = setInterval(() => tick(host, clock), 1000)
  return () => clearInterval(host.crosswayTicking)
}
