// An unmodified client of x402 asks for a URL, and pays if it is asked to: URL, private key.
import { wrapFetchWithPaymentFromConfig, decodePaymentResponseHeader } from "@x402/fetch";
import { ExactEvmScheme } from "@x402/evm";
import { privateKeyToAccount } from "viem/accounts";

const [url, key] = process.argv.slice(2);
const schemes = [{ network: "eip155:8453", client: new ExactEvmScheme(privateKeyToAccount(key)) }];
// By default it pays a dollar at most, and gas on a chain of tests is dearer than on a rollup.
const spendControls = { maxAmountPerPayment: "$5" };
const response = await wrapFetchWithPaymentFromConfig(fetch, { schemes, spendControls })(url, { headers: { Accept: "application/json" } });
const settled = response.headers.get("PAYMENT-RESPONSE");
const told = { status: response.status, body: await response.json(), settled: settled && decodePaymentResponseHeader(settled) };
process.stdout.write(JSON.stringify(told));
