package io.millrace.gateway.bucket;

import io.millrace.auth.Right;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BucketInfo;
import io.millrace.backend.spi.BucketName;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The operator's buckets. The first entry that fits a name decides; a name that fits none is no bucket. */
public final class Buckets {
    private static final Logger log = LoggerFactory.getLogger(Buckets.class);

    private final List<BucketSettings> entries;
    private final Map<String, Backend> backends;

    /**
     * @param backends by the names that the entries use; each must be there
     */
    public Buckets(List<BucketSettings> entries, Map<String, Backend> backends) {
        this.entries = List.copyOf(entries);
        this.backends = Map.copyOf(backends);
    }

    /**
     * Where a bucket lives. Whether it exists there is the backend's to say.
     *
     * @throws S3Exception NoSuchBucket if no entry fits
     */
    public BucketView find(BucketName name) {
        BucketSettings entry = entryOf(name)
                .orElseThrow(() -> new S3Exception(S3ErrorCode.NO_SUCH_BUCKET).with("BucketName", name.value()));
        return view(entry, name);
    }

    /** What everybody may do in a bucket. */
    public Set<Right> anonymousRights(BucketName name) {
        return entryOf(name).map(entry -> entry.anonymous().rights()).orElse(Set.of());
    }

    /**
     * The buckets there are, by name: those named in the file, and those of each backend that a pattern stands for. A
     * backend that does not answer hides the buckets of its patterns, not the others.
     *
     * @param visible which of them the caller may see
     */
    public Mono<List<BucketInfo>> all(Predicate<BucketName> visible) {
        return Flux.fromIterable(entries)
                .concatMap(this::bucketsOf)
                .filter(info -> visible.test(info.name()))
                .collect(TreeMap<BucketName, BucketInfo>::new, (found, info) -> found.putIfAbsent(info.name(), info))
                .map(found -> List.copyOf(found.values()));
    }

    private Flux<BucketInfo> bucketsOf(BucketSettings entry) {
        if (!entry.name().isPattern()) {
            return Flux.just(new BucketInfo(new BucketName(entry.name().value()), Optional.empty()));
        }
        return backend(entry)
                .buckets()
                .flatMapIterable(list -> list)
                // An earlier entry may have taken this name for another bucket.
                .filter(info -> entryOf(info.name()).filter(entry::equals).isPresent())
                .onErrorResume(BackendException.class, e -> {
                    log.warn("The buckets of backend '{}' are missing from a list: {}", entry.backend(), e.kind());
                    return Flux.empty();
                });
    }

    private Optional<BucketSettings> entryOf(BucketName name) {
        for (BucketSettings entry : entries) {
            if (entry.name().matches(name)) {
                return Optional.of(entry);
            }
        }
        return Optional.empty();
    }

    private BucketView view(BucketSettings entry, BucketName name) {
        return new BucketView(name, backend(entry), entry.bucket().orElse(name), entry.prefix());
    }

    private Backend backend(BucketSettings entry) {
        Backend backend = backends.get(entry.backend());
        if (backend == null) {
            throw new IllegalStateException("settings were not checked: no backend " + entry.backend());
        }
        return backend;
    }
}
