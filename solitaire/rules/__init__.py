"""The two editions of Ouroboros Solitaire as pure rules. Nothing in this package imports Django."""
