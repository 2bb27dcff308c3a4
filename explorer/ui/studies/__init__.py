"""The Studies page: many episodes under stated conditions."""
