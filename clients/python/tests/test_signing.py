"""Signatures are those of Amazon's own examples."""

import unittest
from datetime import datetime, timezone

from millrace.signing import sign

# https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
KEYS = ("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
HOST = "examplebucket.s3.amazonaws.com"
TIME = datetime(2013, 5, 24, tzinfo=timezone.utc)


class SignTest(unittest.TestCase):
    """A range, a sub-resource, and requests of strangers."""

    def signature(self, path, query, headers):
        signed = sign("GET", HOST, path, query, headers, b"", KEYS, "us-east-1", TIME)
        return signed["authorization"].partition("Signature=")[2]

    def test_range_is_signed_as_documented(self):
        expected = "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        self.assertEqual(self.signature("/test.txt", "", {"range": "bytes=0-9"}), expected)

    def test_sub_resource_is_signed_as_documented(self):
        expected = "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
        self.assertEqual(self.signature("/", "lifecycle=", {}), expected)

    def test_token_is_signed(self):
        signed = sign("GET", HOST, "/", "", {}, b"", (*KEYS, "token"), "us-east-1", TIME)
        self.assertEqual(signed["x-amz-security-token"], "token")
        self.assertIn("x-amz-security-token", signed["authorization"])

    def test_without_credentials_nothing_is_signed(self):
        self.assertEqual(sign("GET", HOST, "/", "", {}, b"", None, "us-east-1"), {"host": HOST})
