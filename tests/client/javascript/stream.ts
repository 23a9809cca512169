// Follows the event stream of a URL until it fails: prints the events, the error and the waits.
import { Crossway } from "crossway-client"

const waits: number[] = []
const events: string[] = []
const crossway = new Crossway("cr_test_secret", {
  url: process.argv[2],
  sleep: async (ms) => void waits.push(ms),
})
try {
  for await (const { id } of crossway.streamEvents({ tries: 3 })) events.push(id)
} catch (error) {
  console.log(JSON.stringify({ events, waits, error: (error as Error).name }))
}
