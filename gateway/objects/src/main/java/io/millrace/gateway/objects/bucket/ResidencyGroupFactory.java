package io.millrace.gateway.objects.bucket;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.cache.residency.GroupResidencyCounter;
import io.millrace.cache.residency.QuotaSize;
import io.millrace.cache.residency.ResidencyGroup;
import io.millrace.config.DataSize;
import io.millrace.config.problem.ProblemReporter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Creates, from the settings, the definitions of the groups (buckets and prefixes) whose cached bytes are counted, and
 * their quotas.
 */
public final class ResidencyGroupFactory {
    /** The smallest quota: sixteen blocks of the largest size. */
    private static final DataSize LEAST_SHARE = DataSize.ofMebibytes(64);

    private ResidencyGroupFactory() {}

    /** Returns each tracked prefix once, by the backend's names. */
    public static List<ResidencyGroup> of(List<BucketSettings> entries) {
        Map<ObjectPrefix, ResidencyGroup> counted = new LinkedHashMap<>();
        for (BucketSettings entry : entries) {
            if (!entry.name().isPattern()) {
                put(counted, whole(entry), entry.quota());
                entry.trackedPrefixes().forEach(prefix -> put(counted, below(entry, prefix), Optional.empty()));
            }
        }
        return List.copyOf(counted.values());
    }

    private static void put(
            Map<ObjectPrefix, ResidencyGroup> counted, ObjectPrefix objects, Optional<QuotaSize> quota) {
        counted.merge(
                objects,
                new ResidencyGroup(objects, quota),
                (before, more) -> before.quota().isPresent() ? before : more);
    }

    /** Reports invalid and conflicting quotas, and too many prefixes. */
    public static void check(List<BucketSettings> entries, ProblemReporter problems) {
        checkSizes(entries, problems);
        Map<ObjectPrefix, QuotaSize> quotas = new LinkedHashMap<>();
        for (int i = 0; i < entries.size(); i++) {
            BucketSettings entry = entries.get(i);
            if (entry.quota().isPresent() && !entry.name().isPattern()) {
                QuotaSize quota = entry.quota().get();
                QuotaSize other = quotas.putIfAbsent(whole(entry), quota);
                if (other != null && !other.equals(quota)) {
                    problems.add(
                            "buckets[" + i + "].quota",
                            "",
                            "differs from that of an earlier entry for the same bucket of the backend",
                            "write it once");
                }
            }
        }
        if (of(entries).size() > GroupResidencyCounter.MOST) {
            problems.add(
                    "buckets",
                    "",
                    "there are more than %,d tracked buckets and prefixes".formatted(GroupResidencyCounter.MOST),
                    "name fewer prefixes in residency, or use a pattern for buckets");
        }
    }

    private static void checkSizes(List<BucketSettings> entries, ProblemReporter problems) {
        for (int i = 0; i < entries.size(); i++) {
            long bytes = entries.get(i).quota().map(QuotaSize::bytes).orElse(0L);
            if (bytes > 0 && bytes < LEAST_SHARE.bytes()) {
                problems.add(
                        "buckets[" + i + "].quota",
                        new DataSize(bytes),
                        "is too small for a bucket",
                        "write %s or more, or a part of the cache such as 25%%, or leave it out"
                                .formatted(LEAST_SHARE));
            }
        }
    }

    private static ObjectPrefix whole(BucketSettings entry) {
        return below(entry, "");
    }

    private static ObjectPrefix below(BucketSettings entry, String prefix) {
        BucketName real = entry.backendBucket(entry.ownName());
        return new ObjectPrefix(entry.backend(), real, entry.prefix() + prefix);
    }
}
