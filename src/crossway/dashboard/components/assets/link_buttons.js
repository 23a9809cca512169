// Links to other pages, drawn as buttons.

export default function (component) {
  const { data: [data], parentElement } = component
  const host = parentElement.querySelector(".host")
  return redraw(host, data, ({ links }) =>
    make("nav", {}, ...links.map((link) =>
      make("a", { href: link.href, download: link.download ? "download" : "", class: link.primary ? "main" : "", "data-key": link.href, onclick: link.download ? null : openInPlace }, link.icon ? icon(link.icon) : null, link.label))))
}
