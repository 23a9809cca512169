// A paid API with Express: it answers 402 with an offer of x402, and delivers what is paid for.
import express from "express";

const { SHOP_WALLET, CROSSWAY_API_KEY, CROSSWAY_API_URL = "http://127.0.0.1:8600" } = process.env;
// By deposit address what was offered for it, so that an offer buys nothing else. Several processes
// keep this in their database.
const offered = new Map();

async function ask(path, body) {
  const headers = { Authorization: `Bearer ${CROSSWAY_API_KEY}`, "Content-Type": "application/json" };
  const answer = await fetch(`${CROSSWAY_API_URL}/api/v1/x402/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

const encode = (content) => Buffer.from(JSON.stringify(content)).toString("base64");

// The payment that a request brings; empty where it brings none that can be read.
function readPayment(header) {
  try {
    return JSON.parse(Buffer.from(header ?? "", "base64").toString()) ?? {};
  } catch { return {}; }
}

// Lets a request through once it has paid this much; Crossway then pays SHOP_WALLET on Arbitrum.
function costs(microUsd) {
  return async (request, response, next) => {
    const payment = readPayment(request.get("PAYMENT-SIGNATURE"));
    if (offered.get(payment.accepted?.payTo) === request.path) {
      const settled = await ask("settle", { x402Version: 2, paymentPayload: payment });
      if (settled.success) {
        response.set("PAYMENT-RESPONSE", encode(settled));
        return next();
      }
    }
    const required = await ask("offers", {
      amount: String(microUsd), destination_chain: "ARBITRUM_MAINNET", recipient: SHOP_WALLET,
      refund_address: SHOP_WALLET, url: `${request.protocol}://${request.host}${request.path}`,
    });
    for (const { payTo } of required.accepts) offered.set(payTo, request.path);
    response.status(402).set("PAYMENT-REQUIRED", encode(required)).json(required);
  };
}

const app = express();
app.get("/report", costs(200_000), (request, response) => response.json({ report: "It will rain." }));
app.listen(Number(process.argv[2] ?? 3000));
