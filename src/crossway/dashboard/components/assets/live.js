// Asks the server for its fragment again when the data it shows has changed.

export default function (component) {
  const { data: [data], setTriggerValue } = component
  return stream.join(data.key, {
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
