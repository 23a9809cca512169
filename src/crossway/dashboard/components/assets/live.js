// Asks for its fragment anew when what it shows has changed.

export default function (component) {
  const { data, setTriggerValue } = component
  return stream.join(data.key, {
    ticket: data.ticket,
    seat: data.seat,
    topics: data.topics,
    drawn: data.drawn,
    watches: data.watches,
    every: data.every * 1000,
    rest: data.rest * 1000,
    ask: () => setTriggerValue("changed", Date.now()),
  })
}
