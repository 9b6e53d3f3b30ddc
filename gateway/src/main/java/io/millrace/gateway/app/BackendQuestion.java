package io.millrace.gateway.app;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BucketName;
import io.millrace.gateway.bucket.BucketSettings;
import java.util.List;
import reactor.core.publisher.Mono;

/**
 * What a backend is asked to find out whether it answers.
 *
 * @param tried the same in the operator's words
 * @param answer asks when it is subscribed to
 */
record BackendQuestion(String tried, Mono<?> answer) {
    /** Keys often may read one bucket and not list all, so a bucket of the file is asked for where there is one. */
    static BackendQuestion of(String name, Backend backend, List<BucketSettings> buckets) {
        return buckets.stream()
                .filter(entry ->
                        entry.backend().equals(name) && entry.name().value().indexOf('*') < 0)
                .map(entry -> entry.bucket()
                        .orElseGet(() -> new BucketName(entry.name().value())))
                .findFirst()
                .map(bucket -> new BackendQuestion(
                        "look at bucket '%s' (HeadBucket)".formatted(bucket), backend.bucket(bucket)))
                .orElseGet(() -> new BackendQuestion("list its buckets (ListBuckets)", backend.buckets()));
    }

    /** Whether the backend answers and only refuses: its key may lack the right, or be wrong. */
    static boolean isRefusal(Throwable failure) {
        return failure instanceof BackendException refused && refused.kind() == BackendException.Kind.ACCESS_DENIED;
    }
}
