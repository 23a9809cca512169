// Leaves for the sign-in page, which says why and leads back here; the link is for browsers that stay.

export default function (component) {
  const { data: [data], parentElement } = component
  const href = `/sign-in?${new URLSearchParams({ next: location.pathname + location.search })}`
  const dispose = redraw(parentElement.querySelector(".host"), data, () => make("a", { class: "main", href, target: "_self" }, "Sign in"))
  if (!window.crosswayLeaves) {
    window.crosswayLeaves = true
    setTimeout(() => location.assign(href), 0)
  }
  return dispose
}
