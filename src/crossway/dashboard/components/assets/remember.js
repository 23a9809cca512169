// Keeps a choice of the viewer in a cookie of this browser, which a reload and further tabs begin with.

export default function (component) {
  const [{ name, value }] = component.data
  document.cookie = `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=31536000; SameSite=Strict`
}
