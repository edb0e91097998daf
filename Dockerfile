# One image for web, worker, sweep and migrate; docker-compose.yml gives each its command.
# The version of Python that CI runs on; .ci/other-pythons tries the later ones.
FROM python:3.11-slim

ENV PYTHONUNBUFFERED=1 \
    MALLOC_ARENA_MAX=1 \
    MALLOC_MMAP_THRESHOLD_=4194304 \
    PYTHONNODEBUGRANGES=1 \
    TMPDIR=/data/tmp \
    PIP_NO_CACHE_DIR=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    DJANGO_SETTINGS_MODULE=dashboard.config.settings \
    CAIRN_HOME=/data \
    CAIRN_COLLECTED=1 \
    NUMBA_CACHE_DIR=/opt/numba-cache

# The user's id is fixed, so that a volume written by one release of the image is readable by the next.
RUN useradd --uid 10001 --user-group --create-home --shell /usr/sbin/nologin cairn \
    && install -d -o cairn -g cairn -m 700 /data /data/tmp /opt/numba-cache

WORKDIR /app
# requirements.txt and what an S3-compatible storage needs
COPY requirements-s3.txt .
RUN pip install --require-hashes -r requirements-s3.txt

COPY manage.py ./
COPY privacy_engine privacy_engine
COPY dashboard dashboard
COPY templates templates
COPY static static

# The key serves this one command and stays in no layer; the running container must be given its own.
RUN python -m compileall -q privacy_engine dashboard \
    && CAIRN_SECRET_KEY=only-to-collect CAIRN_HOME=/tmp/build python manage.py collectstatic --noinput -v 0 \
    && rm -rf /tmp/build

USER cairn
RUN python -m dashboard.launcher.warm

EXPOSE 8000
VOLUME /data
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=4 \
    CMD ["python", "-m", "dashboard.launcher.health", "web"]
# proxies and browsers keep connections for a minute, and the server must not be the first to close one
CMD ["gunicorn", "dashboard.config.wsgi:application", "--bind", "0.0.0.0:8000", "--worker-class", "gthread", \
     "--workers", "2", "--threads", "208", "--worker-tmp-dir", "/dev/shm", "--timeout", "120", "--graceful-timeout", "20", \
     "--keep-alive", "75", "--no-control-socket"]
