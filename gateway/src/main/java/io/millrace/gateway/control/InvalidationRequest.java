package io.millrace.gateway.control;

import org.jspecify.annotations.Nullable;

/**
 * Of what nothing cached is to be believed any more.
 *
 * @param key of one object
 * @param prefix of many, instead of {@code key}; without both it is the whole bucket
 */
record InvalidationRequest(
        @Nullable String bucket,
        @Nullable String key,
        @Nullable String prefix) {}
