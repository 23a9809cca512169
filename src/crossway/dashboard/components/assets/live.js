// Asks for its fragment anew when what it shows has changed.

export default function (component) {
  const { data, setTriggerValue } = component
  return stream.join(data.key, {
    ticket: data.ticket,
    topics: data.topics,
    drawn: data.drawn,
    every: data.every * 1000,
    ask: () => setTriggerValue("changed", Date.now()),
  })
}
