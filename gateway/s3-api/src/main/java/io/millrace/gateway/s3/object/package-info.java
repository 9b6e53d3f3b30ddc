/**
 * S3 operations on objects: reads, served from the cache or a backend; writes, copies and deletions in one request;
 * uploads by a browser's form; and multipart uploads, of which the backend keeps all state.
 */
@NullMarked
package io.millrace.gateway.s3.object;

import org.jspecify.annotations.NullMarked;
