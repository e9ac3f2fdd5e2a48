"""What goes wrong: kinds of fault, one family a file, and the plan that a seed draws from them."""
