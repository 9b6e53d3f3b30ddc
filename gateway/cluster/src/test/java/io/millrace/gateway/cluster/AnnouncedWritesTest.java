package io.millrace.gateway.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.gateway.cluster.AlteredRules.Lack;
import io.millrace.gateway.cluster.LeaseResponse.NewSession;
import io.millrace.gateway.objects.bucket.Coherence;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** What one member grants and records, message by message, where the simulation's random faults seldom come. */
class AnnouncedWritesTest {
    private static final BackendBucket BUCKET = new BackendBucket("backend", "bucket");
    private static final LeaseTerms TERMS = new LeaseTerms(Duration.ofSeconds(3));

    private final List<AnnouncementBatch> sent = new ArrayList<>();
    private final List<Sinks.Empty<Void>> acknowledgements = new ArrayList<>();
    private long now;
    private Coherence coherence = Coherence.ANNOUNCED;

    @Test
    void nextProcessGetsASessionOfItsOwn() {
        assertThat(isSessionOfNextProcessAnother(Lack.NONE)).isTrue();
        assertThat(isSessionOfNextProcessAnother(Lack.SESSIONS_OF_ONE_PROCESS)).isFalse();
    }

    private boolean isSessionOfNextProcessAnother(Lack lack) {
        AnnouncedWrites writes = writes(lack, MissedRecords.EMPTY);
        NewSession first = session(writes.respond(request(1, Optional.empty(), Map.of())));
        writes.written(List.of(id("a")), true).subscribe();
        NewSession second = session(writes.respond(request(2, Optional.empty(), Map.of())));
        if (second.session().equals(first.session())) {
            return false;
        }
        assertThat(second.missed()).containsKey(BUCKET);
        return true;
    }

    @Test
    void laterMissStaysWhenAnEarlierOneIsInvalidated() {
        assertThat(isLaterMissKept(Lack.NONE)).isTrue();
        assertThat(isLaterMissKept(Lack.NUMBERS_OF_MISSED_BUCKETS)).isFalse();
    }

    private boolean isLaterMissKept(Lack lack) {
        AnnouncedWrites writes = writes(lack, new MissedRecords(Map.of("other", Map.of(BUCKET, 7L)), Set.of()));
        SessionId session = begun(writes);
        // Its request was sent before it missed this one.
        writes.written(List.of(id("a")), true).subscribe();

        LeaseResponse response = writes.respond(request(1, Optional.of(session), Map.of(BUCKET, 7L)))
                .orElseThrow();

        return ((LeaseResponse.Renewal) response).missed().containsKey(BUCKET);
    }

    @Test
    void memberWithoutARecordHasMissedEverything() {
        AnnouncedWrites writes = writes(Lack.NONE, MissedRecords.EMPTY);

        assertThat(session(writes.respond(request(1, Optional.empty(), Map.of())))
                        .missed())
                .containsOnlyKeys(BackendBucket.EVERY);
        assertThat(writes.respond(new LeaseRequest("stranger", 1, TERMS.lease(), Optional.empty(), 0, Map.of())))
                .containsInstanceOf(LeaseResponse.NotListed.class);
    }

    @Test
    void announcementsForAMemberThatIsAwayAreNotKept() {
        AnnouncedWrites writes = writes(Lack.NONE, MissedRecords.EMPTY);
        SessionId session = begun(writes);
        writes.respond(request(1, Optional.of(session), Map.of()));
        CompletableFuture<Void> waiting = writes.written(List.of(id("a")), true).toFuture();
        assertThat(waiting).isNotDone();
        now += Duration.ofSeconds(5).toNanos();

        assertThat(writes.written(List.of(id("b")), true).toFuture()).isCompleted();

        NewSession next = session(writes.respond(request(1, Optional.of(session), Map.of())));
        assertThat(next.session()).isNotEqualTo(session);
        assertThat(next.missed()).containsKey(BUCKET);
    }

    /** Its confirmation would be taken back with the goodbye, and the next process would wait for it. */
    @Test
    void memberThatHoldsNoLeaseGetsNoGoodbye() {
        AnnouncedWrites writes = writes(Lack.NONE, new MissedRecords(Map.of("other", Map.of()), Set.of()));
        SessionId session = begun(writes);
        writes.respond(request(1, Optional.of(session), Map.of()));

        now += TERMS.expiry().toNanos() - 1;
        assertThat(writes.goodbyes()).containsOnlyKeys("other");
        now++;

        assertThat(writes.goodbyes()).isEmpty();
    }

    @Test
    void goodbyeEndsTheLeaseOfItsProcess() {
        assertThat(isGoodbyeOfAnyProcessEnough(Lack.NONE)).isFalse();
        assertThat(isGoodbyeOfAnyProcessEnough(Lack.PROCESSES_OF_GOODBYES)).isTrue();
    }

    private boolean isGoodbyeOfAnyProcessEnough(Lack lack) {
        coherence = Coherence.STRONG;
        AnnouncedWrites writes = writes(lack, MissedRecords.EMPTY);
        SessionId session =
                session(writes.respond(request(2, Optional.empty(), Map.of()))).session();
        writes.respond(request(2, Optional.of(session), Map.of(BackendBucket.EVERY, 1L)));
        CompletableFuture<Void> write = writes.written(List.of(id("a")), true).toFuture();
        assertThat(write).isNotDone();

        // Of the process before, and late.
        writes.departed(new Goodbye("other", new SessionId(1, 1), 0));
        if (write.isDone()) {
            return true;
        }
        writes.departed(new Goodbye("other", new SessionId(2, 1), 0));
        assertThat(write).isCompleted();
        // Again, when the next process has its session.
        SessionId next =
                session(writes.respond(request(3, Optional.empty(), Map.of()))).session();
        writes.departed(new Goodbye("other", new SessionId(2, 1), 0));
        LeaseResponse response =
                writes.respond(request(3, Optional.of(next), Map.of())).orElseThrow();
        assertThat(((LeaseResponse.Renewal) response).missed()).containsOnlyKeys(BUCKET);
        return false;
    }

    @Test
    void memberThatIsAlwaysLateIsNotWaitedForUntilItIsInTime() {
        ManualTime time = new ManualTime();
        AnnouncedWrites writes = writes(time);
        SessionId session = confirmed(writes);
        for (int i = 0; i < 4; i++) {
            CompletableFuture<Void> write =
                    writes.written(List.of(id("a")), true).toFuture();
            time.advance(Duration.ofMillis(900));
            assertThat(write).isNotDone();
            acknowledge();
            assertThat(write).isCompleted();
        }

        assertThat(writes.written(List.of(id("b")), true).toFuture()).isCompleted();
        LeaseResponse.Renewal renewal = (LeaseResponse.Renewal)
                writes.respond(request(1, Optional.of(session), Map.of())).orElseThrow();
        assertThat(renewal.granted()).isFalse();
        assertThat(renewal.missed()).containsOnlyKeys(BUCKET);

        acknowledge();
        assertThat(writes.written(List.of(id("c")), true).toFuture()).isNotDone();
    }

    /** A member that few write beside would otherwise be paused for a minute at each of them, and revalidate. */
    @Test
    void lateAcknowledgementsWithTimeBetweenThemDoNotAddUp() {
        ManualTime time = new ManualTime();
        AnnouncedWrites writes = writes(time);
        SessionId session = confirmed(writes);
        for (int i = 0; i < 10; i++) {
            CompletableFuture<Void> write =
                    writes.written(List.of(id("a")), true).toFuture();
            time.advance(Duration.ofMillis(900));
            acknowledge();
            assertThat(write).isCompleted();
            LeaseResponse.Renewal renewal = (LeaseResponse.Renewal)
                    writes.respond(request(1, Optional.of(session), Map.of())).orElseThrow();
            assertThat(renewal.granted()).isTrue();
            assertThat(renewal.missed()).isEmpty();
            time.advance(Duration.ofSeconds(4));
        }
    }

    /** A timer for each batch would wake a thread for each write, half a second after it is over. */
    @Test
    void batchesOfAMemberShareOneTimer() {
        ManualTime time = new ManualTime();
        AnnouncedWrites writes = writes(time);
        confirmed(writes);
        writes.written(List.of(id("a")), true).subscribe();
        acknowledge();
        int timers = time.waiting();

        for (int i = 0; i < 100; i++) {
            CompletableFuture<Void> write =
                    writes.written(List.of(id("a")), true).toFuture();
            assertThat(write).isNotDone();
            acknowledge();
            assertThat(write).isCompleted();
        }

        assertThat(sent).hasSize(101);
        assertThat(timers).isPositive();
        assertThat(time.waiting()).isEqualTo(timers);
        time.advance(Duration.ofSeconds(1));
        assertThat(sent).hasSize(101);
        assertThat(time.waiting()).isZero();
    }

    @Test
    void lostBatchIsSentAgainHalfASecondAfterItself() {
        ManualTime time = new ManualTime();
        AnnouncedWrites writes = writes(time);
        confirmed(writes);
        writes.written(List.of(id("a")), true).subscribe();
        acknowledge();
        // The timer of the first one is due before the second one is late.
        time.advance(Duration.ofMillis(300));
        CompletableFuture<Void> lost = writes.written(List.of(id("b")), true).toFuture();

        time.advance(Duration.ofMillis(499));
        assertThat(sent).hasSize(2);
        time.advance(Duration.ofMillis(1));

        assertThat(sent).hasSize(3);
        assertThat(sent.get(2)).isEqualTo(sent.get(1));
        acknowledge();
        assertThat(lost).isCompleted();
        time.advance(Duration.ofSeconds(2));
        assertThat(sent).hasSize(3);
    }

    /** What waits for nobody else is over then, and what the member acknowledges late is of no concern. */
    @Test
    void memberThatIsTakenOffIsSentNothingMore() {
        ManualTime time = new ManualTime();
        AnnouncedWrites writes = writes(time);
        confirmed(writes);
        CompletableFuture<Void> write = writes.written(List.of(id("a")), true).toFuture();
        assertThat(write).isNotDone();

        writes.reload(List.of()).block();

        assertThat(write).isCompleted();
        acknowledge();
        time.advance(Duration.ofSeconds(2));
        assertThat(sent).hasSize(1);
        assertThat(writes.written(List.of(id("b")), true).toFuture()).isCompleted();
    }

    private void acknowledge() {
        acknowledgements.get(acknowledgements.size() - 1).tryEmitEmpty();
    }

    @Test
    void writeThatWaitsForTheTimeLimitCounts() {
        ManualTime time = new ManualTime();
        AnnouncedWrites writes = writes(time);
        assertThat(writes.written(List.of(id("nobody listens")), true).toFuture())
                .isCompleted();
        SessionId session = begun(writes);
        writes.respond(request(1, Optional.of(session), Map.of()));
        CompletableFuture<Void> heard = writes.written(List.of(id("a")), true).toFuture();
        acknowledgements.get(0).tryEmitEmpty();
        assertThat(heard).isCompleted();
        assertThat(writes.waited()).isZero();

        CompletableFuture<Void> unheard = writes.written(List.of(id("b")), true).toFuture();
        time.advance(ReplicationRules.LONGEST_WAIT.plusMillis(100));

        assertThat(unheard).isCompleted();
        assertThat(writes.waited()).isEqualTo(1);
    }

    @Test
    void writesInOtherBucketsAreNotAnnounced() {
        coherence = Coherence.NONE;
        AnnouncedWrites writes = writes(Lack.NONE, MissedRecords.EMPTY);
        session(writes.respond(request(1, Optional.empty(), Map.of())));

        assertThat(writes.written(List.of(id("a")), true).toFuture()).isCompleted();
        assertThat(sent).isEmpty();
    }

    @Test
    void manyDeletionsAreSeveralAnnouncementsInOneBatchAtATime() {
        coherence = Coherence.STRONG;
        AnnouncedWrites writes = writes(Lack.NONE, MissedRecords.EMPTY);
        session(writes.respond(request(1, Optional.empty(), Map.of())));
        List<ObjectId> ids =
                IntStream.range(0, 1000).mapToObj(i -> id("k".repeat(1000) + i)).toList();

        CompletableFuture<Void> done = writes.written(ids, true).toFuture();
        List<ObjectId> announced = new ArrayList<>();
        for (int i = 0; i < sent.size(); i++) {
            assertThat(done).isNotDone();
            assertThat(sent).hasSize(i + 1);
            sent.get(i).announcements().forEach(part -> announced.addAll(((Announcement.Written) part).ids()));
            acknowledgements.get(i).tryEmitEmpty();
        }

        assertThat(done).isCompleted();
        assertThat(sent).hasSizeGreaterThan(4);
        assertThat(announced).isEqualTo(ids);
    }

    @Test
    void memberThatLetsTooMuchWaitHasMissedIt() {
        AnnouncedWrites writes = writes(Lack.NONE, MissedRecords.EMPTY);
        SessionId session = confirmed(writes);
        List<ObjectId> ids =
                IntStream.range(0, 1000).mapToObj(i -> id("k".repeat(1000) + i)).toList();

        for (int i = 0; i < PeerOutbox.MOST_CHARACTERS / 1_000_000 + 2; i++) {
            writes.written(ids, true).subscribe();
        }

        assertThat(writes.status("other").orElseThrow().unacknowledged()).isZero();
        NewSession next = session(writes.respond(request(1, Optional.of(session), Map.of())));
        assertThat(next.session()).isNotEqualTo(session);
        assertThat(next.missed()).containsOnlyKeys(BUCKET);
    }

    @Test
    void memberThatMissedTooManyBucketsHasMissedEverything() {
        coherence = Coherence.STRONG;
        AnnouncedWrites writes = writes(Lack.NONE, new MissedRecords(Map.of("other", Map.of()), Set.of()));
        for (int i = 0; i < MissedBuckets.MOST; i++) {
            writes.invalidated(below(i)).subscribe();
        }
        NewSession first = session(writes.respond(request(1, Optional.empty(), Map.of())));
        assertThat(first.missed()).hasSize(MissedBuckets.MOST).doesNotContainKey(BackendBucket.EVERY);

        writes = writes(Lack.NONE, new MissedRecords(Map.of("other", first.missed()), Set.of()));
        writes.invalidated(below(MissedBuckets.MOST)).subscribe();

        assertThat(session(writes.respond(request(1, Optional.empty(), Map.of())))
                        .missed())
                .containsOnlyKeys(BackendBucket.EVERY);
    }

    @Test
    void firstWriteOfABucketFailsWhileTheDiskHangs() {
        ManualTime time = new ManualTime();
        Sinks.Empty<Void> disk = Sinks.empty();
        AnnouncedWrites writes = writes(Lack.NONE, time, new HangingValue(disk));
        BucketName bucket = new BucketName("bucket");

        CompletableFuture<Void> first = writes.beginning("backend", bucket).toFuture();
        time.advance(MissedBuckets.LONGEST_RECORD.minusNanos(1));
        assertThat(first).isNotDone();
        time.advance(Duration.ofNanos(1));

        assertThat(first).failsWithin(Duration.ZERO).withThrowableThat().withCauseInstanceOf(IOException.class);
        CompletableFuture<Void> next = writes.beginning("backend", bucket).toFuture();
        disk.tryEmitEmpty();
        assertThat(next).isCompleted();
    }

    /** They may hold a lease of the process before, which was killed. */
    @Test
    void firstWritesWaitForTheLongerLeasesOfTheLastProcess() {
        coherence = Coherence.STRONG;
        ManualTime time = new ManualTime();
        LeaseTerms shorter = new LeaseTerms(TERMS.lease(), TERMS.lease().multipliedBy(3));
        AnnouncedWrites writes = writes(Lack.NONE, shorter, time, new MemoryValue<>(MissedRecords.EMPTY));

        CompletableFuture<Void> write = writes.written(List.of(id("a")), true).toFuture();
        time.advance(shorter.expiryAtStart().minusNanos(1));
        assertThat(write).isNotDone();
        time.advance(Duration.ofSeconds(1));

        assertThat(write).isCompleted();
        assertThat(writes.written(List.of(id("a")), true).toFuture()).isCompleted();
    }

    /** A client may ask for buckets without end that do not exist. */
    @Test
    void processThatWroteInTooManyBucketsCountsAsOneThatWroteInAll() {
        coherence = Coherence.STRONG;
        MemoryValue<MissedRecords> store = new MemoryValue<>(MissedRecords.EMPTY);
        AnnouncedWrites writes = writes(Lack.NONE, store);
        for (int i = 0; i < 2 * MissedBuckets.MOST; i++) {
            writes.beginning("backend", new BucketName("bucket-" + i)).block();
        }
        assertThat(store.read().begun()).hasSize(MissedBuckets.MOST + 1).contains(BackendBucket.EVERY);

        AnnouncedWrites next = writes(
                Lack.NONE,
                new MissedRecords(Map.of("other", Map.of()), store.read().begun()));

        assertThat(session(next.respond(request(1, Optional.empty(), Map.of()))).missed())
                .containsOnlyKeys(BackendBucket.EVERY);
    }

    private static ObjectPrefix below(int bucket) {
        return new ObjectPrefix("backend", new BucketName("bucket-" + bucket), "");
    }

    /** Begins a session of the other member's first process. */
    private static SessionId begun(AnnouncedWrites writes) {
        return session(writes.respond(request(1, Optional.empty(), Map.of()))).session();
    }

    /** Begins a session whose member has invalidated what it missed, and holds a lease. */
    private static SessionId confirmed(AnnouncedWrites writes) {
        SessionId session = begun(writes);
        writes.respond(request(1, Optional.of(session), Map.of(BackendBucket.EVERY, 1L)));
        return session;
    }

    private AnnouncedWrites writes(ManualTime time) {
        return writes(Lack.NONE, time, new MemoryValue<>(MissedRecords.EMPTY));
    }

    private AnnouncedWrites writes(Lack lack, MissedRecords records) {
        return writes(lack, new MemoryValue<>(records));
    }

    private AnnouncedWrites writes(Lack lack, DurableValue<MissedRecords> store) {
        return writes(lack, new ManualClock(), store);
    }

    private AnnouncedWrites writes(Lack lack, PeerClock clock, DurableValue<MissedRecords> store) {
        return writes(lack, TERMS, clock, store);
    }

    private AnnouncedWrites writes(Lack lack, LeaseTerms terms, PeerClock clock, DurableValue<MissedRecords> store) {
        return new AlteredRules(lack, terms, Duration.ofMinutes(5))
                .writes(
                        "self",
                        99,
                        List.of("other"),
                        bucket -> coherence,
                        () -> true,
                        new RecordingNet(),
                        clock,
                        store);
    }

    private static LeaseRequest request(
            long process, Optional<SessionId> session, Map<BackendBucket, Long> invalidated) {
        return new LeaseRequest("other", process, TERMS.lease(), session, 0, invalidated);
    }

    private static NewSession session(Optional<LeaseResponse> response) {
        return (NewSession) response.orElseThrow();
    }

    private static ObjectId id(String key) {
        return ObjectId.current("backend", new ObjectRef(new BucketName("bucket"), new ObjectKey(key)));
    }

    /** A net on which announcements are acknowledged when the test says so. */
    private final class RecordingNet implements PeerNet {
        @Override
        public Mono<LeaseResponse> request(String member, LeaseRequest request) {
            return Mono.never();
        }

        @Override
        public Mono<Void> announce(String member, AnnouncementBatch batch) {
            Sinks.Empty<Void> acknowledgement = Sinks.empty();
            sent.add(batch);
            acknowledgements.add(acknowledgement);
            return acknowledgement.asMono();
        }

        @Override
        public Mono<Void> leave(String member, Goodbye goodbye) {
            return Mono.never();
        }
    }

    /** A value whose writes end when the disk does what it should. */
    private record HangingValue(Sinks.Empty<Void> disk) implements DurableValue<MissedRecords> {
        @Override
        public MissedRecords read() {
            return MissedRecords.EMPTY;
        }

        @Override
        public Mono<Void> write(MissedRecords value) {
            return disk.asMono();
        }
    }

    /** A clock that stands, and whose tasks are never due. */
    private final class ManualClock implements PeerClock {
        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public void schedule(Duration delay, Runnable task) {}
    }
}
