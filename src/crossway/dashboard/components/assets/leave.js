// Takes the browser to another screen, once.

const gone = new Set()

export default function (component) {
  const { href, once } = component.data
  if (gone.has(once)) return
  gone.add(once)
  setTimeout(() => visit(href), 0)
}
