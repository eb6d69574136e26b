"""How a run travels: events, arrays, a digest, which frames are kept, and the schema of all of it."""
