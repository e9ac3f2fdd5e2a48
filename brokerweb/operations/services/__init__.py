"""What people do to running instances. Each function is one call of the engine, with the engine's own words.

Not responsible for rights (the API's gate) nor for the meaning of statements (the engine's).
"""
