package io.millrace.auth;

/** How a request was signed. */
public enum Scheme {
    /** Signature Version 4 in the Authorization header. */
    V4_HEADER,
    /** Signature Version 4 in the query: a presigned URL. */
    V4_QUERY,
    /** Signature Version 2 in the query: the presigned URLs boto3 and aws-cli 1 make unless told otherwise. */
    V2_QUERY
}
