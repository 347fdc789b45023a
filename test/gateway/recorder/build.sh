#!/usr/bin/env bash
# Builds the recorder of Debian 12's packages, unpacked into a folder of its own so that nothing is installed:
# build.sh <folder>. Then: <folder>/recorder 127.0.0.1:18561 & node test/gateway/recorder/record.ts 18561
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/debs" "$1/root" "$1/gopath/src/echo" "$1/proto/google/api" && cd "$1"
folder=$PWD root=$PWD/root
packages=(golang-go golang-grpc-gateway golang-github-grpc-ecosystem-grpc-gateway-dev protoc-gen-go-1-3 protobuf-compiler golang-google-grpc-dev)
mapfile -t all < <(apt-get install --simulate --reinstall --no-install-recommends "${packages[@]}" | awk '/^Inst/{print $2}')
(cd debs && apt-get -qq download "${all[@]}" && for each in *.deb; do dpkg -x "$each" "$root"; done)
for link in api misc src test; do ln -sfn "$root/usr/share/go-1.19/$link" "$root/usr/lib/go-1.19/$link"; done
export GOROOT=$root/usr/lib/go-1.19 GO111MODULE=off CGO_ENABLED=0 GOCACHE=$folder/gocache
export GOPATH=$folder/gopath:$root/usr/share/gocode LD_LIBRARY_PATH=$root/usr/lib/x86_64-linux-gnu
export PATH=$root/usr/bin:$GOROOT/bin:$PATH

cp "$here"/../../../node_modules/google-proto-files/google/api/{annotations,http}.proto proto/google/api/
sed 's#^package .*#&\noption go_package = "echo/gw";#' "$here/../../proto/intelligence/test/v1/gateway.proto" > proto/gateway.proto
types=github.com/golang/protobuf/ptypes map=
for name in duration struct timestamp wrappers; do map+=",Mgoogle/protobuf/$name.proto=$types/$name"; done
protoc -I proto -I "$root/usr/include" --go_out="plugins=grpc$map:gopath/src" --grpc-gateway_out="logtostderr=true$map:gopath/src" gateway.proto
cp "$here/main.go" gopath/src/echo/
(cd gopath/src/echo && go build -o "$folder/recorder" .)
