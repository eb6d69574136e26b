"""The server of the lab: loopback alone, a token, checked origins, two processes that work, nothing of a request run as code."""
