package io.millrace.gateway.s3.gate;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;

/**
 * A decision about one object of a request that the gate has admitted: a key of DeleteObjects, an item of a batch, the
 * source of a copy, or the key of a browser's form.
 *
 * @param principal the name of who was allowed or denied; that of a form may differ from the request's
 */
public record ObjectDecision(String principal, BucketName bucket, ObjectKey key, boolean isAllowed) {}
