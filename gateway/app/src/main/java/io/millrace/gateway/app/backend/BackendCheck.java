package io.millrace.gateway.app.backend;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.objects.monitor.LogSanitizer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Asks a backend how it is, and each of its buckets that the operator's file names: HeadBucket of each, or ListBuckets if there is
 * none, because keys often may read one bucket and not list all. The first bucket is asked about alone: a backend that is down is
 * not asked about the rest.
 */
final class BackendCheck {
    private static final int AT_ONCE = 16;

    /** A request, and the right that it needs. */
    private record Question(String operation, String right) {
        private static final Question LIST_BUCKETS = new Question("ListBuckets", "s3:ListAllMyBuckets");
        private static final Question HEAD_BUCKET = new Question("HeadBucket", "s3:ListBucket on this bucket");
    }

    /** A bucket's name that is wrong says nothing of the backend, nor does a right that is missing in it. */
    enum State {
        ANSWERS,
        MISSING,
        REFUSES,
        REJECTS,
        FAILS,
        UNKNOWN;

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        private boolean isOfBackend() {
            return this == REJECTS || this == FAILS;
        }
    }

    /**
     * What came of one question.
     *
     * @param message empty if nothing is wrong
     */
    record Finding(State state, String message) {
        private static final Finding GOOD = new Finding(State.ANSWERS, "");
        private static final Finding NOT_ASKED = new Finding(State.UNKNOWN, "");
    }

    /** A bucket by its backend's name, and how it is. */
    record BucketFinding(BucketName bucket, Finding finding) {}

    /** How all is. */
    record Findings(Instant at, Finding backend, List<BucketFinding> buckets) {
        Findings {
            buckets = List.copyOf(buckets);
        }
    }

    private final Backend backend;
    private final List<BucketName> buckets;
    private final Duration patience;

    /**
     * @param buckets by the backend's names
     * @param patience for each question
     */
    BackendCheck(Backend backend, List<BucketName> buckets, Duration patience) {
        this.backend = backend;
        this.buckets = List.copyOf(buckets);
        this.patience = patience;
    }

    /** Asks when it is subscribed to; never fails. */
    Mono<Findings> run() {
        if (buckets.isEmpty()) {
            return finding(backend.listBuckets(), Question.LIST_BUCKETS)
                    .map(found -> new Findings(Instant.now(), found, List.of()));
        }
        List<BucketName> others = buckets.subList(1, buckets.size());
        Instant end = Instant.now().plus(patience.multipliedBy(2));
        return look(buckets.get(0))
                .flatMap(first -> first.finding().state().isOfBackend()
                        ? Mono.just(failing(first, others))
                        : Flux.fromIterable(others)
                                .flatMapSequential(bucket -> lookUntil(end, bucket), AT_ONCE)
                                .collectList()
                                .map(rest -> answering(first, rest)));
    }

    private static Findings failing(BucketFinding first, List<BucketName> others) {
        Stream<BucketFinding> unknown =
                Stream.concat(Stream.of(first.bucket()), others.stream()).map(BackendCheck::notAsked);
        return new Findings(Instant.now(), first.finding(), unknown.toList());
    }

    private static BucketFinding notAsked(BucketName bucket) {
        return new BucketFinding(bucket, Finding.NOT_ASKED);
    }

    private static Findings answering(BucketFinding first, List<BucketFinding> rest) {
        return new Findings(
                Instant.now(),
                Finding.GOOD,
                Stream.concat(Stream.of(first), rest.stream()).toList());
    }

    /** Whoever asks waits for all: those whose turn comes late are not asked about. */
    private Mono<BucketFinding> lookUntil(Instant end, BucketName bucket) {
        return Mono.defer(() -> Instant.now().isBefore(end) ? look(bucket) : Mono.just(notAsked(bucket)));
    }

    private Mono<BucketFinding> look(BucketName bucket) {
        return finding(backend.headBucket(bucket), Question.HEAD_BUCKET).map(found -> new BucketFinding(bucket, found));
    }

    private Mono<Finding> finding(Mono<?> answer, Question asked) {
        return answer.timeout(
                        patience,
                        Mono.error(() -> new BackendException(
                                FailureKind.UNAVAILABLE,
                                "no answer to %s in %d s".formatted(asked.operation(), patience.toSeconds()))))
                .then(Mono.just(Finding.GOOD))
                .onErrorResume(failure -> Mono.just(finding(failure, asked)));
    }

    private static Finding finding(Throwable failure, Question asked) {
        String message = LogSanitizer.escape(String.valueOf(failure.getMessage()));
        FailureKind kind = failure instanceof BackendException known ? known.kind() : FailureKind.UNEXPECTED;
        return switch (kind) {
            case NO_SUCH_BUCKET ->
                new Finding(
                        State.MISSING,
                        message + ". Create it there, or correct its name in the entry below buckets of the file");
            case ACCESS_DENIED ->
                new Finding(
                        State.REFUSES, "%s. Give it %s; reads may work all the same".formatted(message, asked.right()));
            case CREDENTIALS_REJECTED -> new Finding(State.REJECTS, message);
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
