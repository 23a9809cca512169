// One line to the server for all of a page: which topics have changed, and what the alarm strip says.

const AGAIN = [500, 1000, 2000, 5000]
const LOST = 8000

const openStream = () => {
  const parts = new Map()
  let told = null
  let socket = null
  let ticket = ""
  let tries = 0
  let waiting = null

  const behind = (part) =>
    told !== null && part.drawn.epoch === told.epoch &&
    part.topics.some((topic) => part.drawn.numbers[topic] !== told.change[topic])

  // A part asks once, and again only when it was drawn since: slow servers are not asked faster.
  const look = () => {
    if (document.hidden) return
    const now = performance.now()
    for (const part of parts.values()) {
      if (part.follow) part.follow(told)
      if (!part.ask || location.pathname !== part.path) continue
      const late = behind(part)
      if (!late) part.asked = null
      if ((late && (part.asked === null || now - part.asked > LOST)) || now - part.at > part.every) {
        part.asked = part.at = now
        part.ask()
      }
    }
  }

  const connect = () => {
    waiting = null
    if (socket !== null || parts.size === 0) return
    const url = new URL("live", document.baseURI)
    url.protocol = url.protocol.replace("http", "ws")
    url.search = url.hash = ""
    const mine = (socket = new WebSocket(url))
    mine.onopen = () => mine.send(ticket)
    mine.onmessage = (event) => {
      tries = 0
      told = JSON.parse(event.data)
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
      parts.set(key, { every: Infinity, at: performance.now(), asked: null, path: location.pathname, ...part })
      if (part.ticket !== ticket) {
        ticket = part.ticket
        if (socket !== null) socket.close()
      }
      if (socket === null && waiting === null) connect()
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
