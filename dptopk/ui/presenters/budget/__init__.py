"""Present the page budget."""
