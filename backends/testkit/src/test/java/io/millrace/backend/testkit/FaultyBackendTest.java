package io.millrace.backend.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.RangeSpec;
import io.millrace.backend.spi.ReadRequest.Selection;
import io.millrace.backend.testkit.FaultPlan.Call;
import io.millrace.backend.testkit.FaultPlan.Operation;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

/**
 * A fault that does not show makes every test above it green for nothing. Without faults the decorator passes the contract;
 * with one, it is seen here, and the cases of the contract see those that break it.
 */
class FaultyBackendTest extends BackendContract {
    private static final int SIZE = 200_000;

    private final BucketName bucket = new BucketName("faulty");
    private final InMemoryBackend inner = new InMemoryBackend(
                    Set.of(Capability.WRITE, Capability.CONDITIONAL_WRITE, Capability.MULTIPART, Capability.COPY))
            .createBucket(bucket);
    private final FaultyBackend backend = new FaultyBackend(inner, FaultPlan.none());

    @Override
    public Backend backend() {
        return backend;
    }

    @Override
    public BucketName bucket() {
        return bucket;
    }

    @Override
    public void seed(ObjectKey key, byte[] bytes, HeaderList headers) {
        inner.store(new ObjectRef(bucket, key), bytes, headers);
    }

    @Override
    public void remove(ObjectKey key) {
        inner.remove(new ObjectRef(bucket, key));
    }

    @Test
    void refusalsComeAsManyTimesAsPlannedThenAllIsWell() {
        ObjectKey key = seeded("key", SIZE);
        backend.plan(FaultPlan.failing(2, Kind.UNAVAILABLE));

        ContractCases.failure(backend.open(asking(key)), Kind.UNAVAILABLE);
        ContractCases.failure(backend.list(Pages.request(bucket, "", "", 1)), Kind.UNAVAILABLE);
        assertThat(read(asking(key))).isEqualTo(Bytes.of("key").first(SIZE));
    }

    @Test
    void writeWhoseAnswerIsLostTookPlace() {
        backend.plan(FaultPlan.always(new Fault.LostAnswer()).only(Operation.PUT));

        ContractCases.failure(backend.put(target("lost"), Body.of(new byte[] {1})), Kind.UNAVAILABLE);

        assertHolds("lost", new byte[] {1});
        assertThat(backend.calls(Operation.PUT)).isEqualTo(1);
    }

    @Test
    void writeWhoseAnswerIsLateTookPlaceAlready() {
        Sinks.Empty<Void> release = Sinks.empty();
        backend.plan(FaultPlan.always(new Fault.LateAnswer(release.asMono())).only(Operation.PUT));

        StepVerifier.create(backend.put(target("late"), Body.of(new byte[] {1})))
                .then(() -> assertHolds("late", new byte[] {1}))
                .expectNoEvent(Duration.ofMillis(50))
                .then(release::tryEmitEmpty)
                .expectNextCount(1)
                .verifyComplete();
    }

    @Test
    void refusedWriteTookNoPlace() {
        backend.plan(FaultPlan.failing(1, Kind.UNAVAILABLE).only(Operation.DELETE));
        put("kept", new byte[] {1});

        ContractCases.failure(backend.delete(Deletion.of(ref("kept")), HeaderList.EMPTY), Kind.UNAVAILABLE);

        assertHolds("kept", new byte[] {1});
    }

    @Test
    void planForOneOperationSparesTheOthers() {
        ObjectKey key = seeded("key", SIZE);
        backend.plan(FaultPlan.always(new Fault.Fail(Kind.THROTTLED)).only(Operation.OPEN));

        assertThat(head(asking(key)).head().size()).isEqualTo(SIZE);
        ContractCases.failure(backend.open(asking(key)), Kind.THROTTLED);
    }

    @Test
    void headsAreDelayed() {
        ObjectKey key = seeded("key", SIZE);
        backend.plan(FaultPlan.always(new Fault.DelayHead(Duration.ofHours(1))));

        StepVerifier.withVirtualTime(() -> backend.head(asking(key)))
                .expectSubscription()
                .expectNoEvent(Duration.ofMinutes(59))
                .thenAwait(Duration.ofMinutes(1))
                .expectNextCount(1)
                .verifyComplete();
    }

    @Test
    void headsStallUntilReleased() {
        ObjectKey key = seeded("key", SIZE);
        Sinks.Empty<Void> gate = Sinks.empty();
        backend.plan(FaultPlan.always(new Fault.StallHead(gate.asMono())));

        StepVerifier.create(backend.head(asking(key)))
                .expectSubscription()
                .expectNoEvent(Duration.ofMillis(50))
                .then(gate::tryEmitEmpty)
                .expectNextCount(1)
                .verifyComplete();
    }

    @Test
    void piecesAreDelayed() {
        ObjectKey key = seeded("key", SIZE);
        backend.plan(FaultPlan.always(new Fault.DelayPieces(Duration.ofMinutes(1))));

        StepVerifier.withVirtualTime(() -> open(asking(key)).body().map(piece -> ContractCases.takeBytes(piece).length))
                .expectSubscription()
                .expectNoEvent(Duration.ofSeconds(59))
                .thenAwait(Duration.ofSeconds(1))
                .expectNextCount(1)
                .expectNoEvent(Duration.ofSeconds(59))
                .thenAwait(Duration.ofMinutes(10))
                .expectNextCount(3)
                .verifyComplete();
    }

    @Test
    void bodiesStallUntilReleased() throws InterruptedException {
        ObjectKey key = seeded("key", SIZE);
        Sinks.Empty<Void> gate = Sinks.empty();
        backend.plan(FaultPlan.always(new Fault.StallBody(65_537, gate.asMono())));
        PacedReader reader = new PacedReader();
        open(asking(key)).body().subscribe(reader);

        reader.request(Long.MAX_VALUE);
        reader.awaitPieces(2);
        Thread.sleep(20);
        assertThat(reader.pieces()).isEqualTo(2);
        gate.tryEmitEmpty();
        reader.awaitPieces(4);
        assertThat(reader.bytes()).isEqualTo(Bytes.of("key").first(SIZE));
    }

    @Test
    void readerThatLeavesAStalledBodyHoldsNothing() {
        ObjectKey key = seeded("key", SIZE);
        backend.plan(FaultPlan.always(new Fault.StallBody(1, Sinks.empty().asMono())));
        PacedReader reader = new PacedReader();
        open(asking(key)).body().subscribe(reader);
        reader.request(5);

        assertThat(backend.openBodies()).isEqualTo(1);
        reader.cancel();
        assertThat(backend.openBodies()).isZero();
    }

    @Test
    void actionRunsOnceInTheMiddleOfTheBody() {
        ObjectKey key = seeded("key", SIZE);
        int[] runs = {0};
        long[] bytesThen = {0};
        backend.plan(FaultPlan.always(new Fault.Meanwhile(100_000, () -> {
            runs[0]++;
            bytesThen[0] = backend.bytes();
        })));

        assertThat(read(asking(key))).isEqualTo(Bytes.of("key").first(SIZE));
        assertThat(runs[0]).isEqualTo(1);
        assertThat(bytesThen[0]).isEqualTo(131_072);
    }

    @Test
    void cutBodyFailsAtThatByte() {
        assertEndsBehind(new Fault.Cut(70_000), 70_000, Kind.BROKEN_ANSWER);
        assertEndsBehind(new Fault.Cut(0), 0, Kind.BROKEN_ANSWER);
        assertEndsBehind(new Fault.Cut(65_536), 65_536, Kind.BROKEN_ANSWER);
    }

    @Test
    void replacedObjectFailsAtThatByte() {
        assertEndsBehind(new Fault.Replaced(123_456), 123_456, Kind.VERSION_CHANGED);
    }

    @Test
    void bodyMayEndEarlyAsIfItWereWhole() {
        ObjectKey key = seeded("key", SIZE);
        backend.plan(FaultPlan.always(new Fault.EndEarly(99_999)));

        assertThat(drain(open(asking(key)))).isEqualTo(Bytes.of("key").first(99_999));
        assertThatThrownBy(this::wholeObjectComesByteForByte).isInstanceOf(AssertionError.class);
    }

    @Test
    void bodyMayBeTooLong() {
        ObjectKey key = seeded("key", SIZE);
        backend.plan(FaultPlan.always(new Fault.TooLong(3)));

        assertThat(drain(open(asking(key)))).hasSize(SIZE + 3);
        assertThatThrownBy(this::wholeObjectComesByteForByte).isInstanceOf(AssertionError.class);
    }

    @Test
    void oneBitMayBeWrong() {
        ObjectKey key = seeded("key", SIZE);
        backend.plan(FaultPlan.always(new Fault.Flip(150_000)));
        byte[] expected = Bytes.of("key").first(SIZE);
        expected[150_000] ^= 1;

        assertThat(read(asking(key))).isEqualTo(expected);
        assertThatThrownBy(this::wholeObjectComesByteForByte).isInstanceOf(AssertionError.class);
    }

    @Test
    void headMayTellAWrongSizeTagAndRange() {
        ObjectKey key = seeded("key", SIZE);
        ETag other = ETag.strong("other");
        backend.plan(FaultPlan.always(
                new Fault.All(List.of(new Fault.WrongSize(-1), new Fault.WrongTag(other), new Fault.WrongRange(5)))));

        ObjectContent content = open(asking(key).select(new Selection.Range(new RangeSpec.Closed(10, 19))));
        content.discard();

        assertThat(content.head().size()).isEqualTo(SIZE - 1);
        assertThat(content.head().eTag()).contains(other);
        assertThat(content.head().version().validator()).isEqualTo("\"other\"");
        assertThat(content.range()).contains(new ByteRange(15, 24));
        assertThat(head(asking(key)).head().size()).isEqualTo(SIZE - 1);
        assertThatThrownBy(this::emptyObjectIsAnObject).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void seededPlanIsTheSameEachTimeAndHitsItsShare() {
        List<Fault> faults = List.of(new Fault.Cut(1), new Fault.Fail(Kind.UNAVAILABLE));
        FaultPlan plan = FaultPlan.seeded(42, 0.25, faults);
        FaultPlan again = FaultPlan.seeded(42, 0.25, faults);
        FaultPlan another = FaultPlan.seeded(43, 0.25, faults);

        List<Fault> met = drawn(plan);
        assertThat(met).isEqualTo(drawn(again)).isNotEqualTo(drawn(another)).contains(faults.toArray(Fault[]::new));
        assertThat(met.stream().filter(fault -> fault != Fault.NONE).count()).isBetween(200L, 300L);
    }

    @Test
    void callsBytesAndOpenBodiesAreCounted() {
        ObjectKey key = seeded("key", SIZE);
        ObjectContent held = open(asking(key));
        read(asking(key));
        head(asking(key));

        assertThat(backend.calls(Operation.OPEN)).isEqualTo(2);
        assertThat(backend.calls(Operation.HEAD)).isEqualTo(1);
        assertThat(backend.bytes()).isEqualTo(SIZE);
        assertThat(backend.openBodies()).isEqualTo(1);
        held.discard();
        assertThat(backend.openBodies()).isZero();
    }

    private void assertEndsBehind(Fault fault, int bytes, Kind kind) {
        ObjectKey key = seeded("key", SIZE);
        backend.plan(FaultPlan.always(fault));
        long before = backend.bytes();

        assertThatThrownBy(() -> drain(open(asking(key))))
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e.kind()).isEqualTo(kind));
        assertThat(backend.bytes() - before).isEqualTo(bytes);
    }

    private static List<Fault> drawn(FaultPlan plan) {
        return LongStream.range(0, 1000)
                .mapToObj(i -> plan.next(new Call(Operation.OPEN, i)))
                .toList();
    }
}
