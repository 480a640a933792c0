# synthrelease in a container. Build:  docker build -t synthrelease .
# Demonstration:                       docker run --rm -v "$PWD:/data" --user "$(id -u):$(id -g)" synthrelease
# Any command on your files:           docker run --rm -it -v "$PWD:/data" --user "$(id -u):$(id -g)" synthrelease preview plan.toml
# Publisher: a tag can be moved. To pin it, write python:3.13-slim-bookworm@sha256:…, which `docker buildx imagetools inspect
# python:3.13-slim-bookworm` prints.
FROM python:3.13-slim-bookworm

COPY pyproject.toml README.md LICENSE /src/
COPY synthrelease /src/synthrelease
COPY schemas /src/schemas
RUN pip install --no-cache-dir '/src[full]' && rm -r /src \
 && useradd --create-home curator && mkdir /data && chown curator /data

# Figures need a folder for fonts that any user may write to.
ENV MPLCONFIGDIR=/tmp/matplotlib
USER curator
WORKDIR /data
ENTRYPOINT ["synthrelease"]
CMD ["demo"]
