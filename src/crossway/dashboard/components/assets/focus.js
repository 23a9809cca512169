// Puts the keyboard into a field when the page is opened, unless it is in one already, so that what is
// typed replaces what it holds. Touch screens are left alone: their keyboard would cover the page.

const FRAMES = 40

// Streamlit may fill the field a moment after it has drawn it.
const selectWhatItGets = (input) => {
  let typed = false
  let selected = null
  let frames = 0
  input.addEventListener("input", () => { typed = true }, { once: true })
  const select = () => {
    if (typed || document.activeElement !== input) return
    if (input.value !== selected) input.select()
    selected = input.value
    if (++frames < FRAMES) requestAnimationFrame(select)
  }
  select()
}

export default function (component) {
  const { data: [data], parentElement } = component
  const host = parentElement.querySelector(".host")
  if (host.dataset.done || !window.matchMedia("(pointer: fine)").matches) return
  host.dataset.done = "1"
  let tries = 0
  const go = () => {
    const input = document.querySelector(`.st-key-${CSS.escape(data.field)} input`)
    if (["INPUT", "TEXTAREA"].includes(document.activeElement?.tagName)) return
    if (input) {
      input.focus({ preventScroll: true })
      selectWhatItGets(input)
    } else if (++tries < FRAMES) requestAnimationFrame(go)
  }
  go()
}
