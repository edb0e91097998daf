"""What the worker tests put around the product: a server of processes, a stand-in for the web, barriers in a worker."""
