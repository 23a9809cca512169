// Links to other pages, drawn as buttons.

export default function (component) {
  const { data, parentElement } = component
  const host = parentElement.querySelector(".host")
  return redraw(host, data, ({ links }) =>
    make("nav", {}, ...links.map((link) =>
      make("a", { href: link.href, download: link.download ? "download" : "", class: link.primary ? "main" : "", "data-key": link.href, onclick: (event) => {
        if (link.download || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return
        event.preventDefault()
        visit(link.href)
      } }, link.icon ? icon(link.icon) : null, link.label))))
}
