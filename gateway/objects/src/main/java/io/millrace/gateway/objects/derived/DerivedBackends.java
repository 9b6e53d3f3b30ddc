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
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;

/** Creates the backends of derived buckets. */
public final class DerivedBackends {
    private DerivedBackends() {}

    /**
     * Returns the backends that the entries use, by name: the given ones, and one for each derived bucket. Those need
     * not be closed.
     *
     * @param entries checked: what they are derived from has a backend, or what a transform makes is derived from
     *     members
     * @param settings of the transforms that the entries name
     */
    public static Map<String, Backend> with(
            List<BucketSettings> entries,
            Map<String, Backend> backends,
            BucketSavingsRegistry accounts,
            CurrentObjectFinder objects,
            ArchiveIndexes indexes,
            Map<String, TransformSettings> settings,
            Transforms services) {
        Map<String, Backend> all = new LinkedHashMap<>(backends);
        BucketRegistry own = sources(entries, entry -> entry.derived().isEmpty(), all, accounts);
        addEach(entries, DerivedBackends::isOfMembers, all, entry -> {
            DerivedSettings derived = entry.derived().orElseThrow();
            return new MemberBackend(
                    entry.backend(),
                    derived,
                    entry.prefix(),
                    own.find(derived.from()),
                    objects,
                    indexes,
                    new MemberDecoders());
        });
        Map<String, Transform> transforms = services.of(settings);
        BucketRegistry members =
                sources(entries, entry -> entry.derived().isEmpty() || isOfMembers(entry), all, accounts);
        addEach(entries, entry -> entry.derived().isPresent() && !isOfMembers(entry), all, entry -> {
            DerivedSettings derived = entry.derived().orElseThrow();
            Transform transform =
                    Objects.requireNonNull(transforms.get(derived.transform().orElseThrow()), "checked above");
            return new TransformBackend(entry.backend(), transform, members.find(derived.from()), objects);
        });
        return all;
    }

    private static boolean isOfMembers(BucketSettings entry) {
        return entry.derived().filter(derived -> derived.transform().isEmpty()).isPresent();
    }

    private static BucketRegistry sources(
            List<BucketSettings> entries,
            Predicate<BucketSettings> selected,
            Map<String, Backend> backends,
            BucketSavingsRegistry accounts) {
        return new BucketRegistry(entries.stream().filter(selected).toList(), backends, accounts);
    }

    private static void addEach(
            List<BucketSettings> entries,
            Predicate<BucketSettings> selected,
            Map<String, Backend> backends,
            Function<BucketSettings, Backend> backend) {
        entries.stream().filter(selected).forEach(entry -> backends.put(entry.backend(), backend.apply(entry)));
    }
}
