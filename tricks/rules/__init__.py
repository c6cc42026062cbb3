"""Rules of the two games for several people. Pure: nothing here knows of Django."""
