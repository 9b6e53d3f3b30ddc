package io.millrace.gateway.objects.bucket;

import io.millrace.auth.policy.Right;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.savings.SavingsLedger;
import java.time.Duration;
import java.util.ArrayList;
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
public final class BucketRegistry {
    private static final Logger log = LoggerFactory.getLogger(BucketRegistry.class);

    /** For one backend's list of its buckets: most answer within one second, and whoever asks waits for the slowest. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    /** More backends than anybody has, so that a list waits once and not again and again. */
    private static final int ASKED_AT_ONCE = 64;

    /** What a backend said, or why it did not. */
    private record Answer(String backend, List<BucketInfo> buckets, Optional<BackendException> failure) {}

    private final List<BucketSettings> entries;
    private final Map<String, Backend> backends;
    private final SavingsLedger accounts;
    private final Duration patience;

    /**
     * @param backends by the names that the entries use; each must be there
     */
    public BucketRegistry(List<BucketSettings> entries, Map<String, Backend> backends) {
        this(entries, backends, SavingsLedger.free());
    }

    /**
     * @param backends by the names that the entries use; each must be there
     * @param accounts of what is read
     */
    public BucketRegistry(List<BucketSettings> entries, Map<String, Backend> backends, SavingsLedger accounts) {
        this(entries, backends, accounts, PATIENCE);
    }

    BucketRegistry(List<BucketSettings> entries, Map<String, Backend> backends, Duration patience) {
        this(entries, backends, SavingsLedger.free(), patience);
    }

    private BucketRegistry(
            List<BucketSettings> entries, Map<String, Backend> backends, SavingsLedger accounts, Duration patience) {
        this.accounts = accounts;
        this.entries = List.copyOf(entries);
        this.backends = Map.copyOf(backends);
        this.patience = patience;
        beginAccounts();
    }

    /** Those that the file names have theirs before others can take the places. */
    private void beginAccounts() {
        for (BucketSettings entry : entries) {
            if (!entry.name().isPattern()) {
                accounts.of(
                                entry.backend(),
                                entry.real(new BucketName(entry.name().value())))
                        .begin();
            }
        }
    }

    /**
     * Where a bucket lives. Whether it exists there is the backend's to say.
     *
     * @throws S3Exception NoSuchBucket if no entry fits
     */
    public BucketView find(BucketName name) {
        return findAny(name)
                .orElseThrow(() -> new S3Exception(S3ErrorCode.NO_SUCH_BUCKET).with("BucketName", name.value()));
    }

    /** The same; empty if no entry fits. */
    public Optional<BucketView> findAny(BucketName name) {
        return entryOf(name).map(entry -> view(entry, name));
    }

    /** Whether an entry has this backend. */
    public boolean hasBackend(String backend) {
        return entries.stream().anyMatch(entry -> entry.backend().equals(backend));
    }

    /**
     * The buckets that show something of a backend's bucket, each perhaps only what begins with its prefix.
     *
     * @param backend on which it is; on any if empty
     */
    public List<BucketView> over(Optional<String> backend, BucketName real) {
        List<BucketView> views = new ArrayList<>();
        Optional<BucketSettings> ofItsName = entryOf(real);
        for (BucketSettings entry : entries) {
            if (!backend.map(entry.backend()::equals).orElse(true)) {
                continue;
            }
            if (entry.name().isPattern()) {
                ofItsName.filter(entry::equals).ifPresent(pattern -> views.add(view(pattern, real)));
            } else {
                BucketName name = new BucketName(entry.name().value());
                // An earlier entry may have taken the name.
                if (entry.real(name).equals(real)
                        && entryOf(name).filter(entry::equals).isPresent()) {
                    views.add(view(entry, name));
                }
            }
        }
        return views;
    }

    /**
     * Where a bucket would live that is to be made.
     *
     * @throws S3Exception AccessDenied if no entry fits its name
     */
    public BucketView place(BucketName name) {
        BucketSettings entry = entryOf(name)
                .orElseThrow(() -> new S3Exception(
                        S3ErrorCode.ACCESS_DENIED,
                        "No entry of the gateway's buckets fits this name, so there is no backend to make it on."));
        return view(entry, name);
    }

    /** What everybody may do in a bucket. */
    public Set<Right> anonymousRights(BucketName name) {
        return entryOf(name).map(entry -> entry.anonymous().rights()).orElse(Set.of());
    }

    /**
     * The buckets there are, by name: those named in the file, and those of each backend that a pattern stands for. The
     * backends are asked at the same time. One that fails, or takes longer than {@link #PATIENCE}, hides the buckets of its
     * patterns, not the others: whoever works with another backend must not suffer. If that leaves nothing, its failure is
     * the answer, as an empty list would say that there are none.
     *
     * @param visible which of them the caller may see
     */
    public Mono<List<BucketInfo>> all(Predicate<BucketName> visible) {
        return Flux.fromIterable(entries)
                .filter(entry -> entry.name().isPattern())
                .map(BucketSettings::backend)
                .distinct()
                .flatMap(this::ask, ASKED_AT_ONCE)
                .collectList()
                .map(answers -> join(answers, visible));
    }

    private Mono<Answer> ask(String backend) {
        return backend(backend)
                .listBuckets()
                .timeout(
                        patience,
                        Mono.error(() -> new BackendException(FailureKind.UNAVAILABLE, "no answer in " + patience)))
                .map(found -> new Answer(backend, found, Optional.empty()))
                .onErrorResume(BackendException.class, failure -> {
                    if (failure.backend().isEmpty()) { // Of the others whoever calls the backend warns.
                        log.warn("The buckets of backend '{}' are missing from a list: {}", backend, failure.kind());
                    }
                    return Mono.just(new Answer(backend, List.of(), Optional.of(failure)));
                });
    }

    private List<BucketInfo> join(List<Answer> answers, Predicate<BucketName> visible) {
        Map<BucketName, BucketInfo> found = new TreeMap<>();
        for (BucketSettings entry : entries) {
            if (!entry.name().isPattern()) {
                BucketName name = new BucketName(entry.name().value());
                found.put(name, new BucketInfo(name, Optional.empty()));
            }
        }
        for (Answer answer : answers) {
            for (BucketInfo info : answer.buckets()) {
                if (isServedFrom(answer.backend(), info.name())) {
                    found.put(info.name(), info);
                }
            }
        }
        found.keySet().removeIf(visible.negate());
        if (found.isEmpty()) {
            answers.stream()
                    .flatMap(answer -> answer.failure().stream())
                    .findFirst()
                    .ifPresent(failure -> {
                        throw failure;
                    });
        }
        return List.copyOf(found.values());
    }

    /** An earlier entry may have taken this name for another bucket. */
    private boolean isServedFrom(String backend, BucketName name) {
        return entryOf(name)
                .filter(entry -> entry.name().isPattern() && entry.backend().equals(backend))
                .isPresent();
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
        BucketName real = entry.real(name);
        return new BucketView(
                name,
                entry.backend(),
                backend(entry.backend()),
                real,
                entry.prefix(),
                entry.write(),
                entry.accessRules(),
                entry.forwardUnknown(),
                entry.cors(),
                entry.cache(),
                entry.freshness(),
                accounts.of(entry.backend(), real));
    }

    private Backend backend(String name) {
        Backend backend = backends.get(name);
        if (backend == null) {
            throw new IllegalStateException("settings were not checked: no backend " + name);
        }
        return backend;
    }
}
