package io.millrace.gateway.jobs.request;

import io.millrace.backend.spi.object.BucketName;

/**
 * Where objects go.
 *
 * @param bucket as clients name it
 * @param prefix what stands there in place of the prefix of the selection; may be empty
 */
public record JobTarget(BucketName bucket, String prefix) {}
