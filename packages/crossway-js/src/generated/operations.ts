// Written by generate.mjs from the OpenAPI document; do not edit.

import type { Call, Operation } from "../calls.js"
import type { components } from "./schema.js"

/** The operations of the API, each by its operationId. */
export interface Operations {
  /** Quote from one bridge. The quote of one bridge for this payment. `INVENTORY` pays out of the operator's inventory and takes any two tokens; every other bridge only the tokens that it carries. */
  getQuote: Call<"getQuote">
  /** Quotes from every bridge. The quotes of every bridge that serves the route, cheapest first. For bridges that give none now, estimates follow (`estimated`): figures of a model, for display. No payment is created at an estimate. */
  listQuotes: Call<"listQuotes">
  /** The cheapest quote. The quote of the cheapest bridge. */
  getBestQuote: Call<"getBestQuote">
  /** Quotes from all source chains to one destination. Every token of every chain with the cheapest bridge that carries it: the destination chain first, then by cost. Where no bridge quotes a token now, an estimate (`estimated`) is listed after all quotes: the figures of a model, for display. It is never `cheapestOption`, and no payment is created at an estimate. */
  getMultiSourceQuote: Call<"getMultiSourceQuote">
  /** Create an intent. Create a single-use payment with its own deposit address. */
  createIntent: Call<"createIntent">
  /** List intents. The client's intents, newest first. `cursor` pages without skipping or repeating any. */
  listIntents: Call<"listIntents">
  /** Create many intents. Create up to 500 payments at once, in one transaction; the body may have 1 MiB. In the mode `all` they are created together or not at all: a 400 names what is wrong with each that is refused, as `intents[3].amount`. In the mode `each` those that can be created are, and the others have their `error`. With an `Idempotency-Key` the whole batch is repeated safely. Counts as 50 requests. */
  createIntents: Call<"createIntents">
  /** Get an intent by its address. One intent by its deposit address. */
  getIntentByAddress: Call<"getIntentByAddress">
  /** Calculate the destination intent address. The intent's address on the destination chain. */
  getDestinationAddress: Call<"getDestinationAddress">
  /** List the intents of a payer. The client's newest intents with this sender, at most 100, newest first. */
  listIntentsOfSender: Call<"listIntentsOfSender">
  /** Get the timeline of an intent. What happened to a payment, step by step, and what happens next. */
  getIntentTimeline: Call<"getIntentTimeline">
  /** Process an intent manually. Check the funding now and start the intent. Test networks need this call. */
  triggerProcessing: Call<"triggerProcessing">
  /** Refund an expired intent. Refund the balance of an expired intent when the automatic refund did not. */
  refundIntent: Call<"refundIntent">
  /** Get an intent by its number. One intent by its record number. */
  getIntent: Call<"getIntent">
  /** List bridges and routes. Every bridge with all its routes. */
  listBridges: Call<"listBridges">
  /** The bridges between two chains. The bridges that serve this pair of chains now, each for the tokens that it carries. */
  listBridgesOfRoute: Call<"listBridgesOfRoute">
  /** The routes of one bridge. Every route that this bridge serves. */
  listRoutesOfBridge: Call<"listRoutesOfBridge">
  /** The best route now. The cheapest bridge for this payment, with its quote and what the bridge needs. */
  getOptimalRoute: Call<"getOptimalRoute">
  /** List chains. The identifiers of all available chains. */
  listChains: Call<"listChains">
  /** List the tokens of every chain. The available tokens by chain. */
  listTokens: Call<"listTokens">
  /** Get the balances of an address. The balances by chain, of every chain whose address format matches. Chains that did not answer are missing; `Crossway-Missing` names them. Counts as 18 requests. */
  getBalances: Call<"getBalances">
  /** List the tokens of one chain. The available tokens of a chain. */
  listTokensOfChain: Call<"listTokensOfChain">
  /** Send simulated tokens. Send tokens to an address, such as an intent's, on a simulated chain. Under an `Idempotency-Key` they are sent once, whatever happens to the first request. */
  sendSandboxDeposit: Call<"sendSandboxDeposit">
  /** Advance or freeze the clock. Advance the service's clock, which every simulated chain follows. */
  setSandboxClock: Call<"setSandboxClock">
  /** Inject faults into a chain. Outages, reorganisations, dropped and reverted transactions, wrong data, low balances. */
  injectChainFaults: Call<"injectChainFaults">
  /** Inject faults into a bridge. Late, missing, expired and wrong attestations, unfilled deposits, paused contracts. */
  injectBridgeFaults: Call<"injectBridgeFaults">
  /** Get the simulated balances of an address. Every balance, including deposit addresses and recipients. */
  getSandboxBalances: Call<"getSandboxBalances">
  /** Report the outcome of an order. The simulated provider performs and reports the outcome; the order follows shortly. */
  reportRampOrderOutcome: Call<"reportRampOrderOutcome">
  /** Set a customer's KYC status. Set the result of a simulated provider's check. */
  setKycStatus: Call<"setKycStatus">
  /** Inject faults into a provider. Outages, delays, refused orders, wrong amounts, repeated webhooks, rates, KYC checks. */
  injectProviderFaults: Call<"injectProviderFaults">
  /** Quotes of every provider. The quotes of every provider that serves the corridor, lowest total cost first. */
  listRampQuotes: Call<"listRampQuotes">
  /** List currencies. The supported currencies; for `off-ramp`, those with direct payouts. */
  listRampCurrencies: Call<"listRampCurrencies">
  /** List countries. The countries where ramps are offered, one entry for each of their currencies. */
  listRampCountries: Call<"listRampCountries">
  /** Create a ramp order. Create an on-ramp or off-ramp order with a provider. */
  createRampOrder: Call<"createRampOrder">
  /** List ramp orders. The client's orders, newest first. `cursor` pages without skipping or repeating any. */
  listRampOrders: Call<"listRampOrders">
  /** Get a ramp order by its intent. The order of an intent. */
  getRampOrderByIntent: Call<"getRampOrderByIntent">
  /** Get a ramp order. One order by its record number. */
  getRampOrder: Call<"getRampOrder">
  /** Confirm a ramp order. Confirm that the user has paid; the provider is notified. */
  confirmRampOrder: Call<"confirmRampOrder">
  /** Cancel a ramp order. Cancel an unpaid order. */
  cancelRampOrder: Call<"cancelRampOrder">
  /** Get a customer's KYC state. The customer's tier, limit and missing requirements. */
  getKycState: Call<"getKycState">
  /** Submit KYC fields. Submit a customer's fields to a provider's check. They are stored encrypted and masked when returned. */
  submitKyc: Call<"submitKyc">
  /** Erase a customer. Erase a customer's e-mail address and submissions; their orders stay without this data. */
  eraseCustomer: Call<"eraseCustomer">
  /** Get a provider's KYC requirements. A provider's tiers in a country with their requirements. */
  getKycRequirements: Call<"getKycRequirements">
  /** Submit a KYC document. A PNG, JPEG or PDF of up to 5 MiB; the body is the file. */
  submitKycDocument: Call<"submitKycDocument">
  /** Get a customer's KYC state for a transaction. The customer's KYC state for one transaction. */
  getKycStateOfTransaction: Call<"getKycStateOfTransaction">
  /** Get the client of this key. The client and the API key of the request. */
  getClientInfo: Call<"getClientInfo">
  /** Create a payment link. Create a link that any number of payers can pay; each payer gets its own intent. */
  createPaymentLink: Call<"createPaymentLink">
  /** List payment links. The client's payment links, newest first. */
  listPaymentLinks: Call<"listPaymentLinks">
  /** Get a payment link. One payment link. */
  getPaymentLink: Call<"getPaymentLink">
  /** Change a payment link. Change texts, amount, limits or the active flag; the destination cannot change. */
  updatePaymentLink: Call<"updatePaymentLink">
  /** List the uses of a payment link. The payments made with the link, newest first, each with its intent. */
  listPaymentLinkUses: Call<"listPaymentLinkUses">
  /** List networks. The networks on which payments are settled now. */
  listSettledNetworks: Call<"listSettledNetworks">
  /** Create offers. Create an intent for each way to pay, to answer with status 402. */
  createPaymentOffers: Call<"createPaymentOffers">
  /** Verify a payment. Whether a payment would be settled now. Nothing is stored. */
  verifySignedPayment: Call<"verifySignedPayment">
  /** Settle a payment. Carry a payment out and wait for it, for at most 25 seconds; 503 says that it is not known yet. Each is settled once. */
  settleSignedPayment: Call<"settleSignedPayment">
  /** Create a standing address. Create an address that does not expire: every deposit of an accepted token at it makes an intent of its own, and the recipient gets what came less the fees. Anything else goes to the recovery address. Its contract, which nobody can change, lets money go nowhere else. */
  createStandingAddress: Call<"createStandingAddress">
  /** List standing addresses. The client's standing addresses, newest first. */
  listStandingAddresses: Call<"listStandingAddresses">
  /** Get a standing address. One standing address with its rules. */
  getStandingAddress: Call<"getStandingAddress">
  /** Change a standing address. Change limits, reference, metadata or the active flag, for deposits of blocks from now on. Recipient, recovery address and route cannot change: the address follows from them. */
  updateStandingAddress: Call<"updateStandingAddress">
  /** Quote a deposit at a standing address. What a deposit of this amount would give the recipient at current fees, which include what forwarding it costs; or why it would go back or wait. It promises nothing; the contract promises `least_payout`, or that the deposit goes back. */
  quoteStandingDeposit: Call<"quoteStandingDeposit">
  /** List deposits at standing addresses. What came to the client's standing addresses, newest first, each with its intent. */
  listStandingDeposits: Call<"listStandingDeposits">
  /** Get a deposit at a standing address. One deposit by its record number. */
  getStandingDeposit: Call<"getStandingDeposit">
  /** Issue an invoice. Issue an invoice with the next number of your client and mode, and a payment link that takes its total. */
  createInvoice: Call<"createInvoice">
  /** List invoices. The client's invoices, newest first. */
  listInvoices: Call<"listInvoices">
  /** Get an invoice. One invoice with what is paid of it. */
  getInvoice: Call<"getInvoice">
  /** Make an invoice void. Make an invoice void that nothing was paid of. It keeps its number; its link is closed. */
  voidInvoice: Call<"voidInvoice">
  /** Create a subscription. Issue an invoice every so many weeks or months. Its first one is issued so many `lead_days` before the first due date. */
  createSubscription: Call<"createSubscription">
  /** List subscriptions. The client's subscriptions, newest first. */
  listSubscriptions: Call<"listSubscriptions">
  /** Get a subscription. One subscription. GET /invoices lists its invoices by `subscription_id`. */
  getSubscription: Call<"getSubscription">
  /** Pause, resume or cancel a subscription. Pause, resume or cancel it. What falls due while it is paused is skipped, not issued afterwards. To change anything else, cancel it and create another one. */
  updateSubscription: Call<"updateSubscription">
  /** Create a webhook. Receive events at a URL. Only this response has the secret that verifies them. */
  createWebhook: Call<"createWebhook">
  /** List webhooks. The client's webhooks, oldest first. */
  listWebhooks: Call<"listWebhooks">
  /** Get a delivery with its attempts. One delivery with its payload and every attempt. */
  getDelivery: Call<"getDelivery">
  /** Replay a delivery. Resend the event now. A delivery with a scheduled attempt is attempted now instead. */
  replayDelivery: Call<"replayDelivery">
  /** Get a webhook. One webhook, without its secret. */
  getWebhook: Call<"getWebhook">
  /** Change a webhook. Change its URL, events or description, or enable or disable it. */
  updateWebhook: Call<"updateWebhook">
  /** Delete a webhook. Delete a webhook with its deliveries. */
  deleteWebhook: Call<"deleteWebhook">
  /** Rotate the secret. Create a new secret, shown in this response only. The old one signs too for 24 hours. */
  rotateWebhookSecret: Call<"rotateWebhookSecret">
  /** Send a test event. Send an event of type `webhook_test` to this webhook, whatever its event types, also while it is disabled. */
  testWebhook: Call<"testWebhook">
  /** List the deliveries of a webhook. Its deliveries, newest first. `cursor` pages without skipping or repeating any. */
  listDeliveries: Call<"listDeliveries">
  /** Replay the events of a period. Resend all events of a period in order, including those from while it was disabled. */
  replayEvents: Call<"replayEvents">
  /** Replay the missed events. Resend every event that failed for good, or happened while the webhook was disabled since then, once, in order, and at most 10,000 at a time. */
  replayMissedEvents: Call<"replayMissedEvents">
  /** Search by an identifier. Resources of this key's client and mode with an address, transaction, reference, event or id; no e-mail addresses. Counts as 3 requests. */
  searchResources: Call<"searchResources">
  /** Search, also by an e-mail address. As `GET /search`, with the identifier in the body, which is not logged on its way as a URL is: an e-mail address finds a customer's ramp orders and their payments. Counts as 3 requests. */
  searchPrivately: Call<"searchPrivately">
  /** Create an export. Write a list to a file in the background: read the export until it is `completed`. At most 3 are in progress and 20 stored at a time, of 500 MB in all, with 500,000 rows each. Counts as 10 requests. */
  createExport: Call<"createExport">
  /** List exports. The client's exports, newest first. */
  listExports: Call<"listExports">
  /** Get an export. One export: how far it has come, and then the link to its file. */
  getExport: Call<"getExport">
  /** Delete an export. Delete an export with its file, also while it is written; its link ends. */
  deleteExport: Call<"deleteExport">
}

/** The events of webhooks and of the event stream, by their type. */
export interface Events {
  /** An intent was created. */
  intent_created: components["schemas"]["ReadIntentEvent"]
  /** The deposit of an intent is complete and confirmed. */
  intent_funded: components["schemas"]["ReadIntentEvent"]
  /** An intent was started: its recipient will be paid. */
  intent_initiated: components["schemas"]["ReadIntentEvent"]
  /** The recipient of an intent was paid. */
  intent_completed: components["schemas"]["ReadIntentEvent"]
  /** The deposit of an intent was refunded. */
  intent_refunded: components["schemas"]["ReadIntentEvent"]
  /** An intent expired before it was started. */
  intent_expired: components["schemas"]["ReadIntentEvent"]
  /** An intent cannot be paid out; its deposit is refunded. */
  intent_failed: components["schemas"]["ReadIntentEvent"]
  /** A reorganisation of a chain undid an earlier step of an intent. */
  intent_reorged: components["schemas"]["ReadIntentEvent"]
  /** A ramp order was opened or changed. */
  ramp_order_updated: components["schemas"]["OrderOutEvent"]
  /** A deposit at a standing address has got further. */
  standing_deposit_updated: components["schemas"]["StandingDepositOutEvent"]
  /** An invoice was issued, by you or by a subscription. */
  invoice_issued: components["schemas"]["InvoiceOutEvent"]
  /** An invoice is due soon or overdue, as you asked to be reminded. */
  invoice_reminder: components["schemas"]["InvoiceOutEvent"]
  /** The total of an invoice has reached its recipient. */
  invoice_paid: components["schemas"]["InvoiceOutEvent"]
  /** An invoice was made void. */
  invoice_voided: components["schemas"]["InvoiceOutEvent"]
  /** A subscription was paused, resumed, cancelled or ended, skipped periods, or could not issue an invoice. */
  subscription_updated: components["schemas"]["SubscriptionOutEvent"]
  /** You asked for a test. */
  webhook_test: components["schemas"]["WebhookTestEvent"]
}

export const OPERATIONS: Record<keyof Operations, Operation> = {
  getQuote: {"method":"GET","path":"/v1/quotes/single"},
  listQuotes: {"method":"GET","path":"/v1/quotes/multiple"},
  getBestQuote: {"method":"GET","path":"/v1/quotes/best"},
  getMultiSourceQuote: {"method":"GET","path":"/v1/quotes/multi-source"},
  createIntent: {"method":"POST","path":"/v1/intents"},
  listIntents: {"method":"GET","path":"/v1/intents","items":"intents"},
  createIntents: {"method":"POST","path":"/v1/intents/batch"},
  getIntentByAddress: {"method":"GET","path":"/v1/intents/address/{address}"},
  getDestinationAddress: {"method":"GET","path":"/v1/intents/destination-address/{address}"},
  listIntentsOfSender: {"method":"GET","path":"/v1/intents/user/{sender}"},
  getIntentTimeline: {"method":"GET","path":"/v1/intents/{id}/timeline"},
  triggerProcessing: {"method":"POST","path":"/v1/intents/{intentAddress}/trigger-processing"},
  refundIntent: {"method":"POST","path":"/v1/intents/{intentAddress}/refund"},
  getIntent: {"method":"GET","path":"/v1/intents/{id}"},
  listBridges: {"method":"GET","path":"/v1/router/supported-bridges/all"},
  listBridgesOfRoute: {"method":"GET","path":"/v1/router/supported-bridges/route"},
  listRoutesOfBridge: {"method":"GET","path":"/v1/router/supported-routes/bridge/{bridge}"},
  getOptimalRoute: {"method":"GET","path":"/v1/router/optimal-route"},
  listChains: {"method":"GET","path":"/v1/chains"},
  listTokens: {"method":"GET","path":"/v1/chains/tokens/all"},
  getBalances: {"method":"GET","path":"/v1/chains/balances/{address}"},
  listTokensOfChain: {"method":"GET","path":"/v1/chains/{chain}/tokens"},
  sendSandboxDeposit: {"method":"POST","path":"/v1/sandbox/deposits"},
  setSandboxClock: {"method":"POST","path":"/v1/sandbox/clock"},
  injectChainFaults: {"method":"POST","path":"/v1/sandbox/chains/{chain}/faults"},
  injectBridgeFaults: {"method":"POST","path":"/v1/sandbox/bridges/{bridge}/faults"},
  getSandboxBalances: {"method":"GET","path":"/v1/sandbox/balances/{address}"},
  reportRampOrderOutcome: {"method":"POST","path":"/v1/sandbox/ramp/orders/{id}"},
  setKycStatus: {"method":"POST","path":"/v1/sandbox/kyc"},
  injectProviderFaults: {"method":"POST","path":"/v1/sandbox/ramp/providers/{provider}/faults"},
  listRampQuotes: {"method":"GET","path":"/v1/ramp/quotes"},
  listRampCurrencies: {"method":"GET","path":"/v1/ramp/currencies"},
  listRampCountries: {"method":"GET","path":"/v1/ramp/countries"},
  createRampOrder: {"method":"POST","path":"/v1/ramp/orders"},
  listRampOrders: {"method":"GET","path":"/v1/ramp/orders","items":"orders"},
  getRampOrderByIntent: {"method":"GET","path":"/v1/ramp/orders/by-intent/{intentAddress}"},
  getRampOrder: {"method":"GET","path":"/v1/ramp/orders/{id}"},
  confirmRampOrder: {"method":"POST","path":"/v1/ramp/orders/{id}/confirm"},
  cancelRampOrder: {"method":"POST","path":"/v1/ramp/orders/{id}/cancel"},
  getKycState: {"method":"GET","path":"/v1/ramp/kyc"},
  submitKyc: {"method":"POST","path":"/v1/ramp/kyc"},
  eraseCustomer: {"method":"DELETE","path":"/v1/ramp/kyc"},
  getKycRequirements: {"method":"GET","path":"/v1/ramp/kyc/requirements"},
  submitKycDocument: {"method":"POST","path":"/v1/ramp/kyc/documents","query":["provider","userEmail","countryCode","fiatCurrency","key"]},
  getKycStateOfTransaction: {"method":"GET","path":"/v1/kyc/state"},
  getClientInfo: {"method":"GET","path":"/v1/client/auth/client-info"},
  createPaymentLink: {"method":"POST","path":"/v1/payment-links"},
  listPaymentLinks: {"method":"GET","path":"/v1/payment-links","items":"payment_links"},
  getPaymentLink: {"method":"GET","path":"/v1/payment-links/{id}"},
  updatePaymentLink: {"method":"PATCH","path":"/v1/payment-links/{id}"},
  listPaymentLinkUses: {"method":"GET","path":"/v1/payment-links/{id}/uses","items":"uses"},
  listSettledNetworks: {"method":"GET","path":"/v1/x402/supported"},
  createPaymentOffers: {"method":"POST","path":"/v1/x402/offers"},
  verifySignedPayment: {"method":"POST","path":"/v1/x402/verify"},
  settleSignedPayment: {"method":"POST","path":"/v1/x402/settle"},
  createStandingAddress: {"method":"POST","path":"/v1/standing-addresses"},
  listStandingAddresses: {"method":"GET","path":"/v1/standing-addresses","items":"standing_addresses"},
  getStandingAddress: {"method":"GET","path":"/v1/standing-addresses/{id}"},
  updateStandingAddress: {"method":"PATCH","path":"/v1/standing-addresses/{id}"},
  quoteStandingDeposit: {"method":"GET","path":"/v1/standing-addresses/{id}/quote"},
  listStandingDeposits: {"method":"GET","path":"/v1/standing-deposits","items":"standing_deposits"},
  getStandingDeposit: {"method":"GET","path":"/v1/standing-deposits/{id}"},
  createInvoice: {"method":"POST","path":"/v1/invoices"},
  listInvoices: {"method":"GET","path":"/v1/invoices","items":"invoices"},
  getInvoice: {"method":"GET","path":"/v1/invoices/{id}"},
  voidInvoice: {"method":"POST","path":"/v1/invoices/{id}/void"},
  createSubscription: {"method":"POST","path":"/v1/subscriptions"},
  listSubscriptions: {"method":"GET","path":"/v1/subscriptions","items":"subscriptions"},
  getSubscription: {"method":"GET","path":"/v1/subscriptions/{id}"},
  updateSubscription: {"method":"PATCH","path":"/v1/subscriptions/{id}"},
  createWebhook: {"method":"POST","path":"/v1/webhooks"},
  listWebhooks: {"method":"GET","path":"/v1/webhooks","items":"webhooks"},
  getDelivery: {"method":"GET","path":"/v1/webhooks/deliveries/{id}"},
  replayDelivery: {"method":"POST","path":"/v1/webhooks/deliveries/{id}/replay"},
  getWebhook: {"method":"GET","path":"/v1/webhooks/{id}"},
  updateWebhook: {"method":"PATCH","path":"/v1/webhooks/{id}"},
  deleteWebhook: {"method":"DELETE","path":"/v1/webhooks/{id}"},
  rotateWebhookSecret: {"method":"POST","path":"/v1/webhooks/{id}/rotate-secret"},
  testWebhook: {"method":"POST","path":"/v1/webhooks/{id}/test"},
  listDeliveries: {"method":"GET","path":"/v1/webhooks/{id}/deliveries","items":"deliveries"},
  replayEvents: {"method":"POST","path":"/v1/webhooks/{id}/replay"},
  replayMissedEvents: {"method":"POST","path":"/v1/webhooks/{id}/replay-missed"},
  searchResources: {"method":"GET","path":"/v1/search"},
  searchPrivately: {"method":"POST","path":"/v1/search"},
  createExport: {"method":"POST","path":"/v1/exports"},
  listExports: {"method":"GET","path":"/v1/exports","items":"exports"},
  getExport: {"method":"GET","path":"/v1/exports/{id}"},
  deleteExport: {"method":"DELETE","path":"/v1/exports/{id}"},
}
