// Verifies webhooks: prints the event's id or the error's name for each.
import { verifyWebhook } from "crossway-client"

interface Received {
  body: string
  headers: Record<string, string>
  secret: string
}

const told = (JSON.parse(process.argv[2] ?? "[]") as Received[]).map((received) => {
  try {
    const body = Buffer.from(received.body, "base64")
    return verifyWebhook(body, received.headers, received.secret).id
  } catch (error) {
    return (error as Error).name
  }
})
console.log(JSON.stringify(told))
