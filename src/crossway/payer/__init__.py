"""The payer's page and payment links: small pages drawn by the server, for whoever has the link."""
