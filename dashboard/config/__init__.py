"""Settings, URLs, WSGI and Celery applications, middleware."""
