package io.millrace.gateway.objects.bucket;

import io.millrace.auth.policy.BucketPolicy;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Finds the bucket that a client names, by the bucket entries of the settings. The first entry that matches a name
 * applies; a name that matches none does not exist. Thread-safe.
 */
public final class BucketRegistry {
    private static final Logger log = LoggerFactory.getLogger(BucketRegistry.class);

    /**
     * The longest wait for one backend's list of buckets; most respond within a second, and the client waits for the
     * slowest.
     */
    static final Duration LIST_TIMEOUT = Duration.ofSeconds(10);

    /** The concurrent requests for lists: more than there are backends, so that a list waits only once. */
    private static final int MAX_CONCURRENT_LISTS = 64;

    /** A backend's list of buckets, and its failure; with both, the list is its last one. */
    private record BackendBuckets(String backend, List<BucketInfo> buckets, Optional<BackendException> failure) {}

    private final BucketSettingsMatcher entries;
    private final Map<String, Backend> backends;
    private final BucketSavingsRegistry accounts;
    private final Map<String, BackendBucketList> lists;

    /**
     * @param backends backends by the names that the entries use; each must exist
     * @param accounts the savings of the buckets
     */
    public BucketRegistry(List<BucketSettings> entries, Map<String, Backend> backends, BucketSavingsRegistry accounts) {
        this(entries, backends, accounts, LIST_TIMEOUT);
    }

    BucketRegistry(
            List<BucketSettings> entries,
            Map<String, Backend> backends,
            BucketSavingsRegistry accounts,
            Duration listTimeout) {
        this.accounts = accounts;
        this.entries = new BucketSettingsMatcher(entries);
        this.backends = Map.copyOf(backends);
        this.lists = this.backends.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(
                        Map.Entry::getKey,
                        backend -> new BackendBucketList(backend.getKey(), backend.getValue(), listTimeout)));
        beginAccounts();
    }

    /** Creates the savings of the buckets in the settings, before others can use up the maximum number. */
    private void beginAccounts() {
        for (BucketSettings entry : entries.all()) {
            if (!entry.name().isPattern()) {
                accounts.of(entry.backend(), entry.backendBucket(entry.ownName()))
                        .create();
            }
        }
    }

    /**
     * Returns the view of a bucket, which may or may not exist at its backend.
     *
     * @throws S3Exception NoSuchBucket if no entry matches
     */
    public BucketView find(BucketName name) {
        return findAny(name)
                .orElseThrow(() -> new S3Exception(S3ErrorCode.NO_SUCH_BUCKET)
                        .with("BucketName", name.value())
                        .withReason("no entry of buckets fits this name"));
    }

    /** Returns the view of a bucket; empty if no entry matches. */
    public Optional<BucketView> findAny(BucketName name) {
        return entries.of(name).map(entry -> view(entry, name));
    }

    /** Returns the name of a bucket's backend; empty if no entry matches. */
    public Optional<String> backendOf(BucketName name) {
        return entries.of(name).map(BucketSettings::backend);
    }

    /** Returns whether an entry uses this backend. */
    public boolean hasBackend(String backend) {
        return entries.all().stream().anyMatch(entry -> entry.backend().equals(backend));
    }

    /**
     * Returns the views of a backend's bucket, each possibly limited to a prefix.
     *
     * @param backend the bucket's backend; any if empty
     */
    public List<BucketView> viewsOf(Optional<String> backend, BucketName real) {
        return entries.all().stream()
                .filter(entry -> backend.map(entry.backend()::equals).orElse(true))
                .flatMap(entry -> entries.nameOf(entry, real).map(name -> view(entry, name)).stream())
                .toList();
    }

    /**
     * Returns the strongest promise of the entries by which clients see a backend's bucket; {@code NONE} if they do not
     * see it.
     */
    public Coherence coherenceOf(String backend, BucketName real) {
        Coherence strongest = Coherence.NONE;
        for (BucketSettings entry : entries.all()) {
            if (entry.backend().equals(backend)
                    && entry.effectiveCoherence().compareTo(strongest) > 0
                    && entries.nameOf(entry, real).isPresent()) {
                strongest = entry.effectiveCoherence();
            }
        }
        return strongest;
    }

    /**
     * Returns the view of a bucket that is to be created.
     *
     * @throws S3Exception AccessDenied if no entry matches its name
     */
    public BucketView viewForCreation(BucketName name) {
        BucketSettings entry = entries.of(name)
                .orElseThrow(() -> new S3Exception(
                        S3ErrorCode.ACCESS_DENIED,
                        "No entry of the gateway's buckets fits this name, so there is no backend to make it on."));
        return view(entry, name);
    }

    /** Returns the policies of buckets with these settings, by name. */
    public static Function<BucketName, BucketPolicy> policiesOf(List<BucketSettings> entries) {
        return new BucketSettingsMatcher(entries)::policyOf;
    }

    /** Returns the policy of a bucket, which also has the rights of unsigned requests. */
    public BucketPolicy policyOf(BucketName name) {
        return entries.policyOf(name);
    }

    /**
     * Lists the existing buckets by name: those named in the settings, and those of backends with a pattern. The
     * backends are asked concurrently. Of a backend that fails for now, or takes longer than {@link #LIST_TIMEOUT}, the
     * last list is used; without one, or if it cannot list, only the buckets of its patterns are hidden, so that
     * clients of other backends are not affected. One that was too slow is waited for {@link
     * BackendBucketList#HANGING_TIMEOUT} only, until it lists again. If no bucket is left, the list fails with the
     * backend's failure, because an empty list would mean that there are none.
     *
     * @param visible returns whether the caller may see a bucket
     */
    public Mono<List<BucketInfo>> listAll(Predicate<BucketName> visible) {
        return Flux.fromIterable(entries.all())
                .filter(entry -> entry.name().isPattern())
                .map(BucketSettings::backend)
                .distinct()
                .filter(name -> backend(name).capabilities().contains(Capability.LIST))
                .flatMap(this::listBackend, MAX_CONCURRENT_LISTS)
                .collectList()
                .map(responses -> join(responses, visible));
    }

    private Mono<BackendBuckets> listBackend(String backend) {
        BackendBucketList list = Objects.requireNonNull(lists.get(backend));
        return list.get()
                .map(found -> new BackendBuckets(backend, found, Optional.empty()))
                .onErrorResume(BackendException.class, failure -> {
                    List<BucketInfo> last = failure.kind().isTemporary() ? list.last() : List.of();
                    if (failure.backend().isEmpty()) { // Of the others whoever calls the backend warns.
                        String gap = last.isEmpty() ? "missing from a list" : "listed as they last were";
                        log.warn("The buckets of backend '{}' are {}: {}", backend, gap, failure.kind());
                    }
                    return Mono.just(new BackendBuckets(backend, last, Optional.of(failure)));
                });
    }

    private List<BucketInfo> join(List<BackendBuckets> responses, Predicate<BucketName> visible) {
        Map<BucketName, BucketInfo> found = new TreeMap<>();
        for (BucketSettings entry : entries.all()) {
            if (!entry.name().isPattern()) {
                BucketName name = entry.ownName();
                found.put(name, new BucketInfo(name, Optional.empty()));
            }
        }
        for (BackendBuckets response : responses) {
            for (BucketInfo info : response.buckets()) {
                if (entries.isOfPattern(info.name(), response.backend())) {
                    found.put(info.name(), info);
                }
            }
        }
        found.keySet().removeIf(visible.negate());
        if (found.isEmpty()) {
            responses.stream()
                    .flatMap(response -> response.failure().stream())
                    .findFirst()
                    .ifPresent(failure -> {
                        throw failure;
                    });
        }
        return List.copyOf(found.values());
    }

    private BucketView view(BucketSettings entry, BucketName name) {
        LazyBucketSavings savings = accounts.of(entry.backend(), entry.backendBucket(name));
        return new BucketView(name, entry, backend(entry.backend()), savings);
    }

    private Backend backend(String name) {
        Backend backend = backends.get(name);
        if (backend == null) {
            throw new IllegalStateException("settings were not checked: no backend " + name);
        }
        return backend;
    }
}
