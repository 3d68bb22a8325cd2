# The image of the function: one static binary, the two files that give the user
# nobody a name, and in /usr/share/doc/confighash the licences and what the
# binary is made of. It needs no shell, no network and no writable file system.
#
# BUILDER_IMAGE needs Go and a /bin/sh, no more; `make image` makes one from the
# Go toolchain at hand where none can be pulled. The binary is cross-compiled,
# so the builder runs on the machine's own platform, whatever the image is for.
ARG BUILDER_IMAGE=golang:1.26
ARG BASE_IMAGE=scratch

FROM --platform=${BUILDPLATFORM:-linux} ${BUILDER_IMAGE} AS build
# BuildKit sets these two from --platform. Where they are empty, Go builds for
# the platform that it runs on.
ARG TARGETOS
ARG TARGETARCH
ARG VERSION=dev
# These make the folders, as the builder has no mkdir.
WORKDIR /image/etc
WORKDIR /image/usr/share/doc/confighash
WORKDIR /src
# .dockerignore lets through what the build reads, nothing else.
COPY . .
# kustomize runs a container with --user nobody, and Docker refuses a name that
# the image's /etc/passwd does not list.
RUN CGO_ENABLED=0 GOOS="$TARGETOS" GOARCH="$TARGETARCH" \
    go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$VERSION" -o /image/usr/local/bin/confighash ./fn && \
    go run -buildvcs=false ./hack/bom sbom -version "$VERSION" /image/usr/local/bin/confighash \
    > /image/usr/share/doc/confighash/confighash.cdx.json && \
    printf 'root:x:0:0:root:/:/sbin/nologin\nnobody:x:65534:65534:nobody:/:/sbin/nologin\n' > /image/etc/passwd && \
    printf 'root:x:0:\nnobody:x:65534:\n' > /image/etc/group

FROM ${BASE_IMAGE}
ARG VERSION=dev
LABEL org.opencontainers.image.title="confighash" \
      org.opencontainers.image.description="Restart workloads when their ConfigMaps and Secrets change" \
      org.opencontainers.image.source="https://github.com/confighash/confighash" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}"
COPY --from=build /image/ /
COPY LICENSE THIRD_PARTY_LICENSES.txt /usr/share/doc/confighash/
USER nobody
ENTRYPOINT ["/usr/local/bin/confighash"]
