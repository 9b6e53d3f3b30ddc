"""Clients that know of no cluster, over a balancer that gives each request to the next member; and members with TLS."""

import os
import re
import subprocess
import sys

import boto3
import botocore.config

from balancer import Balancer
from members import ACCESS_KEY, ANNOUNCED, SECRET_KEY, STRONG, Cluster

ROUNDS = 20
# One of .ci/clients, which writes, reads at once, overwrites, renames and deletes. Hadoop comes first, since it lists all that it finds.
OTHERS = ("hadoop", "s3torch")
OTHER = """
set -euo pipefail
clients=.ci/clients
source .ci/lib.sh
source .ci/clients/clients.sh
client_command "$1" writes
exec timeout 600 "${command[@]}"
"""


def client(endpoint, **more):
    config = botocore.config.Config(s3={"addressing_style": "path"}, retries={"total_max_attempts": 1})
    keys = {"aws_access_key_id": ACCESS_KEY, "aws_secret_access_key": SECRET_KEY, **more}
    return boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", config=config, **keys)


def run_clients(place):
    with Cluster(place, "clients") as cluster:
        status_of_page(place, cluster)
        with Balancer(place, cluster, "haproxy", in_turn=True) as balancer:
            for bucket in (STRONG, ANNOUNCED):
                boto3_reads_what_it_wrote(place, balancer.endpoint, bucket)
                aws_cli_reads_what_it_wrote(place, balancer.endpoint, bucket)
                for name in OTHERS:
                    other_reads_what_it_wrote(place, balancer.endpoint, bucket, name)
        shares = [cluster.figure(number, "millrace_cache_requests_total") for number in range(3)]
        place.hold(min(shares) > 0, f"clients: not all members served: {shares}")
        place.say(
            f"clients: boto3, aws-cli, {', '.join(OTHERS)} wrote at one member and read at the others;"
            f" GETs of the three: {', '.join(f'{share:.0f}' for share in shares)}"
        )


def status_of_page(place, cluster):
    """The command below the page's, and what the page says that it shows."""
    variables = {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY, "MILLRACE_ENDPOINT_URL": f"http://127.0.0.1:{cluster.tens + 1}0"}
    shown = subprocess.run(["./millrace", "cluster", "status"], cwd=cluster.folder, env={**os.environ, **variables}, capture_output=True, text=True)
    well = shown.returncode == 0 and ": ready," in shown.stdout and len(re.findall(r"^gw-[12] +heard ", shown.stdout, re.MULTILINE)) == 2
    print(shown.stdout, shown.stderr, flush=True)
    place.hold(well, f"clients: millrace cluster status ended with {shown.returncode}: {shown.stdout}{shown.stderr}")


def boto3_reads_what_it_wrote(place, endpoint, bucket):
    s3 = client(endpoint)
    wrong = []
    for number in range(ROUNDS):
        for text in (b"first", b"second", b"third"):
            s3.put_object(Bucket=bucket, Key=f"boto3/{number % 5}", Body=b"%s of %d" % (text, number))
            # One request more than there are members, so that the next write is at another one.
            found = [s3.get_object(Bucket=bucket, Key=f"boto3/{number % 5}")["Body"].read() for _ in range(4)]
            wrong += [one for one in found if one != b"%s of %d" % (text, number)]
    s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": "boto3/0"}, {"Key": "boto3/1"}]})
    for _ in range(3):
        listed = [one["Key"] for one in s3.list_objects_v2(Bucket=bucket, Prefix="boto3/")["Contents"]]
        wrong += [] if listed == ["boto3/2", "boto3/3", "boto3/4"] else [listed]
    large = os.urandom(20 << 20)
    for _ in range(2):
        (place.work / "large").write_bytes(large)
        s3.upload_file(str(place.work / "large"), bucket, "large")
        for _ in range(4):
            wrong += [] if s3.get_object(Bucket=bucket, Key="large")["Body"].read() == large else ["large"]
        large = large[1:]
    place.hold(not wrong, f"clients: boto3 in {bucket} did not read what it wrote: {wrong[:3]}")


def aws_cli_reads_what_it_wrote(place, endpoint, bucket):
    variables = {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY, "AWS_DEFAULT_REGION": "us-east-1", "AWS_MAX_ATTEMPTS": "1"}

    def aws(*arguments, given=None):
        command = [os.path.join(os.path.dirname(sys.executable), "aws"), "--endpoint-url", endpoint, *arguments]
        done = subprocess.run(command, input=given, env={**os.environ, **variables}, capture_output=True)
        place.hold(done.returncode == 0, f"clients: aws {' '.join(arguments)}: {done.stderr[-300:]}")
        return done.stdout

    for text in (b"one", b"two"):
        aws("s3", "cp", "-", f"s3://{bucket}/aws/key", given=text)
        found = [aws("s3", "cp", f"s3://{bucket}/aws/key", "-") for _ in range(3)]
        place.hold(found == [text] * 3, f"clients: aws-cli in {bucket} read {found} after {text}")
    for name in (b"aws/key", b"None"):
        found = [aws("s3api", "list-objects-v2", "--bucket", bucket, "--prefix", "aws/", "--query", "Contents[].Key", "--output", "text") for _ in range(3)]
        place.hold([one.strip() for one in found] == [name] * 3, f"clients: aws-cli in {bucket} lists {found} instead of {name}")
        if name != b"None":
            aws("s3", "rm", f"s3://{bucket}/aws/key")


def other_reads_what_it_wrote(place, endpoint, bucket, name):
    folder = place.work / f"{name}-{bucket}"
    folder.mkdir()
    variables = {"ENDPOINT": endpoint, "ACCESS_KEY": ACCESS_KEY, "SECRET_KEY": SECRET_KEY, "REGION": "us-east-1", "BUCKET": bucket}
    variables |= {"EXPECTED": str(place.work / "dataset"), "WORK": str(folder), "PAGE": "7"}
    variables |= dict.fromkeys(("SIGV2", "TAGS", "KEEPS", "CHECKSUMMED", "CONDITIONAL_PARTS", "UPLOADS"), "yes")
    command = ["bash", "-c", OTHER, "bash", name]
    done = subprocess.run(command, cwd=place.root, env={**os.environ, **variables}, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    place.hold(done.returncode == 0, f"clients: {name} in {bucket}: {done.stdout[-300:]}{done.stderr[-1500:]}")


def run_tls(place):
    certificate = place.work / "certificate.pem"
    keys = f"tls: {{ certificate: {certificate}, private-key: {place.work / 'key.pem'} }}"
    edits = [("s3: { port: 909$n }", f"s3: {{ port: 909$n, {keys} }}"), ("secret-file: join", f"secret-file: join\n  tls: {{ authorities: {certificate} }}")]
    with Cluster(place, "tls", edits, scheme="https") as cluster:
        gateways = [client(cluster.endpoint(number), verify=str(certificate)) for number in range(3)]
        for bucket in (STRONG, ANNOUNCED):
            wrong, hits = [], 0
            for number in range(ROUNDS):
                gateways[number % 3].put_object(Bucket=bucket, Key="key", Body=b"%d" % number)
                for _ in range(2):
                    found = [gateway.get_object(Bucket=bucket, Key="key") for gateway in gateways]
                    wrong += [one for one in [one["Body"].read() for one in found] if one != b"%d" % number]
                hits += sum("; hit" in one["ResponseMetadata"]["HTTPHeaders"].get("cache-status", "") for one in found)
            place.hold(not wrong, f"tls: {len(wrong)} reads in {bucket} were not of the last write")
            place.hold(hits == 3 * ROUNDS, f"tls: {hits} of {3 * ROUNDS} second reads in {bucket} were hits")
        place.hold(cluster.holds_leases(), "tls: not all leases are held")
        place.say(f"tls: {2 * ROUNDS} writes through one of three were read at all at once, and were hits then")
