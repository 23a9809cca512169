"""The books and the stock: what there is, where it should be, and whether chains agree."""
