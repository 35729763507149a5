FROM python:3.13-slim-bookworm AS packages
COPY requirements.production.lock /tmp/
RUN python -m venv /opt/venv \
    && /opt/venv/bin/pip install --no-cache-dir --require-hashes -r /tmp/requirements.production.lock

FROM python:3.13-slim-bookworm
# Pango and fonts, one of them with Chinese, draw the PDF reports.
RUN apt-get update \
    && apt-get install -y --no-install-recommends libpango-1.0-0 libpangoft2-1.0-0 fonts-dejavu-core fonts-wqy-microhei \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --no-create-home --home-dir /srv/parley parley
COPY --from=packages /opt/venv /opt/venv
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PARLEY_ENV=production
WORKDIR /srv/parley
COPY . .
# The values serve this one command: production settings refuse to load without them.
RUN PARLEY_SECRET_KEY=collectstatic-reads-no-secret-and-writes-none PARLEY_ALLOWED_HOSTS=localhost \
    DATABASE_URL=postgres://localhost/none REDIS_URL=redis://localhost/0 \
    python manage.py collectstatic --noinput
# The code stays root's: the process that faces the network cannot change it.
USER parley
EXPOSE 8000
CMD ["python", "-m", "gunicorn", "-c", "parley/gunicorn.py", "parley.wsgi:application"]
