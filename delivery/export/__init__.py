"""A release in the forms of others: each form is a module here and a line in `registry`."""
