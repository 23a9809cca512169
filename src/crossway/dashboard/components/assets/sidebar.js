// Folds the sections of Streamlit's sidebar, which lets a mouse alone do so: adds keyboard and roles, opens the
// section of the current page, and folds others until all pages fit. What somebody folds or opens is remembered.

const CHOICES = "crosswaySections"
const HEADING = "[data-testid=stNavSectionHeader]"

const headings = () => [...document.querySelectorAll(`[data-testid=stSidebarNav] ${HEADING}`)]
const titleOf = (heading) => heading.querySelector("p")?.textContent ?? ""
const isOpen = (heading) => heading.nextElementSibling !== null

const readChoices = () => {
  try {
    return JSON.parse(localStorage.getItem(CHOICES)) ?? {}
  } catch {
    return {}
  }
}

// The height of the sidebar's list as it would be with these sections open.
const heightOf = (sections, open) => {
  const link = document.querySelector("[data-testid=stSidebarNav] li")?.getBoundingClientRect().height ?? 24
  const [first, second] = headings()
  const heading = first?.getBoundingClientRect().height ?? 24
  const gap = first && second && second.getBoundingClientRect().top - first.parentElement.getBoundingClientRect().bottom
  return Object.entries(sections).reduce((sum, [title, pages]) => sum + heading + Math.max(gap ?? 0, 0) + (open[title] ? pages * link : 0), 0)
}

const opening = ({ sections, current, folded_first: foldedFirst }) => {
  const choices = readChoices()
  const open = Object.fromEntries(Object.keys(sections).map((title) => [title, choices[title] ?? true]))
  open[current] = true
  const room = document.querySelector("[data-testid=stSidebarNav]")?.clientHeight ?? 0
  for (const title of foldedFirst) {
    if (room === 0 || heightOf(sections, open) <= room - 4) break
    if (title !== current && !(title in choices)) open[title] = false
  }
  return open
}

const openFolds = () => {
  let data = null
  const known = new WeakSet()

  const describe = (heading) => {
    const button = heading.firstElementChild
    for (const [name, value] of [["role", "button"], ["tabindex", "0"], ["aria-expanded", String(isOpen(heading))]]) {
      if (button.getAttribute(name) !== value) button.setAttribute(name, value)
    }
  }

  const arrange = () => {
    const wanted = opening(data)
    for (const heading of headings()) {
      const title = titleOf(heading)
      if (title in wanted && isOpen(heading) !== wanted[title]) heading.click()
    }
  }

  const choose = (heading) => {
    localStorage.setItem(CHOICES, JSON.stringify({ ...readChoices(), [titleOf(heading)]: !isOpen(heading) }))
  }

  const update = () => {
    observe()
    const shown = headings()
    const anew = shown.some((heading) => !known.has(heading))
    for (const heading of shown) {
      known.add(heading)
      describe(heading)
    }
    if (anew && data) arrange()
  }

  document.addEventListener("click", (event) => {
    const heading = event.isTrusted && event.target.closest?.(HEADING)
    if (heading) choose(heading)
  }, true)
  document.addEventListener("keydown", (event) => {
    const heading = ["Enter", " "].includes(event.key) && event.target.closest?.(HEADING)
    if (!heading) return
    event.preventDefault()
    choose(heading)
    heading.click()
  }, true)
  // The height of the list's frame alone decides, which what is folded does not change.
  let frame = null
  const resized = new ResizeObserver(() => data && arrange())
  const observe = () => {
    const shown = document.querySelector("[data-testid=stSidebarNav]")
    if (shown === frame) return
    resized.disconnect()
    frame = shown
    if (frame) resized.observe(frame)
  }
  new MutationObserver(update).observe(document.body, { childList: true, subtree: true })
  return {
    show(next) {
      const changed = data?.current !== next.current
      data = next
      update()
      if (changed) arrange()
    },
  }
}

const folds = (window.crosswayFolds ??= openFolds())

export default function (component) {
  folds.show(component.data[0])
}
