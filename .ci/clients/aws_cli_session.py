"""aws-cli by AWS_CLI, as the checks in Python use it; aws-cli.sh is for those of the shell."""

import os
import subprocess
from pathlib import Path

import expected


def s3(*arguments: str) -> None:
    """Runs a command of `aws s3`; one that fails ends the check."""
    config = Path(os.environ["WORK"]) / "config"
    config.write_text("[default]\nretry_mode = standard\nmax_attempts = 1\ns3 =\n  addressing_style = path\n")
    settings = os.environ | {
        "AWS_ACCESS_KEY_ID": expected.ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": expected.SECRET_KEY,
        "AWS_DEFAULT_REGION": expected.REGION,
        "AWS_CONFIG_FILE": str(config),
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    command = [os.environ["AWS_CLI"], "--endpoint-url", expected.ENDPOINT, "s3", *arguments]
    subprocess.run(command, env=settings, check=True)
