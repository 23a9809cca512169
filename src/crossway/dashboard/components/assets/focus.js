// Puts the keyboard into a field when the page is opened, unless it is in one already. Touch screens
// are left alone: their keyboard would cover the page.

export default function (component) {
  const { data, parentElement } = component
  const host = parentElement.querySelector(".host")
  if (host.dataset.done || !window.matchMedia("(pointer: fine)").matches) return
  host.dataset.done = "1"
  let tries = 0
  const go = () => {
    const input = document.querySelector(`.st-key-${CSS.escape(data.field)} input`)
    if (["INPUT", "TEXTAREA"].includes(document.activeElement?.tagName)) return
    if (input) {
      input.focus({ preventScroll: true })
      input.select()
    } else if (++tries < 20) requestAnimationFrame(go)
  }
  go()
}
