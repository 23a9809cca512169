// One line to the server for all of a page: which topics have changed, what the alarm strip says, and
// what is shown of the readings that the page follows.

const AGAIN = [500, 1000, 2000, 5000]
const LOST = 8000
const MOST_TOLD = 50

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

  const changed = (part) =>
    heard !== null && part.drawn.epoch === heard.epoch &&
    part.topics.some((topic) => part.drawn.numbers[topic] !== heard.change[topic])

  // Widgets draw what is new of a reading by themselves; of another frame the part is drawn anew.
  const reframed = (part) =>
    Object.entries(part.watches ?? {}).some(([watch, [number, shape]]) => {
      const news = readings.of.get(watch)
      return news !== undefined && news.number > number && news.shape !== shape
    })

  // A part asks once, and again only when it was drawn since: slow servers are not asked faster.
  const look = () => {
    if (document.hidden) return
    const now = performance.now()
    for (const part of parts.values()) {
      if (part.follow) part.follow(heard)
      if (!part.ask || location.pathname !== part.path) continue
      const late = changed(part) || reframed(part)
      if (!late) part.asked = null
      const due = late && now - part.at >= part.rest && (part.asked === null || now - part.asked > LOST)
      if (due || now - part.at > part.every) {
        part.asked = part.at = now
        part.ask()
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
