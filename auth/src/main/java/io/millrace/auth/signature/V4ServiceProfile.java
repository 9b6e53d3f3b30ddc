package io.millrace.auth.signature;

import io.millrace.auth.PayloadType;

/**
 * What differs between AWS services under version 4. The gateway is S3; AWS's test vectors are for another.
 *
 * @param service the scope's service
 * @param headerPayload what is signed for the body where the header is signed and nothing is stated; curl 7.88 states
 *     nothing, and signs the hash of no bytes for a GET
 * @param queryPayload the same for a presigned URL
 */
record V4ServiceProfile(String service, String headerPayload, String queryPayload) {
    static final V4ServiceProfile S3 =
            new V4ServiceProfile("s3", PayloadType.UNSTATED.text(), PayloadType.UNSIGNED.text());
}
