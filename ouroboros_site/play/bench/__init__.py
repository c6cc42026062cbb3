"""Measurements: ``manage.py bench rules`` and ``manage.py bench web``."""
