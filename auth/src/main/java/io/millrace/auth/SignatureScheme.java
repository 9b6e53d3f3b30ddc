package io.millrace.auth;

/** AWS signature version (4 or 2) of a request, and the part of the request that carries the signature. */
public enum SignatureScheme {
    /** Signature Version 4 in the Authorization header. */
    V4_HEADER,
    /** Signature Version 4 in the query: a presigned URL. */
    V4_QUERY,
    /** Signature Version 2 in the query: the presigned URLs boto3 and aws-cli 1 make by default. */
    V2_QUERY,
    /** Signature Version 4 of the policy in a browser's form. */
    V4_FORM,
    /** Signature Version 2 of the policy in a browser's form, which boto3 makes by default. */
    V2_FORM
}
