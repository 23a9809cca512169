// Focuses a field when a key is pressed, unless the user is typing elsewhere.

const isTypingIn = (target) =>
  target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName)

export default function (component) {
  const { shortcut, field } = component.data
  const go = (event) => {
    const target = event.composedPath()[0]
    if (event.key !== shortcut || event.ctrlKey || event.metaKey || event.altKey) return
    if (target instanceof Element && isTypingIn(target)) return
    const input = document.querySelector(`.st-key-${CSS.escape(field)} input`)
    if (!input) return
    event.preventDefault()
    input.focus()
    input.select()
  }
  document.addEventListener("keydown", go)
  return () => document.removeEventListener("keydown", go)
}
