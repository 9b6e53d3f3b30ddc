package io.millrace.backend.resilience;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendRemedies;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.GatewayHops;
import io.millrace.backend.spi.JoinedBackend;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.RequestForwarder.ForwardRequest;
import io.millrace.backend.spi.RequestForwarder.StreamingForwardResponse;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.PassingBackend;
import io.millrace.backend.testkit.data.UploadBodies;
import io.millrace.backend.testkit.fault.BackendFault;
import io.millrace.backend.testkit.fault.BackendFault.DelayedHead;
import io.millrace.backend.testkit.fault.BackendFault.FailedCall;
import io.millrace.backend.testkit.fault.BackendFault.LostResponse;
import io.millrace.backend.testkit.fault.BackendFault.StalledHead;
import io.millrace.backend.testkit.fault.FaultPlan;
import io.millrace.backend.testkit.fault.FaultPlan.Operation;
import io.millrace.backend.testkit.fault.FaultyBackend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.kit.share.Party;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.scheduler.VirtualTimeScheduler;

/** Tests what users of a faulty backend get, in virtual time. */
@ExtendWith(BufferLeakExtension.class)
class ResilientBackendTest {
    private static final BucketName BUCKET = new BucketName("bucket");
    private static final ObjectRef OBJECT = new ObjectRef(BUCKET, new ObjectKey("key"));
    private static final ReadRequest READ = ReadRequest.of(OBJECT);
    private static final BackendFault DOWN = new FailedCall(FailureKind.UNAVAILABLE);
    private static final BackendFault THROTTLES = new FailedCall(FailureKind.THROTTLED);

    private final VirtualTimeScheduler time = VirtualTimeScheduler.getOrSet();
    private final InMemoryBackend memory =
            new InMemoryBackend(EnumSet.of(Capability.WRITE, Capability.COPY)).createBucket(BUCKET);
    private final FaultyBackend faulty = new FaultyBackend(memory, FaultPlan.none());
    private int connections = 1_000_000;
    private ResilientBackend backend = backend(ResilienceSettings.DEFAULTS);

    ResilientBackendTest() {
        memory.store(OBJECT, new byte[] {1, 2, 3}, HeaderList.EMPTY);
    }

    @AfterEach
    void stop() {
        VirtualTimeScheduler.reset();
    }

    @Test
    void readSucceedsAfterTwoFailures() {
        faulty.plan(FaultPlan.script(DOWN, THROTTLES));

        assertThat(outcome(read(), Duration.ofSeconds(5))).isEqualTo("3 bytes");

        assertThat(faulty.calls(Operation.OPEN)).isEqualTo(3);
        assertThat(backend.stats().retries()).isEqualTo(2);
    }

    @Test
    void returnsPermanentErrorsAtOnce() {
        faulty.plan(FaultPlan.always(new FailedCall(FailureKind.ACCESS_DENIED)));

        assertThat(outcome(read(), Duration.ZERO)).isEqualTo("ACCESS_DENIED");
        assertThat(faulty.calls(Operation.OPEN)).isEqualTo(1);
    }

    @Test
    void bodyIsNeverSentTwice() {
        faulty.plan(FaultPlan.script(new LostResponse()));

        assertThat(outcome(put(), Duration.ofMinutes(1))).isEqualTo("UNAVAILABLE");
        assertThat(faulty.calls(Operation.PUT)).isEqualTo(1);
    }

    @Test
    void writeIsSentAgainWhileItsBodyIsUnread() {
        faulty.plan(FaultPlan.script(DOWN, DOWN));

        assertThat(outcome(put(), Duration.ofMinutes(1))).isEqualTo("done");
        assertThat(faulty.calls(Operation.PUT)).isEqualTo(3);
    }

    @Test
    void copyIsRepeatedOnlyIfItWasNotBegun() {
        faulty.plan(FaultPlan.script(new LostResponse()));
        assertThat(outcome(copy(), Duration.ofMinutes(1))).isEqualTo("UNAVAILABLE");
        assertThat(faulty.calls(Operation.COPY)).isEqualTo(1);

        faulty.plan(FaultPlan.script(THROTTLES));
        assertThat(outcome(copy(), Duration.ofMinutes(1))).isEqualTo("done");
        assertThat(faulty.calls(Operation.COPY)).isEqualTo(3);
    }

    @Test
    void retriesAreAtMostATenthOfTheRequests() {
        // One in eight succeeds, so that the breaker stays closed.
        faulty.plan(call -> call.number() % 8 == 0 ? BackendFault.NONE : THROTTLES);

        for (int i = 0; i < 2000; i++) {
            outcome(read(), Duration.ofMillis(100));
        }
        time.advanceTimeBy(Duration.ofSeconds(10));

        assertThat(backend.stats().isDown()).isFalse();
        assertThat(faulty.calls(Operation.OPEN)).isBetween(2000L + 200, 2000L + 200 + ExtraRequestBudget.RESERVE);
    }

    @Test
    void requestEndsAtItsDeadline() {
        faulty.plan(FaultPlan.always(new StalledHead(Mono.never())));
        List<String> outcomes = subscribe(read());

        time.advanceTimeBy(Duration.ofMillis(29_999));
        assertThat(outcomes).isEmpty();
        time.advanceTimeBy(Duration.ofMillis(1));

        assertThat(outcomes).containsExactly("UNAVAILABLE");
        assertThat(backend.stats().deadlines()).isEqualTo(1);
        assertThat(backend.stats().inFlight()).isZero();
    }

    @Test
    void retryThatCannotEndInTimeIsNotBegun() {
        faulty.plan(FaultPlan.always(new BackendFault.AllOf(List.of(DOWN, new DelayedHead(Duration.ofSeconds(20))))));
        List<String> outcomes = subscribe(read());

        time.advanceTimeBy(Duration.ofSeconds(20));

        assertThat(outcomes).containsExactly("UNAVAILABLE");
        assertThat(faulty.calls(Operation.OPEN)).isEqualTo(1);
    }

    @Test
    void probesADeadBackendOnceASecond() {
        faulty.plan(FaultPlan.always(DOWN));
        for (int i = 0; i < 300; i++) {
            outcome(read(), Duration.ofMillis(10));
        }
        assertDownAndAskedOnceASecond();

        faulty.plan(FaultPlan.none());
        int refused = 0;
        for (int i = 0; i < 500; i++) {
            refused += outcome(read(), Duration.ofMillis(10)).equals("3 bytes") ? 0 : 1;
        }
        assertThat(refused).isLessThanOrEqualTo(101);
        assertThat(backend.stats().isDown()).isFalse();
    }

    @Test
    void backendOfNothingButThrottlingIsAskedOnceASecond() {
        faulty.plan(FaultPlan.always(THROTTLES));
        for (int i = 0; i < 600; i++) {
            outcome(read(), Duration.ofMillis(10));
        }

        assertDownAndAskedOnceASecond();
    }

    @Test
    void boundOfTheGatewayIsNoTroubleOfTheBackend() {
        faulty.plan(FaultPlan.always(new FailedCall(FailureKind.BUSY)));
        for (int i = 0; i < 300; i++) {
            assertThat(outcome(read(), Duration.ofSeconds(5))).isEqualTo("BUSY");
        }

        assertThat(backend.stats().limit()).as("not lowered").isEqualTo(1024);
        assertThat(backend.stats().isDown()).isFalse();
    }

    @Test
    void requestsWhoseTurnDoesNotComeInTimeAreNoTroubleOfTheBackend() {
        backend = backend(new ResilienceSettings(
                Duration.ofSeconds(30), 1, 1, Optional.empty(), Optional.empty(), Optional.empty()));
        subscribe(backend.put(
                new NewObject(OBJECT, HeaderList.EMPTY, WriteCondition.ALWAYS), UploadBody.of(1, Flux.never())));
        List<BackendException> failures = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            read().subscribe(ObjectContent::discard, failure -> failures.add((BackendException) failure));
        }
        time.advanceTimeBy(Duration.ofSeconds(31));

        assertThat(failures).hasSize(30).allSatisfy(failure -> {
            assertThat(failure.kind()).isEqualTo(FailureKind.BUSY);
            assertThat(failure.s3Error().orElseThrow().code()).isEqualTo("SlowDown");
        });
        assertThat(backend.stats().isDown()).isFalse();
    }

    @Test
    void uploadWhoseTurnDoesNotComeInTimeGetsSlowDown() {
        backend = oneAtATime();
        Disposable first = endlessPut().subscribe();
        List<String> second = subscribe(endlessPut());
        List<BackendException> refused = new ArrayList<>();
        time.advanceTimeBy(Duration.ofSeconds(20));
        put().subscribe(done -> {}, failure -> refused.add((BackendException) failure));
        first.dispose();

        time.advanceTimeBy(Duration.ofMillis(29_999));
        assertThat(refused).isEmpty();
        time.advanceTimeBy(Duration.ofMillis(1));

        assertThat(refused).singleElement().satisfies(failure -> {
            assertThat(failure.kind()).isEqualTo(FailureKind.BUSY);
            assertThat(failure.s3Error().orElseThrow().code()).isEqualTo("SlowDown");
        });
        assertThat(second).as("that has its turn, and takes what time it likes").isEmpty();
        assertThat(backend.stats().waiting()).isZero();
        assertThat(backend.stats().inFlight()).isEqualTo(1);
    }

    @Test
    void stalledUploadGivesWayToOneThatWaitsForALoweredLimit() {
        backend = backend(new ResilienceSettings(
                Duration.ofSeconds(30), 1, 1024, Optional.empty(), Optional.empty(), Optional.empty()));
        faulty.plan(FaultPlan.always(THROTTLES).only(Operation.OPEN));
        for (int i = 0; i < 4; i++) {
            subscribe(endlessPut().contextWrite(of("crowd")::writeTo));
        }
        assertThat(outcome(read(), Duration.ZERO)).isEqualTo("THROTTLED");
        assertThat(backend.stats().limit()).isEqualTo(4);
        List<String> soon = subscribe(put().contextWrite(of("other")::writeTo));
        time.advanceTimeBy(Duration.ofSeconds(3));
        assertThat(soon).as("while none was stalled when it came").isEmpty();

        List<String> later = subscribe(put().contextWrite(of("third")::writeTo));

        assertThat(soon).containsExactly("done");
        assertThat(later).containsExactly("done");
        assertThat(backend.stats().inFlight()).as("one has given way").isEqualTo(3);
    }

    @Test
    void retryWhoseTurnDoesNotComeInTimeIsNoTroubleOfTheBackend() {
        backend = oneAtATime();
        faulty.plan(FaultPlan.script(new LostResponse(), DOWN).only(Operation.DELETE));
        List<BackendException> failures = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            backend.delete(Deletion.of(OBJECT), HeaderList.EMPTY)
                    .subscribe(done -> {}, failure -> failures.add((BackendException) failure));
        }
        subscribe(endlessPut());
        time.advanceTimeBy(Duration.ofSeconds(31));

        assertThat(failures)
                .hasSize(2)
                .allSatisfy(failure -> assertThat(failure.kind()).isEqualTo(FailureKind.BUSY));
        assertThat(failures.get(0).isUnprocessed())
                .as("whose first try may have deleted it")
                .isFalse();
        assertThat(failures.get(1).isUnprocessed()).as("that was never sent").isTrue();
    }

    @Test
    void requestThatWasNotSentIsNoAnswerOfTheBackend() {
        faulty.plan(call -> call.operation() == Operation.HEAD ? new FailedCall(FailureKind.INVALID_REQUEST) : DOWN);
        for (int i = 0; i < 300; i++) {
            outcome(read(), Duration.ofMillis(10));
            outcome(backend.head(READ), Duration.ZERO);
        }

        assertThat(backend.stats().isDown()).isTrue();
    }

    @Test
    void boundOfTheGatewayDoesNotCallADeadBackendBack() {
        faulty.plan(FaultPlan.always(DOWN));
        for (int i = 0; i < 300; i++) {
            outcome(read(), Duration.ofMillis(10));
        }
        faulty.plan(FaultPlan.always(new FailedCall(FailureKind.BUSY)));
        long before = faulty.calls(Operation.BUCKET);
        for (int i = 0; i < 500; i++) {
            outcome(read(), Duration.ofMillis(10));
        }

        assertThat(faulty.calls(Operation.BUCKET)).isGreaterThan(before);
        assertThat(backend.stats().isDown()).isTrue();
    }

    @Test
    void floodOfKeysThatFailStopsNobody() {
        faulty.plan(call -> call.operation() == Operation.OPEN ? DOWN : BackendFault.NONE);
        for (int i = 0; i < 500; i++) {
            outcome(read(), Duration.ofMillis(10));
        }

        assertThat(backend.stats().isDown()).isFalse();
        assertThat(backend.stats().refusals()).isZero();
        assertThat(faulty.calls(Operation.BUCKET)).as("asked once a second").isBetween(3L, 5L);
    }

    @Test
    void floodOfKeysThatFailDoesNotKeepABackendDown() {
        faulty.plan(FaultPlan.always(DOWN));
        for (int i = 0; i < 300; i++) {
            outcome(read(), Duration.ofMillis(10));
        }
        assertThat(backend.stats().isDown()).isTrue();

        faulty.plan(call -> call.operation() == Operation.OPEN ? DOWN : BackendFault.NONE);
        for (int i = 0; i < 101; i++) {
            outcome(read(), Duration.ofMillis(10));
        }

        assertThat(backend.stats().isDown()).isFalse();
    }

    @Test
    void requestThatWaitsForAProbeIsSentAfterIt() {
        faulty.plan(FaultPlan.always(DOWN));
        for (int i = 0; i < 300; i++) {
            outcome(read(), Duration.ofMillis(10));
        }
        faulty.plan(FaultPlan.script(new DelayedHead(Duration.ofMillis(100))));
        time.advanceTimeBy(Duration.ofHours(1));

        assertThat(outcome(read(), Duration.ofMillis(101))).isEqualTo("3 bytes");
    }

    @Test
    void probeGoesOnWhenItsClientLeaves() {
        faulty.plan(FaultPlan.always(DOWN));
        for (int i = 0; i < 300; i++) {
            outcome(read(), Duration.ofMillis(10));
        }
        faulty.plan(FaultPlan.script(new DelayedHead(Duration.ofSeconds(5))));
        time.advanceTimeBy(Duration.ofSeconds(1));

        read().subscribe().dispose();
        List<String> later = subscribe(read());
        time.advanceTimeBy(Duration.ofSeconds(5));

        assertThat(later).containsExactly("UNAVAILABLE");
        assertThat(backend.stats().isDown()).isFalse();
        assertThat(backend.stats().inFlight()).isZero();
    }

    @Test
    void probeThatHangsRefusesItsClientSoon() {
        faulty.plan(FaultPlan.always(DOWN));
        for (int i = 0; i < 300; i++) {
            outcome(read(), Duration.ofMillis(10));
        }
        faulty.plan(FaultPlan.always(new StalledHead(Mono.never())));
        time.advanceTimeBy(Duration.ofSeconds(1));

        assertThat(outcome(read(), Duration.ofSeconds(2))).isEqualTo("UNAVAILABLE");
        assertThat(backend.stats().isDown()).isTrue();
    }

    @Test
    void refusalNamesBackendAndCause() {
        faulty.plan(FaultPlan.always(DOWN));
        for (int i = 0; i < 300; i++) {
            outcome(read(), Duration.ofMillis(10));
        }

        // Another one may be the probe.
        outcome(read(), Duration.ZERO);
        List<BackendException> failures = new ArrayList<>();
        read().subscribe(ObjectContent::discard, failure -> failures.add((BackendException) failure));

        assertThat(failures).singleElement().satisfies(failure -> {
            assertThat(failure.kind()).isEqualTo(FailureKind.UNAVAILABLE);
            assertThat(failure.backend()).contains("aws");
            assertThat(failure).hasMessageContaining("refused by plan");
            assertThat(failure.s3Error().orElseThrow().status()).isEqualTo(503);
            assertThat(failure.headers().first("retry-after")).contains("1");
        });
    }

    @Test
    void refusesWaitingRequestsWhenTheCircuitOpens() {
        backend = backend(new ResilienceSettings(
                Duration.ofSeconds(30), 1, 10, Optional.empty(), Optional.empty(), Optional.empty()));
        faulty.plan(call -> call.operation() == Operation.OPEN ? new StalledHead(Mono.never()) : DOWN);
        for (int i = 0; i < 10; i++) {
            subscribe(read());
            time.advanceTimeBy(Duration.ofMillis(200));
        }
        List<List<String>> waiting = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            waiting.add(subscribe(read()));
        }

        // The first ten have reached their deadlines; nine of their places went to others before the tenth failure.
        time.advanceTimeBy(Duration.ofMillis(29_850));

        assertThat(waiting.stream().filter(outcomes -> !outcomes.isEmpty())).hasSize(21);
        assertThat(backend.stats().waiting()).isZero();
        assertThat(backend.stats().refusals()).isEqualTo(21);
        assertThat(faulty.calls(Operation.OPEN)).isEqualTo(19);
    }

    @Test
    void hedgesSlowReads() {
        backend = hedging();
        faulty.plan(FaultPlan.script(new DelayedHead(Duration.ofSeconds(3))));
        List<String> outcomes = subscribe(read());

        time.advanceTimeBy(Duration.ofMillis(300));

        assertThat(outcomes).containsExactly("3 bytes");
        time.advanceTimeBy(Duration.ofSeconds(10));
        assertThat(faulty.calls(Operation.OPEN)).isEqualTo(2);
        assertThat(faulty.openBodies()).isZero();
        assertThat(backend.stats().hedges()).isEqualTo(1);
        assertThat(backend.stats().inFlight()).isZero();
    }

    @Test
    void hedgesAreAtMostATwentiethOfTheReads() {
        backend = hedging();
        faulty.plan(FaultPlan.always(new DelayedHead(Duration.ofSeconds(3))));

        for (int i = 0; i < 2000; i++) {
            assertThat(outcome(read(), Duration.ofSeconds(4))).isEqualTo("3 bytes");
        }

        assertThat(faulty.calls(Operation.OPEN)).isBetween(2000L, 2000L + 100 + ExtraRequestBudget.RESERVE);
    }

    @Test
    void hedgedReadFailsOnlyIfBothFail() {
        backend = hedging();
        faulty.plan(FaultPlan.script(
                new BackendFault.AllOf(
                        List.of(new FailedCall(FailureKind.ACCESS_DENIED), new DelayedHead(Duration.ofSeconds(1)))),
                new DelayedHead(Duration.ofSeconds(2))));

        assertThat(outcome(read(), Duration.ofSeconds(10))).isEqualTo("3 bytes");
    }

    @Test
    void requestWaitsForAConnectionThatBringsTheBodyOfAnother() {
        connections = 1;
        backend = backend(ResilienceSettings.DEFAULTS);
        List<ObjectContent> opened = new ArrayList<>();
        read().subscribe(opened::add);
        List<String> second = subscribe(read());
        time.advanceTimeBy(Duration.ofSeconds(1));
        assertThat(opened).hasSize(1);
        assertThat(second).as("while the body is unread").isEmpty();

        opened.get(0).discard();

        assertThat(second).containsExactly("3 bytes");
        assertThat(outcome(read(), Duration.ZERO))
                .as("after a body that was read")
                .isEqualTo("3 bytes");
    }

    @Test
    void readOfAnotherIdentityWaitsForOneTurn() {
        backend = backend(new ResilienceSettings(
                Duration.ofSeconds(30), 1, 4, Optional.empty(), Optional.empty(), Optional.empty()));
        faulty.plan(FaultPlan.always(new DelayedHead(Duration.ofSeconds(1))));
        List<List<String>> crowd = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            crowd.add(subscribe(read().contextWrite(of("crowd")::writeTo)));
        }

        List<String> other = subscribe(read().contextWrite(of("other")::writeTo));
        time.advanceTimeBy(Duration.ofMillis(2_100));

        assertThat(other).containsExactly("3 bytes");
        assertThat(crowd.stream().filter(List::isEmpty)).hasSizeGreaterThan(590);
    }

    @Test
    void stalledReadersOfOneIdentityLeaveConnectionsToOthers() {
        connections = 16;
        backend = backend(ResilienceSettings.DEFAULTS);
        List<ObjectContent> held = new ArrayList<>();
        List<Throwable> refused = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            read().contextWrite(of("crowd")::writeTo).subscribe(held::add, refused::add);
        }
        time.advanceTimeBy(Duration.ofSeconds(1));

        assertThat(held).as("half of three quarters").hasSize(6);
        assertThat(outcome(read().contextWrite(of("other")::writeTo), Duration.ZERO))
                .isEqualTo("3 bytes");
        assertThat(outcome(read(), Duration.ZERO)).as("the cache's own").isEqualTo("3 bytes");
        assertThat(outcome(put().contextWrite(of("other")::writeTo), Duration.ZERO))
                .isEqualTo("done");
        held.forEach(ObjectContent::discard);
        time.advanceTimeBy(Duration.ofSeconds(10));
        assertThat(backend.stats().isDown()).isFalse();
        held.forEach(ObjectContent::discard);
    }

    @Test
    void emptyBodyThatNobodyReadsHoldsNoConnection() {
        connections = 1;
        backend = backend(ResilienceSettings.DEFAULTS);
        memory.store(OBJECT, new byte[0], HeaderList.EMPTY);
        for (int i = 0; i < 5; i++) {
            List<ObjectContent> opened = new ArrayList<>();
            read().contextWrite(of("reader")::writeTo).subscribe(opened::add);
            time.advanceTimeBy(Duration.ofMillis(1));
            assertThat(opened).hasSize(1);
        }
        assertThat(backend.stats().clientStreams()).isZero();
    }

    @Test
    void forwardedHeadHoldsNoConnection() {
        Backend forwarding = new JoinedBackend(JoinedBackend.Roles.of(memory)) {
            @Override
            public Mono<StreamingForwardResponse> forwardRead(ForwardRequest request) {
                return Mono.just(
                        new StreamingForwardResponse(200, HeaderList.EMPTY, OptionalLong.of(10), Flux.never()));
            }

            @Override
            public Set<Capability> capabilities() {
                return EnumSet.of(Capability.S3_FORWARD);
            }

            @Override
            public Mono<Void> close() {
                return Mono.empty();
            }
        };
        ResilientBackend one = new ResilientBackend("aws", forwarding, ResilienceSettings.DEFAULTS, OptionalInt.of(1));
        ForwardRequest head = new ForwardRequest(
                "HEAD", BUCKET, Optional.empty(), List.of(), HeaderList.EMPTY, ByteBuffer.allocate(0));
        List<StreamingForwardResponse> responses = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            one.forwardRead(head).contextWrite(of("reader")::writeTo).subscribe(responses::add);
        }

        assertThat(responses).hasSize(3);
        assertThat(one.stats().clientStreams()).isZero();
    }

    @Test
    void probeAndRemediesAreThoseOfTheBackend() {
        BackendRemedies remedies = BackendRemedies.ofReadOnlyServer("url");
        Backend probed = new PassingBackend(memory) {
            @Override
            public Mono<String> probe(Optional<BucketName> bucket) {
                return Mono.just("left open of " + bucket);
            }

            @Override
            public BackendRemedies remedies() {
                return remedies;
            }
        };
        ResilientBackend one = new ResilientBackend("web", probed, ResilienceSettings.DEFAULTS);

        assertThat(one.probe(Optional.of(BUCKET)).block()).isEqualTo("left open of " + Optional.of(BUCKET));
        assertThat(one.remedies()).isEqualTo(remedies);
    }

    @Test
    void streamBeyondItsShareGetsSlowDownAfterAWait() {
        connections = 16;
        backend = backend(ResilienceSettings.DEFAULTS);
        for (int i = 0; i < 6; i++) {
            subscribe(backend.put(
                            new NewObject(OBJECT, HeaderList.EMPTY, WriteCondition.ALWAYS),
                            UploadBody.of(1L << 30, busy()))
                    .contextWrite(of("crowd")::writeTo));
        }
        List<Throwable> refused = new ArrayList<>();
        put().contextWrite(of("crowd")::writeTo).subscribe(done -> {}, refused::add);
        time.advanceTimeBy(Duration.ofSeconds(4));
        assertThat(refused).as("meanwhile").isEmpty();

        time.advanceTimeBy(Duration.ofSeconds(2));

        assertThat(refused).singleElement().satisfies(failure -> {
            assertThat(((BackendException) failure).kind()).isEqualTo(FailureKind.BUSY);
            assertThat(((BackendException) failure).s3Error().orElseThrow().code())
                    .isEqualTo("SlowDown");
        });
        assertThat(backend.stats().isDown()).isFalse();
    }

    @Test
    void streamsOfOneIdentityThatWaitLeaveRoomForThoseOfOthers() {
        connections = 16;
        backend = backend(ResilienceSettings.DEFAULTS);
        for (int i = 0; i < 9; i++) {
            subscribe(endlessPut().contextWrite(of(i < 6 ? "crowd" : "other")::writeTo));
        }
        int most = StreamAdmission.MAX_WAITING / 2;
        List<Disposable> crowd = new ArrayList<>();
        List<Throwable> refused = new ArrayList<>();
        for (int i = 0; i < most + 10; i++) {
            crowd.add(put().contextWrite(of("crowd")::writeTo).subscribe(done -> {}, refused::add));
        }
        assertThat(refused).as("at once").hasSize(10);

        assertThat(outcome(put().contextWrite(of("other")::writeTo), Duration.ZERO))
                .as("waits")
                .isEqualTo("none");
        crowd.forEach(Disposable::dispose);

        assertThat(outcome(put().contextWrite(of("crowd")::writeTo), Duration.ZERO))
                .as("waits")
                .isEqualTo("none");
    }

    /** The body of a client that sends as much as it can. */
    private Flux<ByteBuf> busy() {
        return Flux.interval(Duration.ofMillis(500), time)
                .map(tick -> Unpooled.buffer().writeZero(64 << 10));
    }

    private static TierRequest of(String identity) {
        return new TierRequest(GatewayHops.NONE, false, Party.ofIdentity(identity));
    }

    @Test
    void cancelledRequestGivesItsPlaceBack() {
        faulty.plan(FaultPlan.always(new StalledHead(Mono.never())));

        read().subscribe().dispose();

        assertThat(backend.stats().inFlight()).isZero();
    }

    private ResilientBackend oneAtATime() {
        return backend(new ResilienceSettings(
                Duration.ofSeconds(30), 3, 1, Optional.empty(), Optional.empty(), Optional.empty()));
    }

    private ResilientBackend hedging() {
        return backend(new ResilienceSettings(
                Duration.ofSeconds(30),
                3,
                1024,
                Optional.empty(),
                Optional.empty(),
                Optional.of(Duration.ofMillis(300))));
    }

    private ResilientBackend backend(ResilienceSettings settings) {
        BackendGuard guard =
                new BackendGuard("aws", faulty, settings, connections, () -> time.now(TimeUnit.NANOSECONDS), time);
        return new ResilientBackend(faulty, guard, settings);
    }

    private void assertDownAndAskedOnceASecond() {
        assertThat(backend.stats().isDown()).isTrue();
        long reads = faulty.calls(Operation.OPEN);
        long before = faulty.calls(Operation.BUCKET);
        for (int i = 0; i < 1000; i++) {
            outcome(read(), Duration.ofMillis(10));
        }
        assertThat(faulty.calls(Operation.BUCKET) - before).isBetween(9L, 11L);
        assertThat(faulty.calls(Operation.OPEN)).as("clients' requests").isEqualTo(reads);
    }

    private Mono<ObjectContent> read() {
        return backend.open(READ);
    }

    private Mono<String> put() {
        UploadBody body = UploadBody.of(
                1, Flux.fromIterable(List.of(1)).map(one -> Unpooled.buffer(1).writeByte(one)));
        return backend.put(new NewObject(OBJECT, HeaderList.EMPTY, WriteCondition.ALWAYS), body)
                .thenReturn("done");
    }

    /** An upload whose client sends nothing. */
    private Mono<String> endlessPut() {
        return backend.put(
                        new NewObject(OBJECT, HeaderList.EMPTY, WriteCondition.ALWAYS), UploadBody.of(1, Flux.never()))
                .thenReturn("done");
    }

    private Mono<String> copy() {
        return backend.copy(
                        new CopySource(OBJECT, Optional.empty(), ReadConditions.NONE),
                        new NewObject(
                                new ObjectRef(BUCKET, new ObjectKey("copy")), HeaderList.EMPTY, WriteCondition.ALWAYS))
                .thenReturn("done");
    }

    /** Returns the outcome that a request has within this time. */
    private String outcome(Mono<?> request, Duration within) {
        List<String> outcomes = subscribe(request);
        time.advanceTimeBy(within);
        return outcomes.isEmpty() ? "none" : outcomes.get(0);
    }

    private static List<String> subscribe(Mono<?> request) {
        List<String> outcomes = new ArrayList<>();
        request.subscribe(
                response -> outcomes.add(text(response)),
                failure -> outcomes.add(((BackendException) failure).kind().name()));
        return outcomes;
    }

    private static String text(Object response) {
        return response instanceof ObjectContent content
                ? content.body()
                                .map(UploadBodies::takeBytes)
                                .reduce(0, (sum, bytes) -> sum + bytes.length)
                                .block()
                        + " bytes"
                : String.valueOf(response);
    }
}
