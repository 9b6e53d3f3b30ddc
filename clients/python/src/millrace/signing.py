"""Signatures of requests by SigV4, as far as reads need them."""

import hashlib
import hmac
from datetime import datetime, timezone


def sign(method, host, path, query, headers, body, credentials, region, now=None):
    """Returns the headers of a request: host, those given, and with credentials those that prove who sends it.

    path and query are encoded already, and headers have lower-case names. All of them are signed.
    """
    signed = {"host": host, **headers}
    if credentials is None:
        return signed
    access_key, secret_key, *token = credentials
    time = (now or datetime.now(timezone.utc)).strftime("%Y%m%dT%H%M%SZ")
    digest = hashlib.sha256(body).hexdigest()
    signed |= {"x-amz-date": time, "x-amz-content-sha256": digest}
    if token and token[0]:
        signed["x-amz-security-token"] = token[0]
    names = sorted(signed)
    lines = "".join(f"{name}:{signed[name]}\n" for name in names)
    request = "\n".join([method, path, query, lines, ";".join(names), digest])
    scope = f"{time[:8]}/{region}/s3/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", time, scope, hashlib.sha256(request.encode()).hexdigest()])
    key = f"AWS4{secret_key}".encode()
    for part in scope.split("/"):
        key = _hmac(key, part)
    signature = _hmac(key, text).hex()
    signed["authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={access_key}/{scope}, SignedHeaders={';'.join(names)}, Signature={signature}"
    )
    return signed


def _hmac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()
