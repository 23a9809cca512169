// The page's one WebSocket to the server. It receives the change counters of topics, the alert strip
// and new results of the shared queries that the page subscribes to.

const RECONNECT_MILLIS = [500, 1000]
const HIDDEN_RECONNECT_MILLIS = 5000
// A requested fragment that was not drawn within this time is requested again.
const LOST_MILLIS = 8000
const MAX_RESULTS = 50
// Streamlit sends a request with a delay and keeps only one of those made at the same moment.
const REQUEST_GAP_MILLIS = 20
// Streamlit has sent what somebody did within this time.
const ACTION_MILLIS = 50
const ACTIONS = ["pointerup", "click", "input", "change", "keydown", "focusout"]
// A navigation that has not happened within this time will not happen any more.
const LEAVING_MILLIS = 15000
// A typed value reaches the server, and the run that takes it ends, within these times.
const EDIT_START_MILLIS = 1000
const EDIT_END_MILLIS = 10000
// A page that has been empty for this time is loaded again, at most this often.
const EMPTY_MILLIS = 1500
const RELOAD_GAP_MILLIS = 20000
const NAVIGATION_LINKS = '[data-testid=stSidebarNavLink], [data-testid=stPageLink-NavLink], [data-testid=stLogoLink]'

const openStream = () => {
  const fragments = new Map()
  const shared = (window.crosswayQueries ??= { results: new Map(), redraws: new Map() })
  let counters = null
  let socket = null
  let ticket = ""
  let session = ""
  let subscribed = ""
  let attempts = 0
  let reconnectTimer = null
  let pending = []
  let requesting = false
  let leaving = { path: null, to: null, at: 0 }
  let edit = null
  let actedAt = -Infinity

  const topicChanged = (fragment) =>
    counters !== null && fragment.drawn.epoch === counters.epoch &&
    fragment.topics.some((topic) => fragment.drawn.counters[topic] !== counters.counters[topic])

  // Widgets redraw new results by themselves; when the frame has changed, the fragment is redrawn.
  const frameChanged = (fragment) =>
    Object.entries(fragment.queries ?? {}).some(([query, [version, frameVersion]]) => {
      const result = shared.results.get(query)
      return result !== undefined && result.version > version && result.frame_version !== frameVersion
    })

  const isLeaving = () => leaving.path === location.pathname && performance.now() - leaving.at < LEAVING_MILLIS

  // Streamlit sends all that is set before its next timer runs as one request, for one fragment: a
  // click that is sent with a fragment's request is lost. So a request is sent at once, not by that
  // timer, and not while something that somebody did may be waiting for it.
  const sendAlone = (request) => {
    const { setTimeout } = window
    let send = null
    window.setTimeout = (run, millis, ...rest) => {
      if (millis !== 0 || send !== null) return setTimeout(run, millis, ...rest)
      send = run
      return 0
    }
    try {
      request()
    } finally {
      window.setTimeout = setTimeout
    }
    send?.()
  }

  const requestNext = () => {
    requesting = pending.length > 0
    if (!requesting) return
    if (performance.now() - actedAt > ACTION_MILLIS) {
      const [key, fragment] = pending.shift()
      const shown = fragments.get(key) === fragment && location.pathname === fragment.path
      if (shown) sendAlone(fragment.requestRerun)
    }
    setTimeout(requestNext, REQUEST_GAP_MILLIS)
  }

  // A navigation interrupts the run that takes a typed value, which is then lost: an edit is over when
  // a run that has begun after it has ended.
  const followEdits = () => {
    const began = (event) => {
      const committed = event.type === "focusout" || event.key === "Enter"
      if (event.type === "input" || (edit && committed)) edit = { at: performance.now(), started: false }
    }
    for (const type of ["input", "focusout", "keydown"]) document.addEventListener(type, began, true)
    new MutationObserver(() => {
      if (edit && isRunning()) edit.started = true
      else if (edit?.started) edit = null
    }).observe(document, { subtree: true, attributeFilter: ["data-test-script-state"] })
  }

  const isTakingEdit = () => {
    if (edit === null) return false
    const limit = edit.started || isRunning() ? EDIT_END_MILLIS : EDIT_START_MILLIS
    return performance.now() - edit.at < limit
  }

  const mustWait = () => requesting || isTakingEdit()

  // A request that is sent after its page was left is answered with that page and empties the new
  // one. So no more requests are made, and the navigation waits until pending ones are sent.
  const leave = (to, go) => {
    if (to.pathname === location.pathname) return go()
    leaving = { path: location.pathname, to: to.href, at: performance.now() }
    pending = []
    if (mustWait()) return setTimeout(() => leave(to, go), REQUEST_GAP_MILLIS)
    edit = null
    go()
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.(NAVIGATION_LINKS)
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return
    const to = new URL(link.href || location.href)
    const held = mustWait() && to.pathname !== location.pathname
    if (held) {
      event.preventDefault()
      event.stopImmediatePropagation()
    }
    leave(to, () => { if (held) link.click() })
  }, true)

  // A fragment is requested once, and again only after it was drawn: slow servers get no extra load.
  const requestOutdated = () => {
    if (document.hidden || isLeaving() || !connection.isUsable()) return
    const now = performance.now()
    for (const [key, fragment] of fragments) {
      if (fragment.onCounters) fragment.onCounters(counters)
      if (!fragment.requestRerun || location.pathname !== fragment.path) continue
      const outdated = topicChanged(fragment) || frameChanged(fragment)
      if (!outdated) fragment.requestedAt = null
      const lost = fragment.requestedAt === null || now - fragment.requestedAt > LOST_MILLIS
      const due = outdated && now - fragment.at >= fragment.minIntervalMillis && lost
      if (due || now - fragment.at > fragment.refreshMillis) {
        fragment.requestedAt = fragment.at = now
        pending.push([key, fragment])
        if (!requesting) requestNext()
      }
    }
  }

  // Tell the server which queries the page shows, and in which versions.
  const subscribe = () => {
    if (socket === null || socket.readyState !== WebSocket.OPEN) return
    const queries = {}
    for (const fragment of fragments.values()) {
      Object.assign(queries, fragment.queries ?? {})
    }
    const names = [session, ...Object.keys(queries).sort()].join(" ")
    if (names === subscribed) return
    subscribed = names
    socket.send(JSON.stringify({ session, queries }))
  }

  const receive = (message) => {
    connection.heard(message)
    if (message.counters) counters = message
    if (!message.query) return
    shared.results.delete(message.query)
    shared.results.set(message.query, message)
    if (shared.results.size > MAX_RESULTS) shared.results.delete(shared.results.keys().next().value)
    for (const key of Object.keys(message.widgets)) shared.redraws.get(`${message.query} ${key}`)?.()
  }

  // A session that ended while nobody was connected, as on a laptop that slept: without one, neither
  // this socket nor Streamlit's is opened again.
  const leaveIfSignedOut = async () => {
    const answer = await fetch("/_stcore/health", { cache: "no-store" }).catch(() => null)
    if (answer?.status === 401 && !window.crosswayLeaves) location.assign(`/sign-in?${new URLSearchParams({ next: location.pathname + location.search })}`)
  }

  const connect = () => {
    reconnectTimer = null
    if (socket !== null || fragments.size === 0) return
    const url = new URL("live", document.baseURI)
    url.protocol = url.protocol.replace("http", "ws")
    url.search = url.hash = ""
    const opened = (socket = new WebSocket(url))
    subscribed = ""
    opened.onopen = () => {
      opened.send(ticket)
      subscribe()
    }
    opened.onmessage = (event) => {
      attempts = 0
      receive(JSON.parse(event.data))
      requestOutdated()
    }
    opened.onclose = ({ code }) => {
      if (socket !== opened) return
      socket = null
      connection.closed(code)
      if (attempts > 0) leaveIfSignedOut()
      const delay = RECONNECT_MILLIS[Math.min(attempts++, RECONNECT_MILLIS.length - 1)]
      reconnectTimer = setTimeout(connect, document.hidden ? HIDDEN_RECONNECT_MILLIS : delay)
    }
  }

  // At once, with another ticket or after a rest in the background.
  const reconnect = () => {
    clearTimeout(reconnectTimer)
    const before = socket
    socket = null
    before?.close()
    connect()
  }

  // What was asked for while the connection was lost was not heard.
  const requestLost = () => {
    for (const fragment of fragments.values()) fragment.requestedAt = null
    requestOutdated()
  }

  // A script error in Streamlit's frontend removes the whole page, navigation included. The page that
  // somebody was leaving for is loaded then, else the same one. A page that never had the element is
  // not empty: another version of Streamlit names it differently.
  let appSeen = false
  let emptySince = null
  const reloadEmptyPage = () => {
    const now = performance.now()
    if (document.querySelector("[data-testid=stApp]")) {
      appSeen = true
      emptySince = null
      return
    }
    emptySince ??= now
    if (!appSeen || now - emptySince < EMPTY_MILLIS) return
    const reloadedAt = Number(sessionStorage.getItem("crosswayReloadedAt"))
    if (Date.now() - reloadedAt < RELOAD_GAP_MILLIS) return
    sessionStorage.setItem("crosswayReloadedAt", Date.now())
    if (isLeaving()) location.assign(leaving.to)
    else location.reload()
  }

  for (const type of ACTIONS) document.addEventListener(type, () => { actedAt = performance.now() }, true)
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && socket === null) reconnect()
    requestOutdated()
  })
  connection.follow(requestLost)
  setInterval(requestOutdated, 1000)
  setInterval(reloadEmptyPage, 500)
  reloadEmptyPage()
  followEdits()

  return {
    leave,
    join(key, fragment) {
      const before = fragments.get(key)
      const defaults = { refreshMillis: Infinity, minIntervalMillis: 0, requestedAt: null }
      fragments.set(key, { ...defaults, at: performance.now(), path: location.pathname, ...fragment })
      session = fragment.session ?? session
      if (fragment.redraw) connection.redrawBy(() => sendAlone(fragment.redraw))
      if (fragment.ticket !== ticket) {
        ticket = fragment.ticket
        connection.renewed()
        reconnect()
      }
      if (socket === null && reconnectTimer === null) connect()
      // Delayed, so that all fragments of the page subscribe together.
      setTimeout(subscribe, 100)
      // Delayed, as the server may still be drawing the fragment.
      if (before === undefined) setTimeout(requestOutdated, 200)
      const joined = fragments.get(key)
      return () => {
        if (fragments.get(key) === joined) fragments.delete(key)
      }
    },
  }
}

const stream = (window.crosswayStream ??= openStream())
for (const joinLater of window.crosswayWaiting?.splice(0) ?? []) joinLater(stream)
