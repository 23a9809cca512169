// One line to the server for all of a page: which topics have changed, what the alarm strip says, and
// what is shown of the readings that the page follows.

const AGAIN = [500, 1000, 2000, 5000]
const LOST = 8000
const MOST_TOLD = 50
// Streamlit sends what is asked a moment later, and of what is asked in one moment only one part.
const APART = 20
// A screen that was not left by then is not going to be.
const LEAVING = 15000
const WAYS = '[data-testid=stSidebarNavLink], [data-testid=stPageLink-NavLink], [data-testid=stLogoLink]'

const openStream = () => {
  const parts = new Map()
  const readings = (window.crosswayTold ??= { of: new Map(), draw: new Map() })
  let heard = null
  let socket = null
  let ticket = ""
  let seat = ""
  let asked = ""
  let tries = 0
  let waiting = null
  let asking = []
  let unsent = false
  let left = { path: null, at: 0 }

  const changed = (part) =>
    heard !== null && part.drawn.epoch === heard.epoch &&
    part.topics.some((topic) => part.drawn.numbers[topic] !== heard.change[topic])

  // Widgets draw what is new of a reading by themselves; of another frame the part is drawn anew.
  const reframed = (part) =>
    Object.entries(part.watches ?? {}).some(([watch, [number, shape]]) => {
      const news = readings.of.get(watch)
      return news !== undefined && news.number > number && news.shape !== shape
    })

  const leaving = () => left.path === location.pathname && performance.now() - left.at < LEAVING

  const askNext = () => {
    const next = asking.shift()
    unsent = next !== undefined
    if (!unsent) return
    const [key, part] = next
    if (parts.get(key) === part && location.pathname === part.path) part.ask()
    setTimeout(askNext, APART)
  }

  // What is asked of a screen after it was left is answered with that screen, and empties the new
  // one: nothing more is asked, and whoever leaves waits until what was asked is sent.
  const leave = (path, go) => {
    if (path === location.pathname) return go()
    left = { path: location.pathname, at: performance.now() }
    asking = []
    if (unsent) setTimeout(() => leave(path, go), APART)
    else go()
  }

  document.addEventListener("click", (event) => {
    const way = event.target.closest?.(WAYS)
    if (!way || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return
    const path = way.href && new URL(way.href).pathname
    const held = unsent && path !== location.pathname
    if (held) {
      event.preventDefault()
      event.stopImmediatePropagation()
    }
    leave(path, () => { if (held) way.click() })
  }, true)

  // A part asks once, and again only when it was drawn since: slow servers are not asked faster.
  const look = () => {
    if (document.hidden || leaving()) return
    const now = performance.now()
    for (const [key, part] of parts) {
      if (part.follow) part.follow(heard)
      if (!part.ask || location.pathname !== part.path) continue
      const late = changed(part) || reframed(part)
      if (!late) part.asked = null
      const due = late && now - part.at >= part.rest && (part.asked === null || now - part.asked > LOST)
      if (due || now - part.at > part.every) {
        part.asked = part.at = now
        asking.push([key, part])
        if (!unsent) askNext()
      }
    }
  }

  // Which readings the page follows, and how far it knows them.
  const follow = () => {
    if (socket === null || socket.readyState !== WebSocket.OPEN) return
    const watches = {}
    for (const part of parts.values()) {
      Object.assign(watches, part.watches ?? {})
    }
    const names = [seat, ...Object.keys(watches).sort()].join(" ")
    if (names === asked) return
    asked = names
    socket.send(JSON.stringify({ seat, watches }))
  }

  const take = (news) => {
    if (!news.watch) {
      heard = news
      return
    }
    readings.of.delete(news.watch)
    readings.of.set(news.watch, news)
    if (readings.of.size > MOST_TOLD) readings.of.delete(readings.of.keys().next().value)
    for (const key of Object.keys(news.widgets)) readings.draw.get(`${news.watch} ${key}`)?.()
  }

  const connect = () => {
    waiting = null
    if (socket !== null || parts.size === 0) return
    const url = new URL("live", document.baseURI)
    url.protocol = url.protocol.replace("http", "ws")
    url.search = url.hash = ""
    const mine = (socket = new WebSocket(url))
    asked = ""
    mine.onopen = () => {
      mine.send(ticket)
      follow()
    }
    mine.onmessage = (event) => {
      tries = 0
      take(JSON.parse(event.data))
      look()
    }
    mine.onclose = () => {
      if (socket === mine) socket = null
      if (waiting === null) waiting = setTimeout(connect, AGAIN[Math.min(tries++, AGAIN.length - 1)])
    }
  }

  document.addEventListener("visibilitychange", look)
  setInterval(look, 1000)

  return {
    leave,
    join(key, part) {
      const before = parts.get(key)
      parts.set(key, { every: Infinity, rest: 0, at: performance.now(), asked: null, path: location.pathname, ...part })
      seat = part.seat ?? seat
      if (part.ticket !== ticket) {
        ticket = part.ticket
        if (socket !== null) socket.close()
      }
      if (socket === null && waiting === null) connect()
      // All parts of the page together.
      setTimeout(follow, 100)
      // Not at once: the server is drawing it still.
      if (before === undefined) setTimeout(look, 200)
      const mine = parts.get(key)
      return () => {
        if (parts.get(key) === mine) parts.delete(key)
      }
    },
  }
}

const stream = (window.crosswayStream ??= openStream())
