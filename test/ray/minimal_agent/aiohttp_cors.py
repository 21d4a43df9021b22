"""In front of the real package on a posed host's path: without it Ray starts the node's agent in its minimal form.

The full agent of each of ten nodes on two cores starts so slowly that their raylets give up on it.
"""

raise ModuleNotFoundError("No module named 'aiohttp_cors' (left out on purpose)", name="aiohttp_cors")
