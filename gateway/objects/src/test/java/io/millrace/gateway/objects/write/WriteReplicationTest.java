package io.millrace.gateway.objects.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ObjectWriter.DeleteOutcome;
import io.millrace.backend.spi.ObjectWriter.DeleteResult;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.cache.WriteFence;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.read.ObjectSourceFactory;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.scheduler.VirtualTimeScheduler;

/** A client has the outcome of its write only when the other gateways know of it, whatever the outcome is. */
class WriteReplicationTest {
    private final BucketView bucket = BucketViews.of("bucket", new InMemoryBackend(Set.of()), "real", "");
    private final ObjectRef object = bucket.at(new ObjectKey("a"));
    private final ObjectRef other = bucket.at(new ObjectKey("b"));
    private final HeldReplication replication = new HeldReplication();
    private final FencedWrites writes = new FencedWrites(
            Optional.empty(),
            new CurrentObjectFinder(Optional.empty(), ObjectSourceFactory.BACKENDS, InstantSource.system()),
            replication);

    @Test
    void resultWaitsForTheReplication() {
        CompletableFuture<String> result =
                writes.fenced(bucket, object, Mono.just("done")).toFuture();
        assertThat(replication.calls).containsExactly("beginning real", "written [a] true");
        assertThat(result).isNotDone();

        replication.complete();

        assertThat(result).isCompletedWithValue("done");
    }

    @Test
    void writeIsUnderWayUntilItsReplicationEnds() {
        writes.fenced(bucket, object, Mono.just("done")).subscribe();
        writes.invalidateBelow(bucket, "a/").subscribe();
        assertThat(writes.underWay()).isEqualTo(2);
        Disposable client = writes.bucketChange(bucket, Mono.never()).subscribe();
        assertThat(writes.underWay()).isEqualTo(3);
        client.dispose();
        assertThat(writes.underWay()).isEqualTo(2);

        replication.complete();

        assertThat(writes.underWay()).isZero();
    }

    @Test
    void failureWaitsForTheReplication() {
        CompletableFuture<Object> result = writes.fenced(
                        bucket, object, Mono.error(new BackendException(FailureKind.UNAVAILABLE, "lost")))
                .toFuture();
        assertThat(replication.calls).containsExactly("beginning real", "written [a] false");
        assertThat(result).isNotDone();

        replication.complete();

        assertThatThrownBy(result::join)
                .isInstanceOf(CompletionException.class)
                .hasRootCauseInstanceOf(BackendException.class);
    }

    @Test
    void writeThatCannotBeRecordedIsNotSent() {
        replication.refusal = Mono.error(new IOException("disk full"));
        List<String> sent = new ArrayList<>();

        CompletableFuture<Object> result = writes.fenced(bucket, object, Mono.fromRunnable(() -> sent.add("sent")))
                .toFuture();

        assertThatThrownBy(result::join).hasCauseInstanceOf(S3Exception.class);
        assertThat(sent).isEmpty();
        assertThat(replication.calls).containsExactly("beginning real");
    }

    @Test
    void deletionsAreReplicatedByTheirOutcome() {
        Deletion known = Deletion.of(object);
        Deletion lost = Deletion.of(other);
        DeleteResult response = new DeleteResult(HeaderList.EMPTY);
        CompletableFuture<List<DeleteOutcome>> result = writes.fenced(
                        bucket,
                        List.of(known, lost),
                        Mono.just(List.of(
                                new DeleteOutcome(known, response, Optional.empty()),
                                new DeleteOutcome(
                                        lost,
                                        response,
                                        Optional.of(new BackendException(FailureKind.UNAVAILABLE, "lost"))))))
                .toFuture();
        assertThat(replication.calls)
                .containsExactlyInAnyOrder("beginning real", "written [a] true", "written [b] false");
        assertThat(result).isNotDone();

        replication.complete();

        assertThat(result.join()).hasSize(2);
    }

    @Test
    void failureOfAllDeletionsWaitsForTheReplication() {
        BackendException lost = new BackendException(FailureKind.UNAVAILABLE, "lost");
        CompletableFuture<List<DeleteOutcome>> result = writes.fenced(
                        bucket, List.of(Deletion.of(object)), Mono.<List<DeleteOutcome>>error(lost))
                .toFuture();
        assertThat(replication.calls).containsExactly("beginning real", "written [a] false");
        assertThat(result).isNotDone();

        replication.complete();

        assertThatThrownBy(result::join).hasCause(lost);
    }

    @Test
    void invalidationsWaitForTheReplication() {
        CompletableFuture<Void> ofKey = writes.invalidate(bucket, object).toFuture();
        CompletableFuture<Void> below = writes.invalidateBelow(bucket, "a/").toFuture();
        assertThat(replication.calls).containsExactly("written [a] true", "invalidated a/");
        assertThat(ofKey).isNotDone();
        assertThat(below).isNotDone();

        replication.complete();

        assertThat(ofKey).isCompleted();
        assertThat(below).isCompleted();
    }

    @Test
    void unknownWriteOfABucketIsReplicatedOnceItEnds() {
        Sinks.One<String> backend = Sinks.one();
        CompletableFuture<String> result =
                writes.fencedBucket(bucket, backend.asMono()).toFuture();
        assertThat(replication.calls).containsExactly("beginning real");

        backend.tryEmitValue("done");
        assertThat(replication.calls).containsExactly("beginning real", "invalidated ");
        assertThat(result).isNotDone();
        replication.complete();

        assertThat(result).isCompletedWithValue("done");
    }

    @Test
    void changeOfABucketIsReplicatedAlsoIfItsClientLeaves() {
        CompletableFuture<Object> failed = writes.bucketChange(
                        bucket, Mono.error(new BackendException(FailureKind.ACCESS_DENIED, "no")))
                .toFuture();
        assertThat(replication.calls).containsExactly("beginning real", "changed real");
        assertThat(failed).isNotDone();
        replication.complete();
        assertThat(failed).isCompletedExceptionally();

        Disposable client = writes.bucketChange(bucket, Mono.never()).subscribe();
        client.dispose();

        assertThat(replication.calls)
                .containsExactly("beginning real", "changed real", "beginning real", "changed real");
    }

    /** It may still take effect, until that has become improbable. */
    @Test
    void bucketWithoutAnOutcomeIsInvalidatedAgain() {
        VirtualTimeScheduler time = VirtualTimeScheduler.getOrSet();
        try {
            replication.complete();
            BackendException lost = new BackendException(FailureKind.UNAVAILABLE, "lost");
            BackendException denied = new BackendException(FailureKind.ACCESS_DENIED, "no");
            assertThatThrownBy(() ->
                            writes.fencedBucket(bucket, Mono.error(denied)).block())
                    .isSameAs(denied);
            assertThatThrownBy(
                            () -> writes.fencedBucket(bucket, Mono.error(lost)).block())
                    .isSameAs(lost);
            assertThat(replication.calls)
                    .containsExactly("beginning real", "invalidated ", "beginning real", "invalidated ");

            time.advanceTimeBy(WriteFence.UNANSWERED_WRITE.minusMillis(1));
            assertThat(replication.calls).hasSize(4);
            time.advanceTimeBy(WriteFence.UNANSWERED_WRITE);

            assertThat(replication.calls).hasSize(5).endsWith("invalidated ");
        } finally {
            VirtualTimeScheduler.reset();
        }
    }

    @Test
    void outcomeOfABucketIsReturnedAlsoIfItIsNotRecorded() {
        replication.completion.tryEmitError(new IOException("disk full"));

        assertThat(writes.fencedBucket(bucket, Mono.just("done")).block()).isEqualTo("done");
    }

    @Test
    void refusalOfAWriteHasAReasonForItsClient() {
        List<Supplier<Mono<?>>> refused = List.of(
                () -> writes.fenced(bucket, object, Mono.just("sent")),
                () -> writes.fencedBucket(bucket, Mono.just("sent")),
                () -> writes.bucketChange(bucket, Mono.just("sent")));
        for (Supplier<Mono<?>> write : refused) {
            replication.refusal = Mono.error(new IOException("disk full"));
            assertThat(refusal(write)).isEqualTo("ServiceUnavailable");
            replication.refusal = Mono.error(new S3Exception(S3ErrorCode.SLOW_DOWN));
            assertThat(refusal(write)).isEqualTo("SlowDown");
        }
    }

    @Test
    void withoutDeletionsNoWriteBegins() {
        assertThat(writes.fenced(bucket, List.of(), Mono.just(List.of())).block())
                .isEmpty();

        assertThat(replication.calls).isEmpty();
    }

    private static String refusal(Supplier<Mono<?>> write) {
        return catchThrowableOfType(S3Exception.class, () -> write.get().block())
                .code();
    }

    /** A replication that records its calls and completes none of them before it is told to. */
    private static final class HeldReplication implements WriteReplication {
        final List<String> calls = new ArrayList<>();
        final Sinks.Empty<Void> completion = Sinks.empty();
        Mono<Void> refusal = Mono.empty();

        void complete() {
            completion.tryEmitEmpty();
        }

        @Override
        public Mono<Void> beginning(String backend, BucketName bucket) {
            return Mono.fromRunnable(() -> calls.add("beginning " + bucket)).then(refusal);
        }

        @Override
        public Mono<Void> written(Collection<ObjectId> ids, boolean acknowledged) {
            String keys = ids.stream()
                    .map(id -> id.object().key().value())
                    .distinct()
                    .collect(Collectors.joining(",", "[", "]"));
            return held("written " + keys + " " + acknowledged);
        }

        @Override
        public Mono<Void> invalidated(ObjectPrefix below) {
            return held("invalidated " + below.prefix());
        }

        @Override
        public Mono<Void> bucketChanged(String backend, BucketName bucket) {
            return held("changed " + bucket);
        }

        private Mono<Void> held(String call) {
            return Mono.defer(() -> {
                calls.add(call);
                return completion.asMono();
            });
        }
    }
}
