package io.millrace.gateway.objects.bucket;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.cache.residency.QuotaSize;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Creates bucket views for tests, with default freshness settings. */
public final class BucketViews {
    public static final FreshnessSettings FRESHNESS =
            freshness(FreshnessSettings.Mode.TTL, Duration.ofSeconds(60), Duration.ofSeconds(5), Duration.ZERO);

    private BucketViews() {}

    /** Freshness without cached listings and without stale-while-revalidate. */
    public static FreshnessSettings freshness(
            FreshnessSettings.Mode mode, Duration ttl, Duration negativeTtl, Duration staleIfError) {
        return new FreshnessSettings(mode, ttl, negativeTtl, Duration.ZERO, Duration.ZERO, staleIfError);
    }

    /** What a file says that names a bucket, its backend and its place there, and nothing else. */
    public static BucketSettings settings(String pattern, String backend, Optional<BucketName> real, String prefix) {
        return settings(pattern, backend, real, prefix, List.of(), FRESHNESS);
    }

    private static BucketSettings settings(
            String pattern,
            String backend,
            Optional<BucketName> real,
            String prefix,
            List<CacheRule> caching,
            FreshnessSettings freshness) {
        return entry(pattern, backend, Optional.empty(), real, prefix, caching, freshness);
    }

    /** What a file says of a bucket of the members of archives in another one. */
    public static BucketSettings derived(String name, String from, String members, String prefix) {
        DerivedSettings derived = new DerivedSettings(new BucketName(from), KeyPattern.parse(members));
        return entry(name, "", Optional.of(derived), Optional.empty(), prefix, List.of(), FRESHNESS);
    }

    /** What a file says of a bucket of what a transform makes of the objects of another one. */
    public static BucketSettings transformed(String name, String from, String transform, String prefix) {
        DerivedSettings derived = DerivedSettings.ofTransform(new BucketName(from), transform);
        return entry(name, "", Optional.of(derived), Optional.empty(), prefix, List.of(), FRESHNESS);
    }

    /** What a file says of a bucket without a backend. */
    public static BucketSettings scratch(String name, Duration ttl, String quota) {
        return new BucketSettings(
                BucketPattern.parse(name),
                "",
                Optional.empty(),
                Optional.of(new ScratchSettings(ttl)),
                Optional.empty(),
                "",
                AnonymousAccess.parse("none"),
                Optional.empty(),
                BucketSettings.WriteMode.FILL,
                BucketSettings.AccessPolicyMode.REFUSE,
                List.of(),
                List.of(),
                List.of(),
                FRESHNESS,
                Optional.empty(),
                false,
                Optional.of(QuotaSize.parse(quota)),
                List.of(),
                Optional.empty());
    }

    private static BucketSettings entry(
            String pattern,
            String backend,
            Optional<DerivedSettings> derived,
            Optional<BucketName> real,
            String prefix,
            List<CacheRule> caching,
            FreshnessSettings freshness) {
        return new BucketSettings(
                BucketPattern.parse(pattern),
                backend,
                derived,
                Optional.empty(),
                real,
                prefix,
                AnonymousAccess.parse("none"),
                Optional.empty(),
                BucketSettings.WriteMode.FILL,
                BucketSettings.AccessPolicyMode.REFUSE,
                List.of(),
                List.of(),
                caching,
                freshness,
                Optional.empty(),
                false,
                Optional.empty(),
                List.of(),
                Optional.empty());
    }

    /** A bucket, its real name, and what its keys begin with there. */
    public static BucketView of(String name, Backend backend, String real, String prefix) {
        return of(name, backend, real, prefix, List.of(), FRESHNESS);
    }

    /** Returns a view with cache rules and freshness settings. */
    public static BucketView of(
            String name,
            Backend backend,
            String real,
            String prefix,
            List<CacheRule> caching,
            FreshnessSettings freshness) {
        BucketName there = new BucketName(real);
        return new BucketView(
                new BucketName(name),
                settings(name, "backend", Optional.of(there), prefix, caching, freshness),
                backend,
                BucketSavingsRegistry.free().of("backend", there));
    }

    /** Returns a bucket like this one, of which HEAD requests with a range prefetch. */
    public static BucketView prefetchingOnHead(BucketView view) {
        return with(view, view.settings().write(), true);
    }

    /** Returns a bucket like this one, with another mode of writes. */
    public static BucketView writing(BucketView view, BucketSettings.WriteMode mode) {
        return with(view, mode, view.settings().prefetchOnHead());
    }

    private static BucketView with(BucketView view, BucketSettings.WriteMode write, boolean prefetchOnHead) {
        BucketSettings plain = view.settings();
        BucketSettings changed = new BucketSettings(
                plain.name(),
                plain.backend(),
                plain.derived(),
                plain.scratch(),
                plain.bucket(),
                plain.prefix(),
                plain.anonymous(),
                plain.policy(),
                write,
                plain.accessPolicies(),
                plain.forwardUnknown(),
                plain.cors(),
                plain.cacheRules(),
                plain.freshness(),
                plain.coherence(),
                prefetchOnHead,
                plain.quota(),
                plain.trackedPrefixes(),
                plain.prices());
        return new BucketView(view.name(), changed, view.backend(), view.savings());
    }
}
