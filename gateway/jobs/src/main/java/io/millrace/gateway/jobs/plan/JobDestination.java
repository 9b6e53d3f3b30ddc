package io.millrace.gateway.jobs.plan;

import io.millrace.backend.spi.object.BucketName;

/**
 * The bucket and prefix that objects are written to.
 *
 * @param bucket as clients name it
 * @param prefix replaces the prefix of the selection; may be empty
 */
public record JobDestination(BucketName bucket, String prefix) {}
