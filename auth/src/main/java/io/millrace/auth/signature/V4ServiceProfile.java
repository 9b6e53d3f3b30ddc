package io.millrace.auth.signature;

import io.millrace.auth.PayloadType;

/**
 * Parameters of Signature Version 4 that differ between AWS services. The gateway uses those of S3; AWS's test vectors
 * use another service.
 *
 * @param service the scope's service
 * @param headerPayload text signed in place of the body by an Authorization header if the request states none; curl
 *     7.88 states none and signs the hash of no bytes for a GET
 * @param queryPayload text signed in place of the body by a presigned URL if the request states none
 */
record V4ServiceProfile(String service, String headerPayload, String queryPayload) {
    static final V4ServiceProfile S3 =
            new V4ServiceProfile("s3", PayloadType.UNSTATED.text(), PayloadType.UNSIGNED.text());
}
