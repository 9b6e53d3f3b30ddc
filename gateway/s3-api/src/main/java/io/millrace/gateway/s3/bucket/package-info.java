/**
 * S3 operations on buckets: their own, listings of objects and versions, and CORS, whose rules come from the settings
 * or else from the backend; and the headers of writes that are forwarded to backends.
 */
@NullMarked
package io.millrace.gateway.s3.bucket;

import org.jspecify.annotations.NullMarked;
