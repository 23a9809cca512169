// A shop with Express: an order, its payment page, a verified webhook, and the order paid once.
// The API is called by fetch, and a webhook is verified by node:crypto. Node 20 or newer.
import { createHmac, randomUUID, timingSafeEqual } from "node:crypto"
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import express from "express"

const { CROSSWAY_API_KEY, CROSSWAY_WEBHOOK_SECRET, SHOP_WALLET } = process.env
const API = `${process.env.CROSSWAY_API_URL ?? "http://127.0.0.1:8600"}/api/v1`
const USDC_BASE = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
const PRICE = "25000000" // 25 USDC in its smallest unit
const FIVE_MINUTES = 300

// A file stands for the database: one process writes it, synchronously, so no step is interrupted.
const FILE = process.env.SHOP_DATABASE ?? "shop.json"
const shop = existsSync(FILE)
  ? JSON.parse(readFileSync(FILE, "utf8"))
  : { orders: {}, shipments: [] }
const save = () => {
  writeFileSync(`${FILE}.new`, JSON.stringify(shop))
  renameSync(`${FILE}.new`, FILE)
}

// POST to the API. A lost answer or a refusal for the moment is tried again under the same key, so
// nothing happens twice.
const post = async (path, body, idempotencyKey) => {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(API + path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${CROSSWAY_API_KEY}`,
        "content-type": "application/json",
        "idempotency-key": idempotencyKey,
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    }).catch((error) => ({ ok: false, status: 0, error }))
    if (response.ok) return response.json()
    const again = [0, 409, 429, 502, 503, 504].includes(response.status)
    if (!again || attempt === 4) {
      throw response.error ?? new Error((await response.json()).message)
    }
    const asked = Number(response.headers?.get("retry-after")) * 1000
    await new Promise((resolve) => setTimeout(resolve, asked || 250 * 2 ** attempt))
  }
}

// The URL of the order's payment page; its payment is created once, however often this runs.
const paymentPage = async (id) => {
  const order = shop.orders[id]
  if (!order.pay) {
    const payment = await post("/intents", {
      amount: PRICE,
      tokenIn: USDC_BASE,
      source_chain: "BASE_MAINNET",
      destination_chain: "ARBITRUM_MAINNET",
      recipient: SHOP_WALLET,
      refund_address: order.wallet,
      metadata: { order: id },
    }, `order ${id}`)
    order.pay = payment.payment_url
    save()
  }
  return order.pay
}

const isGenuine = (body, headers) => {
  const id = headers["webhook-id"], at = headers["webhook-timestamp"]
  if (!(Math.abs(Date.now() / 1000 - Number(at)) < FIVE_MINUTES)) return false
  const key = Buffer.from(CROSSWAY_WEBHOOK_SECRET.replace("whsec_", ""), "base64")
  const expected = createHmac("sha256", key).update(`${id}.${at}.`).update(body).digest()
  // There are several signatures while a secret is being rotated.
  return (headers["webhook-signature"] ?? "").split(" ").some((signature) => {
    const received = Buffer.from(signature.replace("v1,", ""), "base64")
    return received.length === expected.length && timingSafeEqual(received, expected)
  })
}

// Mark an order as paid and ship it, once: the same event may arrive again.
const markPaid = (id, intentId) => {
  const order = Object.hasOwn(shop.orders, id) ? shop.orders[id] : undefined
  if (!order || order.paidBy) return
  order.paidBy = intentId
  shop.shipments.push(id)
  save()
}

const app = express()

app.post("/orders", express.json(), async (request, response) => {
  const id = randomUUID()
  shop.orders[id] = { wallet: request.body.wallet } // stored before its payment is created
  save()
  response.status(201).json({ page: `/orders/${id}`, pay: await paymentPage(id) })
})

app.get("/orders/:id", async (request, response) => {
  const { id } = request.params
  if (!Object.hasOwn(shop.orders, id)) return response.sendStatus(404)
  if (shop.orders[id].paidBy) return response.send("<p>Paid. Thank you!</p>")
  response.send(`<a href="${await paymentPage(id)}">Pay 25 USDC</a>`)
})

// The raw body is verified, before anything parses it.
app.post("/webhooks", express.raw({ type: () => true }), (request, response) => {
  if (!isGenuine(request.body, request.headers)) return response.sendStatus(400)
  const event = JSON.parse(request.body)
  if (event.type === "intent_completed") markPaid(event.data.metadata.order, event.data.id)
  response.sendStatus(204)
})

app.listen(Number(process.argv[2] ?? 3000), "127.0.0.1")
