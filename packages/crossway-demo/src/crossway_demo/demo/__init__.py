"""The demo dataset: a month of payments, played by the real engine on simulated chains."""
