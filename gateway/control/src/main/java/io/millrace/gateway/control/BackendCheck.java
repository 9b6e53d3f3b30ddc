package io.millrace.gateway.control;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendRemedies;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.objects.bucket.ClientBucketNames;
import io.millrace.gateway.objects.monitor.LogSanitizer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Checks the health of one backend and of its configured buckets. It sends HeadBucket for each bucket, because
 * credentials often may read one bucket but not list all, or ListBuckets if no bucket is configured, or what else a
 * backend has for that; of a bucket of which only prefixes are shown it lists these first. The first bucket is checked
 * alone, so that a backend that is down gets no requests for others. One whose name no bucket there can have is asked
 * for nowhere, and says nothing of the backend.
 *
 * @param buckets returns the buckets of the next check, by their names at the backend
 * @param prefixes returns the prefixes to which the settings confine a bucket; the empty one if they show all of it
 * @param derived returns the buckets that are derived from one that no entry names but theirs
 * @param timeout limit for each request
 */
public record BackendCheck(
        Backend backend,
        Supplier<List<BucketName>> buckets,
        Function<BucketName, List<String>> prefixes,
        Function<BucketName, List<String>> derived,
        Duration timeout,
        Scheduler clock) {
    private static final int AT_ONCE = 16;

    /** The most prefixes of one bucket that are listed in one check: a request each, one after another. */
    private static final int MOST_PREFIXES = 16;

    private static final String NAME_REFUSED = "The server refuses this name, so that no bucket there can have it."
            + " Write the name that it lists as 'bucket' of the entry below buckets of the file: most servers take 3 to"
            + " 63 small letters, digits, dots and hyphens";

    /** Request of a check. */
    private enum Question {
        LIST_BUCKETS("ListBuckets"),
        HEAD_BUCKET("HeadBucket"),
        LIST_OBJECTS("ListObjectsV2");

        private final String operation;

        Question(String operation) {
            this.operation = operation;
        }
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
     * @param message empty if nothing is wrong, nor left open by what answers
     * @param isOfServer whether the server was asked, and not only the rule for the names of its buckets
     */
    public record Finding(State state, String message, boolean isOfServer) {
        Finding(State state, String message) {
            this(state, message, true);
        }

        private static final Finding GOOD = new Finding(State.ANSWERS, "");

        /** @param left what the response leaves open; empty if that is nothing */
        private static Finding good(String left) {
            return left.isEmpty() ? GOOD : new Finding(State.ANSWERS, left);
        }

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

        /** Returns what the responses of a backend that answers leave open; empty if that is nothing. */
        public String leftOpen() {
            return Stream.concat(Stream.of(backend), buckets.stream().map(BucketFinding::finding))
                    .filter(finding -> finding.state() == State.ANSWERS)
                    .map(Finding::message)
                    .filter(message -> !message.isEmpty())
                    .findFirst()
                    .orElse("");
        }
    }

    /**
     * @param name of the backend in the settings
     * @param names those of the buckets to check
     * @param timeout limit for each request
     */
    public BackendCheck(String name, Backend backend, ClientBucketNames names, Duration timeout) {
        this(
                backend,
                () -> names.on(name),
                bucket -> names.prefixesIn(name, bucket),
                bucket -> names.derivedFrom(name, bucket),
                timeout,
                Schedulers.parallel());
    }

    /** Returns the check, which runs on each subscription and never fails. */
    public Mono<Findings> run() {
        return Mono.defer(this::check);
    }

    private Mono<Findings> check() {
        List<BucketName> all = buckets.get();
        // Of this check: a caller may repeat it.
        Instant end = now().plus(timeout.multipliedBy(2));
        return Flux.fromIterable(all)
                .concatMap(this::inspect, 1)
                .takeUntil(found -> found.finding().isOfServer())
                .collectList()
                .flatMap(begun -> complete(begun, all.subList(begun.size(), all.size()), end));
    }

    /** @param begun the findings up to the first one of the server, which may be missing */
    private Mono<Findings> complete(List<BucketFinding> begun, List<BucketName> others, Instant end) {
        Optional<Finding> first = begun.stream()
                .map(BucketFinding::finding)
                .filter(Finding::isOfServer)
                .findFirst();
        if (first.isEmpty()) {
            return finding(backend.probe(Optional.empty()), Question.LIST_BUCKETS)
                    .map(found -> new Findings(now(), found, begun));
        }
        return first.get().state().isOfBackend()
                ? Mono.just(failing(first.get(), begun, others))
                : Flux.fromIterable(others)
                        .flatMapSequential(bucket -> inspectUntil(end, bucket), AT_ONCE)
                        .collectList()
                        .map(rest -> answering(begun, rest));
    }

    private Findings failing(Finding ofBackend, List<BucketFinding> begun, List<BucketName> others) {
        Stream<BucketFinding> unknown = Stream.concat(
                begun.stream().map(found -> found.finding().isOfServer() ? skipped(found.bucket()) : found),
                others.stream().map(BackendCheck::skipped));
        return new Findings(now(), ofBackend, unknown.toList());
    }

    private static BucketFinding skipped(BucketName bucket) {
        return new BucketFinding(bucket, Finding.SKIPPED);
    }

    private Findings answering(List<BucketFinding> begun, List<BucketFinding> rest) {
        return new Findings(
                now(),
                Finding.GOOD,
                Stream.concat(begun.stream(), rest.stream()).toList());
    }

    /** Checks a bucket unless {@code end} has passed, because the caller waits for all buckets. */
    private Mono<BucketFinding> inspectUntil(Instant end, BucketName bucket) {
        return Mono.defer(() -> now().isBefore(end) ? inspect(bucket) : Mono.just(skipped(bucket)));
    }

    private Instant now() {
        return Instant.ofEpochMilli(clock.now(TimeUnit.MILLISECONDS));
    }

    /**
     * Credentials that may list some prefixes alone may not send a HEAD of their bucket, so these are listed first: the
     * refusal of the HEAD would be logged and counted as a failure.
     */
    private Mono<BucketFinding> inspect(BucketName bucket) {
        Mono<Finding> head = finding(backend.probe(Optional.of(bucket)), Question.HEAD_BUCKET);
        Mono<Finding> found = isListedInPart(bucket)
                ? list(bucket).filter(BackendCheck::isKnown).switchIfEmpty(head)
                : head;
        return found.map(finding -> new BucketFinding(bucket, withDerived(finding, derived.apply(bucket))));
    }

    /** Names the entry that is to be corrected where none has the name of the bucket. */
    private static Finding withDerived(Finding found, List<String> buckets) {
        boolean isOfBucket = found.state() == State.MISSING || found.state() == State.REFUSES;
        return isOfBucket && !buckets.isEmpty()
                ? new Finding(
                        found.state(),
                        sentences(found.message(), "It is the 'from' of " + String.join(", ", buckets)),
                        found.isOfServer())
                : found;
    }

    private boolean isListedInPart(BucketName bucket) {
        return !prefixes.apply(bucket).contains("") && backend.capabilities().contains(Capability.LIST);
    }

    /**
     * Lists one key or prefix of each part of a bucket that the settings show, until one is refused: unlike a HEAD it
     * has a body, by which a store shows that it is one. Never fails.
     */
    public Mono<Finding> list(BucketName bucket) {
        return Flux.fromIterable(prefixes.apply(bucket))
                .take(MOST_PREFIXES)
                .concatMap(prefix -> list(bucket, prefix), 1)
                .takeUntil(found -> !isKnown(found))
                .collectList()
                .map(BackendCheck::ofParts);
    }

    private static boolean isKnown(Finding found) {
        return found.state() == State.ANSWERS || found.state() == State.MISSING;
    }

    /** Returns the finding of a bucket by those of its parts: it answers, and says which part is missing. */
    private static Finding ofParts(List<Finding> parts) {
        Finding last = parts.get(parts.size() - 1);
        if (!isKnown(last) || parts.stream().allMatch(part -> part.state() == State.MISSING)) {
            return last;
        }
        return parts.stream()
                .filter(part -> part.state() == State.MISSING)
                .findFirst()
                .map(part -> Finding.good(part.message()))
                .orElse(Finding.GOOD);
    }

    private Mono<Finding> list(BucketName bucket, String prefix) {
        ListRequest one = new ListRequest(bucket, prefix, "/", new PageStart.FirstKey(), 1, false);
        return finding(Mono.defer(() -> backend.probeList(one)).thenReturn(""), Question.LIST_OBJECTS);
    }

    /** @param response tells what it leaves open */
    private Mono<Finding> finding(Mono<String> response, Question question) {
        return response.timeout(
                        timeout,
                        Mono.error(() -> new BackendException(
                                FailureKind.UNAVAILABLE,
                                "no answer to %s in %d s".formatted(question.operation, timeout.toSeconds()))),
                        clock)
                .map(left -> Finding.good(LogSanitizer.escape(left)))
                .onErrorResume(failure -> Mono.just(finding(failure, question)));
    }

    private Finding finding(Throwable failure, Question question) {
        String message = LogSanitizer.escape(String.valueOf(failure.getMessage()));
        BackendRemedies remedies = backend.remedies();
        FailureKind kind = failure instanceof BackendException known ? known.kind() : FailureKind.UNEXPECTED;
        return switch (kind) {
            case NO_SUCH_BUCKET ->
                failure instanceof BackendException missing && missing.isOfImpossibleBucket()
                        ? new Finding(
                                State.MISSING,
                                sentences(message, "Correct its name in the entry below buckets of the file"),
                                false)
                        : new Finding(
                                State.MISSING,
                                sentences(
                                        message,
                                        "Create it there, or correct its name in the entry below buckets of the"
                                                + " file"));
            case ACCESS_DENIED -> {
                boolean isOfAll = question == Question.LIST_BUCKETS;
                String remedy = isOfAll ? remedies.bucketsDenied() : remedies.bucketDenied();
                yield new Finding(State.REFUSES, sentences(message, remedy));
            }
            case CREDENTIALS_REJECTED -> new Finding(State.REJECTS, message);
            case CREDENTIALS_UNAVAILABLE ->
                new Finding(State.FAILS, sentences(message, remedies.credentialsUnavailable()));
            case BUSY -> new Finding(State.UNKNOWN, message);
            case UNSUPPORTED -> unsupported(message, question);
            case UNAVAILABLE -> new Finding(State.FAILS, sentences(message, remedies.unavailable()));
            case INVALID_REQUEST ->
                failure instanceof BackendException refused && refused.isOfBucketName()
                        ? new Finding(State.MISSING, sentences(message, NAME_REFUSED))
                        : new Finding(State.FAILS, sentences(message, remedies.invalidRequest()));
            case LOOP -> new Finding(State.FAILS, sentences(message, remedies.loop()));
            default -> new Finding(State.FAILS, message);
        };
    }

    /** The Hub lists no bucket of all repositories as a whole, and some backends list no buckets. */
    private static Finding unsupported(String message, Question question) {
        return switch (question) {
            case LIST_OBJECTS -> Finding.SKIPPED;
            case LIST_BUCKETS -> Finding.UNLISTED;
            case HEAD_BUCKET -> new Finding(State.FAILS, message);
        };
    }

    private static String sentences(String message, String remedy) {
        return "%s. %s".formatted(message, remedy);
    }
}
