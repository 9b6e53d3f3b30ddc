package io.millrace.gateway.job;

import io.millrace.backend.spi.BucketName;

/**
 * Where objects go.
 *
 * @param bucket as clients name it
 * @param prefix what stands there in place of the prefix of the selection; may be empty
 */
public record Target(BucketName bucket, String prefix) {}
