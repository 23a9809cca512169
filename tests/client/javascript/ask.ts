// One request, as `node ask.js URL REQUEST OPTIONS`: prints its answer or error, and the waits.
import {
  Crossway, CrosswayError, type PostOptions, type Request, type Settings,
} from "crossway-client"

const [url = "", request = "", options = "{}", settings = "{}"] = process.argv.slice(2)
const waits: number[] = []
const told: Record<string, unknown> = { waits }
try {
  const crossway = new Crossway("cr_test_secret", {
    url,
    sleep: async (ms) => void waits.push(ms),
    ...(JSON.parse(settings) as Settings),
  })
  const asked = JSON.parse(request) as Request
  told["answer"] = await crossway.request(asked, JSON.parse(options) as PostOptions)
} catch (error) {
  if (!(error instanceof CrosswayError || error instanceof TypeError)) throw error
  told["error"] = { ...error, name: error.name, message: error.message }
}
console.log(JSON.stringify(told))
