# The gateway of the pictures in docs/: backends of which one cannot be reached, a bucket with a mistyped name, data sets. Sourced by run, of
# which it replaces the functions of the same names.
# shellcheck shell=bash disable=SC2154

# files FOLDER SUFFIX FIRST LAST BYTES
files() {
  local number
  mkdir -p "$(dirname "$1")"
  for number in $(seq -w "$3" "$4"); do
    head -c "$5" /dev/urandom >"$1$number$2"
  done
}

sample() {
  local kind
  files "$work/objects/imagenet-2024/train/shard-" .tar 000 059 2097152
  files "$work/objects/imagenet-2024/meta/labels" .json 1 1 48231
  files "$work/objects/logs/2026/11/part-" .json 00 04 40000
  for kind in cat dog horse; do
    files "$work/nas/openimages/$kind/img-" .parquet 00 19 1572864
  done
  files "$work/nas/checkpoints/llm-7b/step-" 000.pt 1 6 65536
  mkdir -p "$work/nas/mirror"
}

policies() {
  cat >"$work/trainer.json" <<END
{ "Version": "2012-10-17", "Statement": [
  { "Effect": "Allow", "Action": [ "s3:GetObject", "s3:ListBucket" ], "Resource": [ "arn:aws:s3:::imagenet", "arn:aws:s3:::imagenet/*" ] },
  { "Effect": "Deny", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::imagenet/private/*" } ] }
END
  cat >"$work/checkpoints.json" <<END
{ "Version": "2012-10-17", "Statement": [
  { "Effect": "Allow", "Principal": { "AWS": "arn:aws:iam::000000000000:user/trainer" }, "Action": "s3:GetObject", "Resource": "arn:aws:s3:::checkpoints/*" },
  { "Effect": "Deny", "Principal": "*", "Action": "s3:DeleteObject", "Resource": "arn:aws:s3:::checkpoints/*" } ] }
END
}

settings() {
  cat <<END
s3: { address: 127.0.0.1, port: $S3_PORT }
admin:
  address: 127.0.0.1
  port: $ADMIN_PORT
$(people_settings)
data: ./data
cache: { disks: [ { path: ./nvme0, size: 512MiB }, { path: ./nvme1, size: 512MiB } ] }
backends:
  local: { type: file, path: ./objects }
  nas: { type: file, path: ./nas }
  lab: { type: s3, endpoint: "http://127.0.0.1:9", access-key: LAB, secret-key: lab-secret-that-stays-here }
buckets:
  - { name: imagenet, backend: local, bucket: imagenet-2024, anonymous: "read,list", freshness: { mode: immutable } }
  - { name: openimages, backend: nas, anonymous: "read,list" }
  - { name: checkpoints, backend: nas, policy: ./checkpoints.json, quota: 64MiB }
  - { name: mirror, backend: nas }
  - { name: logs, backend: local, anonymous: read }
  - { name: models, backend: local, bucket: modles }
  - { name: crawl, backend: lab, anonymous: read }
identities:
  - { name: admin, access-key: CONSOLE-ADMIN, secret-key: admin-secret-that-stays-here, allow: "*" }
  - { name: trainer, access-key: CONSOLE-BOB, secret-key: bob-secret-that-stays-here, allow: [ "read,list:openimages/dog/*" ], policies: [ ./trainer.json ] }
  - { name: ingest, access-key: INGEST, secret-key: ingest-secret-that-stays-here, allow: [ "read,list,write:mirror", "write:logs/2026/*" ] }
sts:
  roles:
  - { name: operator, issuer: "$PROVIDER", claims: { groups: operators }, allow: "operate:*" }
  - { name: viewer, issuer: "$PROVIDER", claims: { groups: staff }, allow: "view:*" }
END
}
