// Nothing to call: linking is all. See settings.c.
