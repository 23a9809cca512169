// Links to other screens, drawn as buttons.

export default function (component) {
  const { data, parentElement } = component
  const host = parentElement.querySelector(".host")
  return redraw(host, data, ({ ways }) =>
    make("nav", {}, ...ways.map((way) =>
      make("a", { href: way.href, download: way.file ? "download" : "", class: way.main ? "main" : "", "data-key": way.href, onclick: (event) => {
        if (way.file || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return
        event.preventDefault()
        visit(way.href)
      } }, way.icon ? icon(way.icon) : null, way.label))))
}
