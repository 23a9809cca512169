// A payment from its creation to the webhook that says it is paid, and what may go wrong.
import assert from "node:assert/strict"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import {
  ApiError, BadRequest, Crossway, type Event, InvalidArgument, KycRequired, NotFound,
  SignatureVerificationError, verifyWebhook,
} from "crossway-client"

const { CROSSWAY_API_KEY = "", CROSSWAY_API_URL = "", WALLET = "" } = process.env
const crossway = new Crossway(CROSSWAY_API_KEY, { url: CROSSWAY_API_URL })
const events: Event[] = []
const until = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 20))
}
let secret = ""
const receiver = createServer(async (request, response) => {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  const body = Buffer.concat(pieces)
  const forged = Buffer.concat([body, Buffer.from(" ")])
  assert.throws(() => verifyWebhook(forged, request.headers, secret), SignatureVerificationError)
  assert.throws(() => verifyWebhook(body, {}, secret), SignatureVerificationError)
  assert.deepEqual(
    verifyWebhook(body, new Headers(request.headers as Record<string, string>), secret),
    verifyWebhook(body.toString(), request.headers, secret),
  )
  events.push(verifyWebhook(body, request.headers, secret))
  response.writeHead(204).end()
})
await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
const { port } = receiver.address() as AddressInfo
const webhook = await crossway.createWebhook({ url: `http://127.0.0.1:${port}/webhooks` })
secret = webhook.secret

// The same call under one key is one payment.
const order = {
  amount: "25000000",
  tokenIn: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  source_chain: "BASE_MAINNET",
  destination_chain: "ARBITRUM_MAINNET",
  recipient: WALLET,
  refund_address: WALLET,
  metadata: { order: "A-1001" },
} as const
const payment = await crossway.createIntent(order, { idempotencyKey: "order A-1001" })
const again = await crossway.createIntent(order, { idempotencyKey: "order A-1001" })
assert.equal(again.id, payment.id)
assert.equal(payment.total_amount_in_asset_token.replace(/\d/g, ""), "")
// Without a key of the caller, each call is a payment of its own.
for (const _ of [1, 2]) await crossway.createIntent(order)

await assert.rejects(crossway.createIntent({ ...order, amount: "0" }), (error: unknown) => {
  assert.ok(error instanceof BadRequest)
  assert.deepEqual([error.name, error.status, error.param], ["BadRequest", 400, "amount"])
  assert.match(error.requestId, /./)
  assert.match(error.idempotencyKey ?? "", /./)
  return true
})
await assert.rejects(crossway.getIntent({ id: 1 }), (error: unknown) => {
  assert.ok(error instanceof NotFound && error instanceof ApiError)
  assert.equal(error.code, "intent_not_found")
  return !(error instanceof KycRequired)
})

for (const id of ["", ".", ".."]) {
  await assert.rejects(crossway.getPaymentLink({ id }), InvalidArgument)
}
await assert.rejects(crossway.listChains({}, { signal: AbortSignal.abort() }), {
  name: "AbortError",
})

const page = await crossway.listIntents({ limit: 2 })
assert.deepEqual([page.intents.length, page.total], [2, 3])
const listed: number[] = []
for await (const one of crossway.listIntents({ limit: 2, status: "pending" })) listed.push(one.id)
assert.equal(new Set(listed).size, 3)
assert.ok(listed.includes(payment.id))
for await (const link of crossway.listPaymentLinks()) assert.fail(link.id)

// The stream goes on after the first event, and is left when the payment has ended.
await until(() => events.length > 0)
const [created] = events as [Event]
await crossway.sendSandboxDeposit({ address: payment.intent_address, amount: "exact" })
const types: string[] = []
for await (const event of crossway.streamEvents({ lastEventId: created.id })) {
  if (event.type === "webhook_test" || event.data.id !== payment.id) continue
  types.push(event.type)
  if (event.type === "intent_completed") break
}
await until(() => events.some(({ type }) => type === "intent_completed"))
const paid = await crossway.getIntent({ id: payment.id, expand: "deliveries" })
assert.equal(await crossway.deleteWebhook({ id: webhook.id }), undefined)
receiver.close()
receiver.closeAllConnections()
console.log(JSON.stringify({ types, status: paid.intent_status, amount: paid.initialAmount }))
