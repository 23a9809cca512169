// Whether this page is connected to Crossway. While it is not, a banner says since when and ages stand
// still; once the server answers again, the page is drawn anew where the server has forgotten it.

const REFUSED_CODE = 4401
const TICK_MILLIS = 250
// The server sends a beat every second. Counted in ticks: a browser that was busy has heard nothing either.
const SILENT_TICKS = 15
// A connection that is back within this time is not called lost; the first one may take longer.
const LOST_AFTER_MILLIS = 1000
const FIRST_MILLIS = 10000
// What the server says of Streamlit's session holds once Streamlit is connected for this time.
const SETTLED_MILLIS = 400
const ASK_AGAIN_MILLIS = 3000
// A page that is refused after so many requests is loaded again, once; refused again, it says so. All
// this is forgotten once the page has been well for a while.
const MAX_REQUESTS = 3
const FORGET_MILLIS = 60000
const RELOADED = "crosswayReloadedRefused"
// Streamlit waits up to four seconds between its tries to connect.
const STREAMLIT_TRIES = [1000, 4000]

const DIALOG_CLOSED = "Connected again. The open dialog was closed: look whether it was carried out, else open it again."

const BANNER_STYLE = `
  section { position: fixed; inset: 0 0 auto; z-index: 1000100; display: flex; flex-wrap: wrap; align-items: center;
    justify-content: center; gap: .25rem 1rem; font: 500 14px/1.4 Inter, sans-serif; background: #fdf0e7; color: #86390f; }
  section.shown { padding: .4rem 1rem; border-bottom: 1px solid #c2551b; }
  section.dark { background: #38230f; color: #f5b98f; }
  p { margin: 0; }
  button { font: inherit; color: inherit; background: none; border: 1px solid currentcolor; border-radius: 6px; padding: .1rem .7rem; cursor: pointer; }
  button:focus-visible { outline: 2px solid currentcolor; outline-offset: 2px; }
  button[hidden] { display: none; }`
// As a container of what is fixed in it, too: nothing of the page stays under the banner.
const PAGE_STYLE = `
  html.crossway-lost [data-testid=stApp] { top: var(--crossway-banner); transform: translate(0); }
  html.crossway-lost [data-testid=stDialog] { top: var(--crossway-banner); height: calc(100% - var(--crossway-banner)); }`

const streamlitApp = () => document.querySelector("[data-testid=stApp]")
const isRunning = () => (streamlitApp()?.dataset.testScriptState ?? "notRunning") !== "notRunning"
// Another version of Streamlit may not say it.
const isStreamlitConnected = () => (streamlitApp()?.dataset.testConnectionState ?? "CONNECTED") === "CONNECTED"
const isDialogOpen = () => document.querySelector("[data-testid=stDialog]") !== null
const isDark = () => {
  const [red, green, blue] = getComputedStyle(streamlitApp() ?? document.body).backgroundColor.match(/\d+/g) ?? [255, 255, 255]
  return 2 * red + 5 * green + Number(blue) < 1024
}

const openBanner = () => {
  const host = document.createElement("div")
  // Streamlit's dialogs lock everything outside them but what is marked so.
  host.dataset.reactAriaTopLayer = "true"
  const root = host.attachShadow({ mode: "open" })
  const parts = Object.fromEntries(["style", "section", "p", "button"].map((tag) => [tag, document.createElement(tag)]))
  const { style, section, p: text, button } = parts
  style.textContent = BANNER_STYLE
  text.setAttribute("aria-live", "assertive")
  button.type = "button"
  button.hidden = true
  section.append(text, button)
  root.append(style, section)
  const pageStyle = document.createElement("style")
  pageStyle.textContent = PAGE_STYLE
  document.head.append(pageStyle)
  document.body.append(host)
  const html = document.documentElement
  new ResizeObserver(() => html.style.setProperty("--crossway-banner", `${section.getBoundingClientRect().height}px`)).observe(section)

  return (sentence, label = "", act = null) => {
    // Told to screen readers once: the same sentence is not written again.
    if (text.textContent !== sentence) text.textContent = sentence
    button.textContent = label
    button.hidden = !label
    button.onclick = act
    // A landmark only while it says something.
    if (sentence) section.setAttribute("aria-label", "Connection")
    else section.removeAttribute("aria-label")
    section.className = sentence ? `shown ${isDark() ? "dark" : ""}` : ""
    html.classList.toggle("crossway-lost", sentence !== "")
  }
}

const openConnection = () => {
  const say = openBanner()
  let isOpen = false
  let silentTicks = 0
  let isRefused = false
  // Whether the server has kept the session that drew this page; null while that is unknown.
  let isKept = true
  let connectedAt = performance.now()
  let wellAt = performance.now()
  let heardAt = performance.now()
  let heardDate = new Date()
  let wasWell = false
  let requests = 0
  let requestedAt = -Infinity
  let hadDialog = false
  let redraw = null
  let onWell = null
  const { setTimeout: setTimer } = window

  const isForgotten = () => isRefused || isKept === false

  const hastenStreamlit = (lost) => {
    const [least, most] = STREAMLIT_TRIES
    window.setTimeout = lost
      ? (run, millis, ...rest) => setTimer(run, millis >= least && millis <= most ? least : millis, ...rest)
      : setTimer
  }

  const stateOf = () => heardDate.toLocaleTimeString(undefined, { timeStyle: "medium" })
  const reload = () => location.reload()

  const sayLost = () => {
    const refused = isForgotten() && requests > MAX_REQUESTS
    say(refused
      ? `Crossway does not accept this page's connection. It shows the state of ${stateOf()}. Reload it, or sign in again.`
      : `Connection to Crossway lost at ${stateOf()}. This page shows the state of then; reconnecting…`, "Reload", reload)
  }

  const becomeLost = () => {
    connection.lostAt = heardAt
    hadDialog ||= isDialogOpen()
    sayLost()
  }

  const becomeWell = () => {
    connection.lostAt = null
    hastenStreamlit(false)
    if (hadDialog && !isDialogOpen()) {
      say(DIALOG_CLOSED, "Close", () => say(""))
    } else say("")
    hadDialog = false
    onWell?.()
  }

  const requestPage = (now) => {
    requestedAt = now
    requests += 1
    if (requests <= MAX_REQUESTS) {
      hadDialog ||= isDialogOpen()
      redraw?.()
      return
    }
    if (sessionStorage.getItem(RELOADED)) return
    sessionStorage.setItem(RELOADED, "yes")
    reload()
  }

  const forgetRequests = () => {
    requests = 0
    sessionStorage.removeItem(RELOADED)
  }

  const followStreamlit = (now) => {
    if (!isStreamlitConnected()) {
      connectedAt = null
      isKept = null
    } else connectedAt ??= now
    return connectedAt !== null
  }

  const tick = () => {
    const now = performance.now()
    const isConnected = followStreamlit(now)
    silentTicks += 1
    const isHeard = isOpen && silentTicks <= SILENT_TICKS
    const isDrawn = connection.lostAt === null || !isRunning()
    if (isHeard && isConnected && isKept && !isRefused && isDrawn) {
      if (connection.lostAt !== null) becomeWell()
      wasWell = true
      wellAt = now
      if (now - requestedAt > FORGET_MILLIS) forgetRequests()
    } else if (connection.lostAt === null && now - wellAt > (wasWell ? LOST_AFTER_MILLIS : FIRST_MILLIS)) becomeLost()
    else if (connection.lostAt !== null) sayLost()
    if (connection.lostAt !== null) hastenStreamlit(!isConnected)
    const isAtRest = isConnected && !isRunning()
    if (isForgotten() && isAtRest && now - requestedAt > ASK_AGAIN_MILLIS) requestPage(now)
  }

  const connection = {
    // When the page was last known to be up to date, by `performance.now()`; null while it is.
    lostAt: null,
    // Whether the server would carry out what this page asks for.
    isUsable: () => isStreamlitConnected() && isKept === true && !isRefused,
    heard({ kept }) {
      isOpen = true
      isRefused = false
      silentTicks = 0
      if (connection.lostAt === null) {
        heardAt = performance.now()
        heardDate = new Date()
      }
      // Before Streamlit is connected again, its session is one that is gone.
      if (kept === true || (kept === false && connectedAt !== null && performance.now() - connectedAt > SETTLED_MILLIS)) isKept = kept
    },
    closed(code) {
      isOpen = false
      if (code === REFUSED_CODE) isRefused = true
    },
    renewed() {
      isRefused = false
    },
    follow(callback) {
      onWell = callback
    },
    redrawBy(ask) {
      redraw = ask
    },
  }
  setInterval(tick, TICK_MILLIS)
  document.addEventListener("visibilitychange", tick)
  return connection
}

const connection = (window.crosswayConnection ??= openConnection())
