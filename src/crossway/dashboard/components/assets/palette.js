// The palette: Ctrl-K or / opens a dialog that jumps to pages and records, and starts actions. Pages and actions are
// matched here; records are asked of the server while somebody types.

const TYPING_MILLIS = 160
const MOST_OF_A_KIND = 10
const SHOWN_FOR_NOTHING = ["Actions", "Pages"]
const APPLE = /Mac|iPhone|iPad/.test(navigator.platform)
const SHORTCUT = APPLE ? "⌘ K" : "Ctrl K"

const isTyping = (target) =>
  target instanceof Element && (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName))

// How well an entry matches: 0 if a word is missing, most where its title begins with the text.
const score = ({ title, words, sub }, text) => {
  const name = title.toLowerCase()
  const starts = ` ${name} ${words}`.toLowerCase()
  const all = `${starts} ${sub}`.toLowerCase()
  const asked = text.split(/\s+/)
  if (!asked.every((word) => all.includes(word))) return 0
  if (name.startsWith(text)) return 5
  if (asked.every((word) => ` ${name}`.includes(` ${word}`))) return 4
  if (asked.every((word) => starts.includes(` ${word}`))) return 3
  return asked.every((word) => starts.includes(word)) ? 2 : 1
}

const groupsOf = (entries, found, typed) => {
  const text = typed.trim().toLowerCase()
  if (!text) return SHOWN_FOR_NOTHING.map((kind) => [kind, entries.filter((entry) => entry.kind === kind)])
  const scored = entries.map((entry) => [score(entry, text), entry]).filter(([points]) => points > 0)
  scored.sort(([one], [other]) => other - one)
  const groups = new Map()
  const add = (entry) => groups.set(entry.kind, [...(groups.get(entry.kind) ?? []), entry])
  // What is found by its number, hash or address comes before a word in a page's description.
  const sure = scored.filter(([points]) => points > 1)
  for (const [, entry] of sure) add(entry)
  for (const entry of found) add(entry)
  for (const [points, entry] of scored) if (points === 1) add(entry)
  const everything = { kind: "Search", title: `All results for “${typed.trim()}”`, sub: "", icon: "search", act: "find", badges: [] }
  return [...groups, ["Search", [everything]]].map(([kind, of]) => [kind, of.slice(0, MOST_OF_A_KIND)])
}

const openPalette = (host) => {
  let data = { entries: [], mode: "test" }
  let act = () => {}
  let options = []
  let selected = 0
  let found = []
  let asking = null
  let waiting = false
  let timer = null

  const label = "Jump to a page, payment or action"
  const input = make("input", { type: "text", role: "combobox", "aria-label": label, "aria-expanded": "true", "aria-controls": "found", "aria-autocomplete": "list", autocomplete: "off", spellcheck: "false", placeholder: "Page, action, ID, address, hash, e-mail or name" })
  const list = make("div", { class: "found", id: "found", role: "listbox", "aria-label": "Matches" })
  const status = make("span", { class: "status", role: "status" })
  const foot = make("div", { class: "foot" }, make("span", {}, "↑ ↓ choose"), make("span", {}, "Enter open"), make("span", {}, "Esc close"), status)
  const dialog = make("dialog", { "aria-label": label }, make("div", { class: "field" }, icon("search"), input), list, foot)
  const opener = make("button", { type: "button", class: "opener", "aria-haspopup": "dialog", "aria-keyshortcuts": APPLE ? "Meta+K" : "Control+K" },
    icon("search"), make("span", { class: "label" }, "Search or jump to…"), make("kbd", {}, SHORTCUT))

  const mark = () => {
    options.forEach(({ node }, at) => node.setAttribute("aria-selected", String(at === selected)))
    const chosen = options[selected]
    if (!chosen) return input.removeAttribute("aria-activedescendant")
    input.setAttribute("aria-activedescendant", chosen.node.id)
    chosen.node.scrollIntoView({ block: "nearest" })
  }

  const draw = () => {
    options = []
    const option = (entry) => {
      const node = make("div", { class: "option", role: "option", id: `option-${options.length}`, onclick: () => choose(entry) },
        icon(entry.icon), make("span", { class: "words" },
          make("span", { class: "name" }, entry.title), entry.sub ? make("span", { class: "sub" }, entry.sub) : null),
        ...(entry.badges ?? []).map(badge))
      const at = options.length
      node.onpointermove = () => { if (selected !== at) { selected = at; mark() } }
      options.push({ node, entry })
      return node
    }
    list.replaceChildren(...groupsOf(data.entries, found, input.value).filter(([, of]) => of.length).map(([kind, of], at) =>
      make("div", { role: "group", "aria-labelledby": `kind-${at}` }, make("div", { class: "title", id: `kind-${at}`, role: "presentation" }, kind), ...of.map(option))))
    selected = Math.min(selected, Math.max(options.length - 1, 0))
    mark()
  }

  const tell = (text) => { if (status.textContent !== text) status.textContent = text }

  const ask = async () => {
    const text = input.value.trim()
    asking?.abort()
    const mine = (asking = new AbortController())
    try {
      const answer = await fetch(new URL("find", document.baseURI), {
        method: "POST", signal: mine.signal, headers: { "Content-Type": "application/json" }, body: JSON.stringify({ text, mode: data.mode }),
      })
      if (!answer.ok) throw new Error(answer.statusText)
      found = (await answer.json()).found
      tell(found.length ? `${found.length} found` : "No record found")
    } catch {
      if (mine.signal.aborted) return
      found = []
      tell("The search did not answer")
    }
    if (asking === mine) asking = null
    draw()
    // One match is opened; the server tells which of several was meant, or that there is none.
    if (waiting) choose(found.length === 1 ? found[0] : { act: "find" })
  }

  const typed = () => {
    waiting = false
    selected = 0
    found = []
    asking?.abort()
    asking = null
    clearTimeout(timer)
    timer = null
    tell("")
    if (input.value.trim().length > 1 || /\d/.test(input.value)) {
      tell("Searching…")
      timer = setTimeout(() => { timer = null; ask() }, TYPING_MILLIS)
    }
    draw()
  }

  const close = () => { if (dialog.open) dialog.close() }

  const choose = (entry) => {
    const text = input.value.trim()
    waiting = false
    close()
    if (entry.act) act(entry.act === "find" ? `find:${text}` : entry.act)
    else visit(entry.href)
  }

  const show = () => {
    if (dialog.open) return input.select()
    // A page's own dialog keeps the focus.
    if (document.querySelector("[data-testid=stDialog]")) return
    input.value = ""
    typed()
    dialog.showModal()
    input.focus()
  }

  input.oninput = typed
  input.onkeydown = (event) => {
    if (event.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step && options.length) {
      event.preventDefault()
      selected = (selected + step + options.length) % options.length
      mark()
    } else if (event.key === "Enter") {
      event.preventDefault()
      // A pasted identifier is opened as soon as its record is found.
      if ((timer || asking) && options.length < 2) waiting = true
      else if (options.length) choose(options[selected].entry)
    }
    // Streamlit's own shortcuts, such as R, do not see what is typed here.
    if (event.key !== "Escape") event.stopPropagation()
  }
  dialog.onclick = (event) => { if (event.target === dialog) close() }
  dialog.onclose = () => { asking?.abort(); clearTimeout(timer); timer = null }
  opener.onclick = show
  host.replaceChildren(opener, dialog)

  return {
    show,
    update(next, onAct) {
      act = onAct
      if (JSON.stringify(data) === JSON.stringify(next)) return
      data = next
      if (dialog.open) draw()
    },
  }
}

export default function (component) {
  const { data: [data], parentElement, setTriggerValue } = component
  const host = parentElement.querySelector(".host")
  const palette = (host.crosswayPalette ??= openPalette(host))
  palette.update(data, (act) => setTriggerValue("act", act))
  const press = (event) => {
    if (event.isComposing || event.altKey) return
    const isJump = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "k"
    const isSlash = event.key === "/" && !event.ctrlKey && !event.metaKey && !isTyping(event.composedPath()[0])
    if (!isJump && !isSlash) return
    event.preventDefault()
    event.stopPropagation()
    palette.show()
  }
  document.addEventListener("keydown", press, true)
  return () => document.removeEventListener("keydown", press, true)
}
