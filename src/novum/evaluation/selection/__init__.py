"""Features and models chosen: greedy steps, stability, information criteria."""
