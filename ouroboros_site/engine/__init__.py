"""What any card game here is made of. Pure Python: nothing in this package imports Django."""
