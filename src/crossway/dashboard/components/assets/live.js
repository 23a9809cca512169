// Asks the server for its fragment again when the data it shows has changed. A page has many of them,
// and each is sent with its script: so the stream is the alert strip's, which is on every page and may
// be drawn later.

const join = (key, fragment) => {
  if (window.crosswayStream) return window.crosswayStream.join(key, fragment)
  let leave = () => { leave = null }
  const joinLater = (stream) => { if (leave) leave = stream.join(key, fragment) }
  ;(window.crosswayWaiting ??= []).push(joinLater)
  return () => leave?.()
}

export default function (component) {
  const { data: [data], setTriggerValue } = component
  return join(data.key, {
    ticket: data.ticket,
    session: data.session,
    topics: data.topics,
    drawn: data.drawn,
    queries: data.queries,
    refreshMillis: data.refresh_seconds * 1000,
    minIntervalMillis: data.min_interval_seconds * 1000,
    requestRerun: () => setTriggerValue("changed", Date.now()),
  })
}
