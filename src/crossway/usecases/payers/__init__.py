"""What payers meet: pages of payments, and links that many pay by."""
