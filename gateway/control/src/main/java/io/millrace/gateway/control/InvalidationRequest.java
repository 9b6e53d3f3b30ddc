package io.millrace.gateway.control;

import org.jspecify.annotations.Nullable;

/**
 * A request to invalidate the metadata of an object, a prefix or a bucket.
 *
 * @param key the key of one object
 * @param prefix a prefix of keys, instead of {@code key}; without either, the whole bucket is invalidated
 */
record InvalidationRequest(
        @Nullable String bucket,
        @Nullable String key,
        @Nullable String prefix) {}
