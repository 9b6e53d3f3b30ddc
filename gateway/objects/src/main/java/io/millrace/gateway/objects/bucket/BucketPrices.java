package io.millrace.gateway.objects.bucket;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.config.problem.ProblemReporter;
import java.util.List;
import java.util.Optional;

/** Finds what the settings say that reads of a backend bucket cost. */
public final class BucketPrices {
    private BucketPrices() {}

    /** Returns the prices of the first entry that shows the bucket and has prices; empty if there is none. */
    public static Optional<PriceSettings> of(List<BucketSettings> entries, String backend, BucketName real) {
        BucketSettingsMatcher all = new BucketSettingsMatcher(entries);
        return entries.stream()
                .filter(entry -> entry.prices().isPresent()
                        && entry.backend().equals(backend)
                        && all.nameOf(entry, real).isPresent())
                .findFirst()
                .flatMap(BucketSettings::prices);
    }

    /** Reports conflicting prices: a bucket is counted once, however many names clients have for it. */
    public static void check(List<BucketSettings> entries, ProblemReporter problems) {
        BucketSettingsMatcher all = new BucketSettingsMatcher(entries);
        for (int i = 0; i < entries.size(); i++) {
            BucketSettings entry = entries.get(i);
            if (entry.prices().isEmpty() || entry.name().isPattern()) {
                continue;
            }
            BucketName real = entry.backendBucket(entry.ownName());
            if (all.nameOf(entry, real).isPresent()
                    && !of(entries, entry.backend(), real).equals(entry.prices())) {
                problems.add(
                        "buckets[" + i + "].prices",
                        "",
                        "differ from those of an earlier entry for the same bucket of the backend",
                        "write them once");
            }
        }
    }
}
