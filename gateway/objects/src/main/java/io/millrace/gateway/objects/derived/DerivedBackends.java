package io.millrace.gateway.objects.derived;

import io.millrace.backend.spi.Backend;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketSavingsRegistry;
import io.millrace.gateway.objects.bucket.BucketSettings;
import io.millrace.gateway.objects.bucket.DerivedSettings;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Creates the backends of derived buckets. */
public final class DerivedBackends {
    private DerivedBackends() {}

    /**
     * Returns the backends that the entries use, by name: the given ones, and one for each derived bucket. Those need
     * not be closed.
     *
     * @param entries checked: what they are derived from has a backend
     */
    public static Map<String, Backend> with(
            List<BucketSettings> entries,
            Map<String, Backend> backends,
            BucketSavingsRegistry accounts,
            CurrentObjectFinder objects,
            ArchiveIndexes indexes) {
        BucketRegistry sources = new BucketRegistry(
                entries.stream().filter(entry -> entry.derived().isEmpty()).toList(), backends, accounts);
        Map<String, Backend> all = new LinkedHashMap<>(backends);
        for (BucketSettings entry : entries) {
            if (entry.derived().isPresent()) {
                DerivedSettings derived = entry.derived().get();
                all.put(
                        entry.backend(),
                        new MemberBackend(
                                entry.backend(),
                                derived,
                                entry.prefix(),
                                sources.find(derived.from()),
                                objects,
                                indexes,
                                new MemberDecoders()));
            }
        }
        return all;
    }
}
