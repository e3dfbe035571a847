#!/usr/bin/env bash
# Makes a base image for sandboxes out of Debian's packages, for machines that reach no image registry.
# Needs root on Debian with debootstrap and docker.
#
# usage: offline-base.sh IMAGE_NAME
set -euo pipefail

image=${1:?usage: offline-base.sh IMAGE_NAME}
packages=ca-certificates,curl,git,procps,python3,ripgrep

# Release and mirror are the machine's own, which are known to answer.
. /etc/os-release
release=${VERSION_CODENAME:?this Debian names no release in /etc/os-release}
mirror=$(
  apt-get indextargets --format '$(ORIGIN) $(CODENAME) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
    awk -v release="$release" '$1 == "Debian" && $2 == release && $3 == "main" && !found++ { print $4 }'
)
: "${mirror:?no package lists of Debian ${release}: run apt-get update first}"

# /tmp is often small or mounted without device files.
root=$(mktemp -d /var/tmp/toolgate-base.XXXXXX)
trap 'rm -rf --one-file-system "$root"' EXIT

debootstrap --variant=minbase --include="$packages" "$release" "$root" "$mirror"
rm -rf "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/archives/*.deb
tar --create --one-file-system --directory "$root" . | docker import - "$image"
