// Changes a ticket for the cookie of who is signed in, once, or gives the cookie back.

const sent = new Set()

export default function (component) {
  const { path, ticket } = component.data
  if (sent.has(ticket)) return
  sent.add(ticket)
  fetch(path, { method: ticket ? "POST" : "DELETE", body: ticket || undefined, keepalive: true })
}
