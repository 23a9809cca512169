// A shop with Express: an order, its payment page, a verified webhook, and the order paid once.
import { randomUUID } from "node:crypto"
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { Crossway, SignatureVerificationError, verifyWebhook } from "crossway-client"
import express from "express"

const { CROSSWAY_API_KEY, CROSSWAY_API_URL, CROSSWAY_WEBHOOK_SECRET, SHOP_WALLET } = process.env
const crossway = new Crossway(CROSSWAY_API_KEY, { url: CROSSWAY_API_URL })
const USDC_BASE = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
const PRICE = "25000000" // 25 USDC in its smallest unit

// A file stands for the database: one process writes it, synchronously, so no step is interrupted.
const FILE = process.env.SHOP_DATABASE ?? "shop.json"
const shop = existsSync(FILE)
  ? JSON.parse(readFileSync(FILE, "utf8"))
  : { orders: {}, shipments: [] }
const save = () => {
  writeFileSync(`${FILE}.new`, JSON.stringify(shop))
  renameSync(`${FILE}.new`, FILE)
}

// The URL of the order's payment page; its payment is created once, however often this runs.
const paymentPage = async (id) => {
  const order = shop.orders[id]
  if (!order.pay) {
    const payment = await crossway.createIntent({
      amount: PRICE,
      tokenIn: USDC_BASE,
      source_chain: "BASE_MAINNET",
      destination_chain: "ARBITRUM_MAINNET",
      recipient: SHOP_WALLET,
      refund_address: order.wallet,
      metadata: { order: id },
    }, { idempotencyKey: `order ${id}` })
    order.pay = payment.payment_url
    save()
  }
  return order.pay
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
  try {
    const event = verifyWebhook(request.body, request.headers, CROSSWAY_WEBHOOK_SECRET)
    if (event.type === "intent_completed") markPaid(event.data.metadata.order, event.data.id)
    response.sendStatus(204)
  } catch (error) {
    if (!(error instanceof SignatureVerificationError)) throw error
    response.sendStatus(400)
  }
})

app.listen(Number(process.argv[2] ?? 3000), "127.0.0.1")
