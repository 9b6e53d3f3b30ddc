# The container image of Millrace:
#   docker build --tag millrace .
# BASE is any Debian or Ubuntu with glibc; BUILD has Maven and a JDK 25 that JAVA_HOME names. Both are pinned by the digests of their
# images for all architectures; docs/running.md has how to take newer ones. gateway/packaging/image/build makes an image without Docker and with less of Debian in it, and takes the
# settings of the image from here.
ARG BASE=debian:bookworm-slim@sha256:7c7b2c966bc9ee8cedfeef67e0e279108992c77681fa595db4a9d65c06ccc587
ARG BUILD=maven:3.9.16-eclipse-temurin-25@sha256:93b8a14ea2f412782e4e842651273b4d903e35cc496284f178fbbe2d67d00976

FROM ${BUILD} AS build
RUN apt-get update && apt-get install --yes --no-install-recommends git python3 unzip zip
COPY . /source
# The time of all files; that of the commit if nothing is said.
ARG SOURCE_DATE_EPOCH
RUN /source/gateway/packaging/stage --program /program

FROM ${BASE}
RUN groupadd --gid 10001 millrace && useradd --uid 10001 --gid 10001 --home-dir /var/lib/millrace --shell /bin/sh millrace \
    && install --directory --owner=10001 --group=10001 /var/lib/millrace /var/cache/millrace
COPY --from=build /program /
LABEL org.opencontainers.image.title="Millrace"
LABEL org.opencontainers.image.description="An S3 endpoint that caches object stores on local disks"
LABEL org.opencontainers.image.licenses="Apache-2.0"
USER 10001:10001
ENV PATH=/usr/bin
WORKDIR /var/lib/millrace
EXPOSE 9080 9081
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/bin/millrace"]
CMD ["serve", "--config", "/etc/millrace/millrace.yaml"]
# By TLS too. Another port than 9081 is named in MILLRACE_ENDPOINT_URL, as http://127.0.0.1:9181. It is a JVM of its own for a moment, since
# nothing else in the image speaks HTTP: docs/sizing.md has its memory.
HEALTHCHECK --interval=60s --start-period=60s CMD ["/usr/bin/millrace", "health"]
