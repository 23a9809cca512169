"""The payer's checkout and payment link pages, rendered on the server for anyone with the link."""
