package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.cache.CachePrefetcher;
import io.millrace.cache.CacheReader;
import io.millrace.cache.ObjectSource;
import io.millrace.cache.UncachedOpenResult;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.kit.async.ImmediateMono;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/** Finds objects that are made of others: in the cache, which must be there, or by making them. Thread-safe. */
final class MadeObjectFinder {
    /** The context key of a find for a prefetch: what has to be made for it is stored, whatever admission decides. */
    static final String AHEAD = "millrace.ahead";

    private final Optional<CacheReader> reader;
    private final Optional<CachePrefetcher> prefetcher;

    MadeObjectFinder(Optional<CacheReader> reader, Optional<CachePrefetcher> prefetcher) {
        this.reader = reader;
        this.prefetcher = prefetcher;
    }

    /** Finds an object as {@link CurrentObjectFinder#findMade} describes. */
    Mono<CurrentObject> find(
            ObjectId id,
            Function<ContextView, ObjectSource> maker,
            CacheStatus status,
            boolean wasForwarded,
            boolean onlyIfCached) {
        CacheReader cache = reader.orElseThrow();
        Mono<ObjectMetadata> found = cache.find(id);
        @Nullable ObjectMetadata inMemory = ImmediateMono.valueOf(found);
        if (inMemory != null && !inMemory.mustRevalidate()) {
            return Mono.just(new CurrentObject.Cached(cache, inMemory, maker, status, wasForwarded, Optional.empty()));
        }
        Mono<CurrentObject> absent = onlyIfCached
                ? Mono.just(new CurrentObject.NotCached())
                : Mono.deferContextual(context -> make(cache, id, maker, context));
        return found.filter(known -> !known.mustRevalidate())
                .<CurrentObject>map(
                        known -> new CurrentObject.Cached(cache, known, maker, status, wasForwarded, Optional.empty()))
                .switchIfEmpty(absent);
    }

    private Mono<CurrentObject> make(
            CacheReader cache, ObjectId id, Function<ContextView, ObjectSource> maker, ContextView context) {
        ObjectSource source = maker.apply(context);
        ByteSelection all = new ByteSelection.WholeObject();
        Mono<UncachedOpenResult> opening =
                context.hasKey(AHEAD) ? prefetcher.orElseThrow().open(id, all, source) : cache.open(id, all, source);
        return opening.<CurrentObject>map(opened -> {
                    if (opened instanceof UncachedOpenResult.Cached made) {
                        CacheStatus status = CacheStatus.miss(!made.isLeader()).ifStored(source);
                        return new CurrentObject.Cached(cache, made.metadata(), maker, status, true, made.opening());
                    }
                    if (opened instanceof UncachedOpenResult.Uncacheable passed) {
                        passed.content().discard();
                    }
                    return new CurrentObject.Bypass(Optional.empty());
                })
                .onErrorMap(BackendException.class, CacheStatus.miss(false).notStored()::addTo);
    }
}
