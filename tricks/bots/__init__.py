"""Bots for them. Pure; a bot gets what its seat sees, and nothing else."""
