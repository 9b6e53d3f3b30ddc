package io.millrace.backend.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.data.ListedPages;
import io.millrace.backend.testkit.data.ManualDemandReader;
import io.millrace.backend.testkit.data.UploadBodies;
import io.millrace.backend.testkit.fault.BackendFault;
import io.millrace.backend.testkit.fault.FaultPlan;
import io.millrace.backend.testkit.fault.FaultPlan.Call;
import io.millrace.backend.testkit.fault.FaultPlan.Operation;
import io.millrace.backend.testkit.fault.FaultyBackend;
import io.millrace.backend.testkit.memory.InMemoryContract;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

/**
 * Every fault is observable, and without faults the wrapped backend fulfils the contract. A fault without effect would
 * make the tests that inject it worthless.
 */
class FaultyBackendTest extends InMemoryContract {
    private static final int SIZE = 200_000;

    private final FaultyBackend backend = new FaultyBackend(objects, FaultPlan.none());

    FaultyBackendTest() {
        super(Set.of(Capability.WRITE, Capability.CONDITIONAL_WRITE, Capability.MULTIPART, Capability.COPY));
    }

    @Override
    public Backend backend() {
        return backend;
    }

    @Test
    void failsAsOftenAsPlannedThenSucceeds() {
        ObjectKey key = seeded("key", SIZE);
        backend.plan(FaultPlan.failing(2, FailureKind.UNAVAILABLE));

        ContractSupport.assertFailure(backend.open(readRequest(key)), FailureKind.UNAVAILABLE);
        ContractSupport.assertFailure(
                backend.listObjects(ListedPages.request(bucket, "", "", 1)), FailureKind.UNAVAILABLE);
        assertThat(read(readRequest(key))).isEqualTo(GeneratedBytes.of("key").first(SIZE));
    }

    @Test
    void writeWithLostResponseTookPlace() {
        backend.plan(FaultPlan.always(new BackendFault.LostResponse()).only(Operation.PUT));

        ContractSupport.assertFailure(
                backend.put(target("lost"), UploadBodies.of(new byte[] {1})), FailureKind.UNAVAILABLE);

        assertContent("lost", new byte[] {1});
        assertThat(backend.calls(Operation.PUT)).isEqualTo(1);
    }

    @Test
    void writeWithLateResponseHasAlreadyTakenPlace() {
        Sinks.Empty<Void> release = Sinks.empty();
        backend.plan(FaultPlan.always(new BackendFault.LateResponse(release.asMono()))
                .only(Operation.PUT));

        StepVerifier.create(backend.put(target("late"), UploadBodies.of(new byte[] {1})))
                .then(() -> assertContent("late", new byte[] {1}))
                .expectNoEvent(Duration.ofMillis(50))
                .then(release::tryEmitEmpty)
                .expectNextCount(1)
                .verifyComplete();
    }

    @Test
    void refusedWriteTookNoPlace() {
        backend.plan(FaultPlan.failing(1, FailureKind.UNAVAILABLE).only(Operation.DELETE));
        put("kept", new byte[] {1});

        ContractSupport.assertFailure(
                backend.delete(Deletion.of(ref("kept")), HeaderList.EMPTY), FailureKind.UNAVAILABLE);

        assertContent("kept", new byte[] {1});
    }

    @Test
    void planForOneOperationSparesTheOthers() {
        ObjectKey key = seeded("key", SIZE);
        backend.plan(FaultPlan.always(new BackendFault.FailedCall(FailureKind.THROTTLED))
                .only(Operation.OPEN));

        assertThat(head(readRequest(key)).head().size()).isEqualTo(SIZE);
        ContractSupport.assertFailure(backend.open(readRequest(key)), FailureKind.THROTTLED);
    }

    @Test
    void headsAreDelayed() {
        ObjectKey key = seeded("key", SIZE);
        backend.plan(FaultPlan.always(new BackendFault.DelayedHead(Duration.ofHours(1))));

        StepVerifier.withVirtualTime(() -> backend.head(readRequest(key)))
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
        backend.plan(FaultPlan.always(new BackendFault.StalledHead(gate.asMono())));

        StepVerifier.create(backend.head(readRequest(key)))
                .expectSubscription()
                .expectNoEvent(Duration.ofMillis(50))
                .then(gate::tryEmitEmpty)
                .expectNextCount(1)
                .verifyComplete();
    }

    @Test
    void piecesAreDelayed() {
        ObjectKey key = seeded("key", SIZE);
        backend.plan(FaultPlan.always(new BackendFault.DelayedPieces(Duration.ofMinutes(1))));

        StepVerifier.withVirtualTime(
                        () -> open(readRequest(key)).body().map(piece -> UploadBodies.takeBytes(piece).length))
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
        backend.plan(FaultPlan.always(new BackendFault.StalledBody(65_537, gate.asMono())));
        ManualDemandReader reader = new ManualDemandReader();
        open(readRequest(key)).body().subscribe(reader);

        reader.request(Long.MAX_VALUE);
        // Bodies are sent by the thread that requests them, so nothing more comes.
        reader.awaitPieces(2);
        assertThat(reader.pieces()).isEqualTo(2);
        gate.tryEmitEmpty();
        reader.awaitPieces(4);
        assertThat(reader.bytes()).isEqualTo(GeneratedBytes.of("key").first(SIZE));
    }

    @Test
    void readerThatLeavesAStalledBodyHoldsNothing() {
        ObjectKey key = seeded("key", SIZE);
        backend.plan(
                FaultPlan.always(new BackendFault.StalledBody(1, Sinks.empty().asMono())));
        ManualDemandReader reader = new ManualDemandReader();
        open(readRequest(key)).body().subscribe(reader);
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
        backend.plan(FaultPlan.always(new BackendFault.ActionDuringBody(100_000, () -> {
            runs[0]++;
            bytesThen[0] = backend.bytes();
        })));

        assertThat(read(readRequest(key))).isEqualTo(GeneratedBytes.of("key").first(SIZE));
        assertThat(runs[0]).isEqualTo(1);
        assertThat(bytesThen[0]).isEqualTo(131_072);
    }

    @Test
    void cutBodyFailsAtThatByte() {
        assertEndsBehind(new BackendFault.CutConnection(70_000), 70_000, FailureKind.INVALID_RESPONSE);
        assertEndsBehind(new BackendFault.CutConnection(0), 0, FailureKind.INVALID_RESPONSE);
        assertEndsBehind(new BackendFault.CutConnection(65_536), 65_536, FailureKind.INVALID_RESPONSE);
    }

    @Test
    void replacedObjectFailsAtThatByte() {
        assertEndsBehind(new BackendFault.ReplacedObject(123_456), 123_456, FailureKind.VERSION_CHANGED);
    }

    @Test
    void bodyMayEndEarlyAsIfItWereWhole() {
        ObjectKey key = seeded("key", SIZE);
        backend.plan(FaultPlan.always(new BackendFault.ShortBody(99_999)));

        assertThat(drain(open(readRequest(key))))
                .isEqualTo(GeneratedBytes.of("key").first(99_999));
        assertThatThrownBy(this::wholeObjectComesByteForByte).isInstanceOf(AssertionError.class);
    }

    @Test
    void bodyMayBeTooLong() {
        ObjectKey key = seeded("key", SIZE);
        backend.plan(FaultPlan.always(new BackendFault.LongBody(3)));

        assertThat(drain(open(readRequest(key)))).hasSize(SIZE + 3);
        assertThatThrownBy(this::wholeObjectComesByteForByte).isInstanceOf(AssertionError.class);
    }

    @Test
    void oneBitMayBeWrong() {
        ObjectKey key = seeded("key", SIZE);
        backend.plan(FaultPlan.always(new BackendFault.FlippedBit(150_000)));
        byte[] expected = GeneratedBytes.of("key").first(SIZE);
        expected[150_000] ^= 1;

        assertThat(read(readRequest(key))).isEqualTo(expected);
        assertThatThrownBy(this::wholeObjectComesByteForByte).isInstanceOf(AssertionError.class);
    }

    @Test
    void headCanReportWrongSizeETagAndRange() {
        ObjectKey key = seeded("key", SIZE);
        ETag other = ETag.strong("other");
        backend.plan(FaultPlan.always(new BackendFault.AllOf(List.of(
                new BackendFault.WrongSize(-1), new BackendFault.WrongETag(other), new BackendFault.WrongRange(5)))));

        ObjectContent content =
                open(readRequest(key).withSelection(new ByteSelection.RangeSelection(new RangeSpec.Bounded(10, 19))));
        content.discard();

        assertThat(content.head().size()).isEqualTo(SIZE - 1);
        assertThat(content.head().eTag()).contains(other);
        assertThat(content.head().version().validator()).isEqualTo("\"other\"");
        assertThat(content.range()).contains(new ByteRange(15, 24));
        assertThat(head(readRequest(key)).head().size()).isEqualTo(SIZE - 1);
        assertThatThrownBy(this::emptyObjectIsAnObject).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void seededPlanIsReproducible() {
        List<BackendFault> faults =
                List.of(new BackendFault.CutConnection(1), new BackendFault.FailedCall(FailureKind.UNAVAILABLE));
        FaultPlan plan = FaultPlan.seeded(42, 0.25, faults);
        FaultPlan again = FaultPlan.seeded(42, 0.25, faults);
        FaultPlan another = FaultPlan.seeded(43, 0.25, faults);

        List<BackendFault> met = drawn(plan);
        assertThat(met)
                .isEqualTo(drawn(again))
                .isNotEqualTo(drawn(another))
                .contains(faults.toArray(BackendFault[]::new));
        assertThat(met.stream().filter(fault -> fault != BackendFault.NONE).count())
                .isBetween(200L, 300L);
    }

    @Test
    void callsBytesAndOpenBodiesAreCounted() {
        ObjectKey key = seeded("key", SIZE);
        ObjectContent held = open(readRequest(key));
        read(readRequest(key));
        head(readRequest(key));

        assertThat(backend.calls(Operation.OPEN)).isEqualTo(2);
        assertThat(backend.calls(Operation.HEAD)).isEqualTo(1);
        assertThat(backend.bytes()).isEqualTo(SIZE);
        assertThat(backend.openBodies()).isEqualTo(1);
        held.discard();
        assertThat(backend.openBodies()).isZero();
    }

    private void assertEndsBehind(BackendFault fault, int bytes, FailureKind kind) {
        ObjectKey key = seeded("key", SIZE);
        backend.plan(FaultPlan.always(fault));
        long before = backend.bytes();

        assertThatThrownBy(() -> drain(open(readRequest(key))))
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e.kind()).isEqualTo(kind));
        assertThat(backend.bytes() - before).isEqualTo(bytes);
    }

    private static List<BackendFault> drawn(FaultPlan plan) {
        return LongStream.range(0, 1000)
                .mapToObj(i -> plan.next(new Call(Operation.OPEN, i)))
                .toList();
    }
}
