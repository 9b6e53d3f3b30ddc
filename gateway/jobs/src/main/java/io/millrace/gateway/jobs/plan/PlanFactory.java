package io.millrace.gateway.jobs.plan;

import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.residency.CacheResidency;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** The ways to tell objects. */
public final class PlanFactory {
    private PlanFactory() {}

    /** What a bucket's own list tells, of what begins with {@code prefix}; a position is a key. */
    public static Plan listing(BucketView bucket, String prefix, Retry retry) {
        return position -> {
            // A key of the backend's that is the bucket's prefix and no more is no key of ours.
            PageStart begin = position.isEmpty() && bucket.prefix().isEmpty()
                    ? new PageStart.FirstKey()
                    : new PageStart.StartAfter(bucket.inside(position.orElse("")));
            return page(bucket, prefix, begin, retry)
                    .expand(page -> page.next()
                            .map(next -> page(bucket, prefix, next, retry))
                            .orElseGet(Mono::empty))
                    .concatMapIterable(page -> items(bucket, page), 1);
        };
    }

    /** Names that are counted up; a position is the number of the next. */
    public static Plan template(NameTemplate names) {
        return numbered(names.count(), names::name);
    }

    /** Names that were told; a position is the number of the next. */
    public static Plan keys(List<ObjectKey> keys) {
        return numbered(keys.size(), index -> keys.get((int) index).value());
    }

    /** Names, or lines, that are known by their numbers from 0; a position is the number of the next. */
    public static Plan numbered(long count, LongFunction<String> names) {
        return position -> Flux.generate(() -> number(position), (index, sink) -> {
            if (index >= count) {
                sink.complete();
                return index;
            }
            sink.next(new PlanItem(names.apply(index), Long.toString(index + 1)));
            return index + 1;
        });
    }

    /** The lines of an object, but those that are empty or begin with {@code #}; a position is the number of the next. */
    public static Plan lines(BucketView bucket, ObjectKey manifest, Retry retry) {
        return position -> new ManifestObject(bucket, manifest, retry)
                .lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .index()
                .skip(number(position))
                .map(line -> new PlanItem(line.getT2(), Long.toString(line.getT1() + 1)));
    }

    /**
     * Names that an object lists, see {@link ManifestPlan}; a position is the number of the next line.
     *
     * @param bucket where the manifest is
     * @param listed the bucket whose objects are meant
     * @param readable which objects of the manifest's bucket the owner of the job may read
     */
    public static Plan manifest(
            BucketView bucket, ObjectKey manifest, BucketView listed, Predicate<ObjectKey> readable, Retry retry) {
        return new ManifestPlan(bucket, manifest, listed.real().value(), readable, retry);
    }

    /** What is cached below a prefix, versions that were read by their id among it, as it lies on the disks; a position is one of {@link CacheResidency#below}. */
    public static Plan cached(CacheResidency residents, BucketView bucket, String prefix) {
        return position -> residents
                .below(bucket, prefix, position)
                .map(found -> new PlanItem(
                        found.key().value(),
                        found.head().id().versionId(),
                        Optional.of(PlanItem.Listed.of(found.head().head())),
                        Optional.empty(),
                        found.position()));
    }

    /**
     * What two lists tell, side by side; a position is a name without what it begins with. Both plans are listings.
     *
     * @param extras whether what is only in the target is told too
     */
    public static Plan compared(Plan source, Plan target, PrefixRenaming names, boolean extras) {
        return new ListComparison(source, target, names, extras);
    }

    /** The same plan of what a filter takes. */
    public static Plan filtered(Plan plan, KeyFilter filter) {
        return filter.equals(KeyFilter.ALL)
                ? plan
                : position -> plan.from(position).filter(filter::takes);
    }

    static long number(Optional<String> position) {
        return position.map(Long::parseLong).orElse(0L);
    }

    private static Mono<ListPage> page(BucketView bucket, String prefix, PageStart from, Retry retry) {
        ListRequest request =
                new ListRequest(bucket.real(), bucket.inside(prefix), "", from, ListRequest.MAX_KEYS, false);
        return Mono.defer(() -> bucket.backend().listObjects(request)).retryWhen(retry);
    }

    private static List<PlanItem> items(BucketView bucket, ListPage page) {
        return page.objects().stream().map(entry -> item(bucket, entry)).toList();
    }

    private static PlanItem item(BucketView bucket, ListPage.ListedObject entry) {
        String key = bucket.outside(entry.key().value());
        return new PlanItem(
                new ObjectKey(key),
                Optional.of(new PlanItem.Listed(entry.size(), entry.eTag(), entry.lastModified())),
                key);
    }
}
