package io.millrace.gateway.control;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.objects.monitor.LogSanitizer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Checks the health of one backend and of its configured buckets. It sends HeadBucket for each bucket, because
 * credentials often may read one bucket but not list all, or ListBuckets if no bucket is configured. The first bucket
 * is checked alone, so that a backend that is down gets no further requests.
 */
public final class BackendCheck {
    private static final int AT_ONCE = 16;

    /** Request of a check, and the right that it needs. */
    private record Question(String operation, String right) {
        private static final Question LIST_BUCKETS = new Question("ListBuckets", "s3:ListAllMyBuckets");
        private static final Question HEAD_BUCKET = new Question("HeadBucket", "s3:ListBucket on this bucket");
        private static final Question LIST_OBJECTS = new Question("ListObjectsV2", "s3:ListBucket on this bucket");
    }

    /**
     * Health of a backend or bucket. A wrong bucket name or a missing right concerns only the bucket, not its backend.
     */
    public enum State {
        ANSWERS,
        MISSING,
        REFUSES,
        REJECTS,
        FAILS,
        UNKNOWN;

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        public boolean isOfBackend() {
            return this == REJECTS || this == FAILS;
        }
    }

    /**
     * Result of one request.
     *
     * @param message empty if nothing is wrong
     */
    public record Finding(State state, String message) {
        private static final Finding GOOD = new Finding(State.ANSWERS, "");
        private static final Finding SKIPPED = new Finding(State.UNKNOWN, "");
        private static final Finding UNLISTED = new Finding(
                State.UNKNOWN,
                "it cannot list its buckets; name one below buckets of the file, so that it can be checked");
    }

    /** Bucket, by its name at the backend, and its health. */
    public record BucketFinding(BucketName bucket, Finding finding) {}

    /** Result of a check: the health of the backend and of each bucket. */
    public record Findings(Instant at, Finding backend, List<BucketFinding> buckets) {
        public Findings {
            buckets = List.copyOf(buckets);
        }
    }

    private final Backend backend;
    private final Supplier<List<BucketName>> buckets;
    private final Duration timeout;
    private final Scheduler clock;

    /**
     * @param buckets the buckets to check, by their names at the backend
     * @param timeout limit for each request
     */
    public BackendCheck(Backend backend, List<BucketName> buckets, Duration timeout) {
        this(backend, () -> buckets, timeout, Schedulers.parallel());
    }

    /** @param buckets returns the buckets of the next check */
    BackendCheck(Backend backend, Supplier<List<BucketName>> buckets, Duration timeout, Scheduler clock) {
        this.backend = backend;
        this.buckets = buckets;
        this.timeout = timeout;
        this.clock = clock;
    }

    /** Returns the check, which runs on each subscription and never fails. */
    public Mono<Findings> run() {
        return Mono.defer(this::check);
    }

    private Mono<Findings> check() {
        List<BucketName> all = buckets.get();
        if (all.isEmpty()) {
            Mono<Finding> backendFinding = backend.capabilities().contains(Capability.LIST)
                    ? finding(backend.listBuckets(), Question.LIST_BUCKETS)
                    : Mono.just(Finding.UNLISTED);
            return backendFinding.map(found -> new Findings(now(), found, List.of()));
        }
        List<BucketName> others = all.subList(1, all.size());
        // Of this check: a caller may repeat it.
        Instant end = now().plus(timeout.multipliedBy(2));
        return inspect(all.get(0))
                .flatMap(first -> first.finding().state().isOfBackend()
                        ? Mono.just(failing(first, others))
                        : Flux.fromIterable(others)
                                .flatMapSequential(bucket -> inspectUntil(end, bucket), AT_ONCE)
                                .collectList()
                                .map(rest -> answering(first, rest)));
    }

    private Findings failing(BucketFinding first, List<BucketName> others) {
        Stream<BucketFinding> unknown =
                Stream.concat(Stream.of(first.bucket()), others.stream()).map(BackendCheck::skipped);
        return new Findings(now(), first.finding(), unknown.toList());
    }

    private static BucketFinding skipped(BucketName bucket) {
        return new BucketFinding(bucket, Finding.SKIPPED);
    }

    private Findings answering(BucketFinding first, List<BucketFinding> rest) {
        return new Findings(
                now(),
                Finding.GOOD,
                Stream.concat(Stream.of(first), rest.stream()).toList());
    }

    /** Checks a bucket unless {@code end} has passed, because the caller waits for all buckets. */
    private Mono<BucketFinding> inspectUntil(Instant end, BucketName bucket) {
        return Mono.defer(() -> now().isBefore(end) ? inspect(bucket) : Mono.just(skipped(bucket)));
    }

    private Instant now() {
        return Instant.ofEpochMilli(clock.now(TimeUnit.MILLISECONDS));
    }

    private Mono<BucketFinding> inspect(BucketName bucket) {
        return finding(backend.headBucket(bucket), Question.HEAD_BUCKET).map(found -> new BucketFinding(bucket, found));
    }

    /**
     * Lists one key or prefix of a bucket: unlike a HEAD it has a body, by which a store shows that it is one. Never
     * fails.
     */
    public Mono<Finding> list(BucketName bucket) {
        ListRequest one = new ListRequest(bucket, "", "/", new PageStart.FirstKey(), 1, false);
        return finding(Mono.defer(() -> backend.listObjects(one)), Question.LIST_OBJECTS);
    }

    private Mono<Finding> finding(Mono<?> response, Question question) {
        return response.timeout(
                        timeout,
                        Mono.error(() -> new BackendException(
                                FailureKind.UNAVAILABLE,
                                "no answer to %s in %d s".formatted(question.operation(), timeout.toSeconds()))),
                        clock)
                .then(Mono.just(Finding.GOOD))
                .onErrorResume(failure -> Mono.just(finding(failure, question)));
    }

    private static Finding finding(Throwable failure, Question question) {
        String message = LogSanitizer.escape(String.valueOf(failure.getMessage()));
        FailureKind kind = failure instanceof BackendException known ? known.kind() : FailureKind.UNEXPECTED;
        return switch (kind) {
            case NO_SUCH_BUCKET ->
                new Finding(
                        State.MISSING,
                        message + ". Create it there, or correct its name in the entry below buckets of the file");
            case ACCESS_DENIED ->
                new Finding(
                        State.REFUSES,
                        "%s. Give it %s; reads may work without it".formatted(message, question.right()));
            case CREDENTIALS_REJECTED -> new Finding(State.REJECTS, message);
            case CREDENTIALS_UNAVAILABLE ->
                new Finding(
                        State.FAILS,
                        message
                                + ". Correct the address of what gives the credentials (for STS: AWS_ENDPOINT_URL_STS"
                                + " or AWS_REGION), and let this machine connect to it");
            case BUSY -> new Finding(State.UNKNOWN, message);
            // The Hub lists no bucket of all repositories as a whole.
            case UNSUPPORTED ->
                question.equals(Question.LIST_OBJECTS) ? Finding.SKIPPED : new Finding(State.FAILS, message);
            case UNAVAILABLE ->
                new Finding(
                        State.FAILS,
                        message + ". Correct its endpoint, or start the server and let this machine connect to it");
            case INVALID_REQUEST ->
                new Finding(
                        State.FAILS,
                        message + ". Check its endpoint, which has no path of its own, its region and path-style");
            default -> new Finding(State.FAILS, message);
        };
    }
}
