"""What the worker tests put around the product: a house of processes, a stand-in for the web, barriers in a worker."""
