// Nothing to call: linking is enough. See settings.c.
