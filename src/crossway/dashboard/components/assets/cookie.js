// Exchanges a ticket for the session cookie, once, or deletes the cookie.

const sent = new Set()

export default function (component) {
  const { path, ticket } = component.data
  if (sent.has(ticket)) return
  sent.add(ticket)
  fetch(path, { method: ticket ? "POST" : "DELETE", body: ticket || undefined, keepalive: true })
}
