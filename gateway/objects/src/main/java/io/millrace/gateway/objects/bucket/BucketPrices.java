package io.millrace.gateway.objects.bucket;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.gateway.objects.savings.PriceSettings;
import java.util.List;
import java.util.Optional;

/** Finds the prices of a backend bucket in the settings. */
public final class BucketPrices {
    private BucketPrices() {}

    /** Returns the prices of the first entry that shows the bucket and has prices; empty if there is none. */
    public static Optional<PriceSettings> of(List<BucketSettings> entries, String backend, BucketName real) {
        return entries.stream()
                .filter(entry -> entry.prices().isPresent() && shows(entries, entry, backend, real))
                .findFirst()
                .flatMap(BucketSettings::prices);
    }

    /** Reports conflicting prices: a bucket is counted once, however many names clients have for it. */
    public static void check(List<BucketSettings> entries, ProblemReporter problems) {
        for (int i = 0; i < entries.size(); i++) {
            BucketSettings entry = entries.get(i);
            if (entry.prices().isEmpty() || entry.name().isPattern()) {
                continue;
            }
            BucketName real = entry.backendBucket(new BucketName(entry.name().value()));
            if (shows(entries, entry, entry.backend(), real)
                    && !of(entries, entry.backend(), real).equals(entry.prices())) {
                problems.add(
                        "buckets[" + i + "].prices",
                        "",
                        "differ from those of an earlier entry for the same bucket of the backend",
                        "write them once");
            }
        }
    }

    /** Returns whether clients see a backend's bucket through this entry: an earlier one may have taken the name. */
    private static boolean shows(List<BucketSettings> entries, BucketSettings entry, String backend, BucketName real) {
        BucketName name =
                entry.name().isPattern() ? real : new BucketName(entry.name().value());
        return entry.backend().equals(backend)
                && entry.backendBucket(name).equals(real)
                && entries.stream()
                        .filter(other -> other.name().matches(name))
                        .findFirst()
                        .filter(entry::equals)
                        .isPresent();
    }
}
