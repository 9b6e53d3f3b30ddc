package io.millrace.gateway.jobs.plan;

import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.CacheResidency;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** Creates the plans that list a job's objects: from a bucket listing, names, a manifest or the cache. */
public final class PlanFactory {
    private PlanFactory() {}

    /** Lists the keys of a bucket that begin with {@code prefix}; a position is a key. */
    public static Plan listing(BucketView bucket, String prefix, Retry retry) {
        return position -> Flux.defer(() -> {
            KeyOrderCheck order = new KeyOrderCheck(bucket, position);
            // A backend key that equals the bucket's prefix has no name for clients.
            PageStart begin = position.isEmpty() && bucket.prefix().isEmpty()
                    ? new PageStart.FirstKey()
                    : new PageStart.StartAfter(bucket.toBackend(position.orElse("")));
            return page(bucket, prefix, begin, retry)
                    .expand(page -> page.next()
                            .map(next -> page(bucket, prefix, next, retry))
                            .orElseGet(Mono::empty))
                    .concatMapIterable(page -> items(bucket, page), 1)
                    .doOnNext(item -> order.check(item.key()));
        });
    }

    /** Lists the names of a template; a position is the index of the next name. */
    public static Plan template(NameTemplate names) {
        return numbered(names.count(), names::name);
    }

    /** Lists given keys; a position is the index of the next key. */
    public static Plan keys(List<ObjectKey> keys) {
        return numbered(keys.size(), index -> keys.get((int) index).value());
    }

    /** Lists names or lines by index; a position is the next index. */
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

    /**
     * Lists the lines of an object except empty ones and comments ({@code #}); a position is the number of the next
     * line.
     */
    public static Plan lines(BucketView bucket, ObjectKey manifest, Retry retry) {
        return position -> new ManifestFile(bucket, manifest, retry)
                .lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .index()
                .skip(number(position))
                .map(line -> new PlanItem(line.getT2(), Long.toString(line.getT1() + 1)));
    }

    /**
     * Lists the keys of a manifest, see {@link ManifestPlan}; a position is the number of the next line.
     *
     * @param bucket of the manifest
     * @param listed bucket of the listed objects
     * @param readable objects of the manifest's bucket that the owner of the job may read
     */
    public static Plan manifest(
            BucketView bucket, ObjectKey manifest, BucketView listed, Predicate<ObjectKey> readable, Retry retry) {
        return new ManifestPlan(bucket, manifest, listed.backendBucket().value(), readable, retry);
    }

    /**
     * Lists the cached objects below a prefix, including versions read by their id, in the order of the disks; a
     * position is one of {@link CacheResidency#below}.
     */
    public static Plan cached(CacheResidency residents, BucketView bucket, String prefix) {
        return position -> residents
                .below(bucket, prefix, position)
                .map(found -> new PlanItem(
                        found.key().value(),
                        found.metadata().id().versionId(),
                        Optional.of(PlanItem.Listed.of(found.metadata().head())),
                        Optional.empty(),
                        found.position()));
    }

    /**
     * Compares the listings of a source and a target; a position is a name without its prefix. Both plans must be
     * listings.
     *
     * @param extras true to emit objects that only the target has
     */
    public static Plan compared(Plan source, Plan target, PrefixRenaming names, boolean extras) {
        return new ListingComparisonPlan(source, target, names, extras);
    }

    /**
     * Bounds the extra objects of a comparison, which are deleted: it fails before its first item if there are more.
     *
     * @param most the bound; half of the target's objects if empty, or 10
     * @param earlier the budget of an earlier run of the job, which replaces the bound
     * @param begin stores the budget before the first item
     */
    public static Plan deletingAtMost(
            Plan compared,
            OptionalInt most,
            Optional<DeletionBudget> earlier,
            Function<DeletionBudget, Mono<Void>> begin) {
        return new BoundedDeletionPlan(compared, most, earlier, begin);
    }

    /** Returns the items of a plan that pass a filter. */
    public static Plan filtered(Plan plan, ObjectFilter filter) {
        return filter.equals(ObjectFilter.ALL)
                ? plan
                : position -> plan.from(position).filter(filter::takes);
    }

    static long number(Optional<String> position) {
        return position.map(Long::parseLong).orElse(0L);
    }

    private static Mono<ListPage> page(BucketView bucket, String prefix, PageStart from, Retry retry) {
        ListRequest request = new ListRequest(
                bucket.backendBucket(), bucket.toBackend(prefix), "", from, ListRequest.MAX_KEYS, false);
        return Mono.defer(() -> bucket.backend().listObjects(request)).retryWhen(retry);
    }

    private static List<PlanItem> items(BucketView bucket, ListPage page) {
        return page.objects().stream().map(entry -> item(bucket, entry)).toList();
    }

    private static PlanItem item(BucketView bucket, ListPage.ListedObject entry) {
        String key = bucket.toClient(entry.key().value());
        return new PlanItem(
                new ObjectKey(key),
                Optional.of(new PlanItem.Listed(entry.size(), entry.eTag(), entry.lastModified())),
                key);
    }
}
