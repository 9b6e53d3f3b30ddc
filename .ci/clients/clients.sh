# Every client: how to install it, its version, the commands that read the data set and write it. Sourced by run.
# shellcheck shell=bash
: "${tools:?}" "${clients:?}"

CI_CLIENTS=(boto3 aws-cli-1 aws-cli-2 rclone go js java-sync java-netty java-crt)
ALL_CLIENTS=("${CI_CLIENTS[@]}" s3cmd duckdb pyarrow restic s3fs-fuse deltalake pyiceberg s3fs s3torch hadoop recipes samples minio-go
  transforms batch scratch)
# With PyTorch, of 5 GB: only by their names.
MORE_CLIENTS=(samples-torch batch-torch)
# Those of CI's clients that differ from each other in how they write.
CI_WRITERS=(boto3 aws-cli-1 rclone go js java-sync java-crt)
# Their reads are part of what they write.
ONLY_WRITERS=(restic s3fs-fuse deltalake pyiceberg s3fs s3torch hadoop recipes samples samples-torch minio-go transforms batch
  batch-torch scratch)

# has_job CLIENT JOB: `writing` are the clients that are to write.
has_job() {
  case $2 in
    reads) [[ " ${ONLY_WRITERS[*]} " != *" $1 "* ]] ;;
    writes) [[ " ${writing[*]} " == *" $1 "* ]] ;;
  esac
}

# Debian has version 2 as /usr/bin/aws; a pip installation of version 1 often comes before it in PATH.
aws_cli_2=/usr/bin/aws

install_client() {
  case $1 in
    boto3 | aws-cli-1 | duckdb | pyarrow | batch) install_python ;;
    aws-cli-2) debian_packages "$aws_cli_2:awscli" ;;
    deltalake | pyiceberg | s3fs | s3torch) install_tables ;;
    rclone | s3cmd | restic) debian_packages "$1:$1" ;;
    s3fs-fuse) debian_packages s3fs:s3fs fusermount:fuse ;;
    go) install_once go "$clients/go" go build -C "$clients/go" -o "$tools/bin/go-client" . ;;
    js) install_once js "$clients/js" install_js ;;
    java-*) install_once java "$clients/java" install_java java ;;
    hadoop) install_once hadoop "$clients/hadoop" install_java hadoop ;;
    recipes) for one in aws-cli-2 duckdb rclone s3cmd restic s3fs-fuse deltalake; do install_client "$one"; done ;;
    samples) for one in aws-cli-1 duckdb rclone s3fs; do install_client "$one"; done && install_minio && install_datasets ;;
    minio-go) install_once minio-go "$clients/minio-go" go build -C "$clients/minio-go" -o "$tools/bin/minio-go-client" . ;;
    transforms) for one in aws-cli-1 pyarrow s3fs; do install_client "$one"; done ;;
    samples-torch | batch-torch) install_python && install_training ;;
    scratch) debian_packages cc:gcc unshare:util-linux && install_client s3fs && install_scratch ;;
  esac
}

install_python() { install_once python "$clients/requirements.txt" python_venv python "$clients/requirements.txt"; }

install_tables() {
  install_once tables "$clients/requirements-tables.txt" python_venv tables "$clients/requirements-tables.txt"
}

install_minio() {
  install_once minio "$clients/requirements-minio.txt" python_venv minio "$clients/requirements-minio.txt"
}

install_datasets() {
  install_once datasets "$clients/requirements-datasets.txt" python_venv datasets "$clients/requirements-datasets.txt"
}

install_scratch() {
  install_once scratch "$clients/requirements-scratch.txt" python_venv scratch "$clients/requirements-scratch.txt"
}

# The pins of bench/training.sh, and its place.
install_training() {
  local pins=$clients/../../bench/requirements-training.txt
  install_once training "$pins" python_venv training "$pins"
}

install_java() { mvn -q -B -ntp -f "$clients/$1/pom.xml" -Dfolder="$tools/$1" package; }

install_js() {
  mkdir -p "$tools/js"
  cp "$clients"/js/{*.js,*.json,.npmrc} "$tools/js"
  (cd "$tools/js" && npm ci --silent --ignore-scripts)
}

client_version() {
  case $1 in
    boto3 | duckdb | pyarrow) sed -n "s/^$1==//p" "$clients/requirements.txt" ;;
    aws-cli-1) sed -n 's/^awscli==//p' "$clients/requirements.txt" ;;
    aws-cli-2) "$aws_cli_2" --version | sed 's|aws-cli/\([^ ]*\).*|\1|' ;;
    deltalake | pyiceberg | s3fs) sed -n "s/^$1==//p" "$clients/requirements-tables.txt" ;;
    s3torch) sed -n 's/^s3torchconnectorclient==//p' "$clients/requirements-tables.txt" ;;
    restic) restic version | cut -d ' ' -f 2 ;;
    s3fs-fuse) s3fs --version | sed -n '1s/.* V\([^ ]*\).*/\1/p' ;;
    hadoop) sed -n 's|.*<hadoop.version>\(.*\)<.*|\1|p' "$clients/hadoop/pom.xml" ;;
    samples) sed -n 's/^minio==//p' "$clients/requirements-minio.txt" ;;
    minio-go) sed -n 's|.*/minio-go/v7 v||p' "$clients/minio-go/go.mod" ;;
    samples-torch) sed -n 's/^s3torchconnector==//p' "$clients/../../bench/requirements-training.txt" ;;
    batch) sed -n 's/^__version__ = "\([0-9.]*\).*/\1/p' "$clients/../../clients/python/src/millrace/__init__.py" ;;
    batch-torch) sed -n 's/^torch==//p' "$clients/../../bench/requirements-training.txt" ;;
    scratch) sed -n 's/^sccache==//p' "$clients/requirements-scratch.txt" ;;
    recipes | transforms) ;;
    rclone) rclone version | sed -n '1s/.* v//p' ;;
    s3cmd) s3cmd --version | sed 's/.* //' ;;
    go) sed -n 's|.*/service/s3 v||p' "$clients/go/go.mod" ;;
    js) sed -n 's|.*client-s3": "\(.*\)".*|\1|p' "$clients/js/package.json" ;;
    java-crt) sed -n 's|.*<aws-crt.version>\(.*\)<.*|\1|p' "$clients/java/pom.xml" ;;
    java-*) sed -n 's|.*<aws-sdk.version>\(.*\)<.*|\1|p' "$clients/java/pom.xml" ;;
  esac
}

# client_command NAME JOB: sets the array `command`.
client_command() {
  local suffix=
  [[ $2 == reads ]] || suffix=-writes
  case $1 in
    boto3 | duckdb | pyarrow) command=("$tools/python/bin/python" -B "$clients/$1_$2.py") ;;
    deltalake | pyiceberg | s3fs | s3torch) command=("$tools/tables/bin/python" -B "$clients/$1_$2.py") ;;
    aws-cli-1) command=(env AWS_CLI="$tools/python/bin/aws" "$clients/aws-cli$suffix") ;;
    aws-cli-2) command=(env AWS_CLI="$aws_cli_2" "$clients/aws-cli$suffix") ;;
    rclone | s3cmd | restic | s3fs-fuse) command=("$clients/$1$suffix") ;;
    go) command=("$tools/bin/go-client" "$2") ;;
    js) command=(node --no-warnings "$tools/js/$2.js") ;;
    java-*) command=(java -cp "$tools/java/millrace-clients.jar:$tools/java/lib/*" io.millrace.clients.Main "$2" "${1#java-}") ;;
    recipes) command=(env TABLES_PYTHON="$tools/tables/bin/python" "$tools/python/bin/python" -B "$clients/recipes_writes.py") ;;
    samples)
      command=(env AWS_CLI="$tools/python/bin/aws" TABLES_PYTHON="$tools/tables/bin/python" MINIO_PYTHON="$tools/minio/bin/python"
        DATASETS_PYTHON="$tools/datasets/bin/python" "$tools/python/bin/python" -B "$clients/samples_writes.py")
      ;;
    samples-torch)
      command=(env TRAINING_PYTHON="$tools/training/bin/python" "$tools/python/bin/python" -B "$clients/samples_writes.py" torch)
      ;;
    minio-go) command=("$tools/bin/minio-go-client") ;;
    transforms)
      command=(env AWS_CLI="$tools/python/bin/aws" TABLES_PYTHON="$tools/tables/bin/python"
        "$tools/python/bin/python" -B "$clients/transforms_writes.py")
      ;;
    scratch)
      command=(env TABLES_PYTHON="$tools/tables/bin/python" SCRATCH_PYTHON="$tools/scratch/bin/python" SCCACHE="$tools/scratch/bin/sccache"
        "$tools/python/bin/python" -B "$clients/scratch_writes.py")
      ;;
    batch) batch_command plain "$tools/python/bin/python" ;;
    batch-torch) batch_command torch "$tools/training/bin/python" ;;
    hadoop) command=(java -cp "$tools/hadoop/millrace-hadoop.jar:$tools/hadoop/lib/*" io.millrace.clients.HadoopWrites) ;;
  esac
}

# batch_command KIND PYTHON: what reads is started by what writes.
batch_command() {
  command=(env BATCH_KIND="$1" BATCH_PYTHON="$2" "$tools/python/bin/python" -B "$clients/batch_writes.py")
}
