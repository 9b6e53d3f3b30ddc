package io.millrace.gateway.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.objects.bucket.Coherence;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** What one member asks the others for, and which of their responses count. */
class PeerLeasesTest {
    private static final LeaseTerms TERMS = new LeaseTerms(Duration.ofSeconds(3));
    private static final SessionId SESSION = new SessionId(7, 1);

    private final ManualTime time = new ManualTime();
    private final RecordingCache cache = new RecordingCache();
    private final List<HeldRequest> asked = new ArrayList<>();

    /** A request that the test responds to. */
    private record HeldRequest(String member, LeaseRequest request, Sinks.One<LeaseResponse> response) {}

    /** Until the new one has confirmed this member it is not ready: not for a whole period. */
    @Test
    void addedMemberIsAskedAtOnce() {
        PeerLeases leases = leases("old");
        leases.start().block();
        respond(0, new LeaseResponse.NewSession(SESSION, Map.of()));
        assertThat(leases.isReady()).isTrue();
        asked.clear();

        leases.reload(List.of("old", "new")).block();

        assertThat(asked).extracting(HeldRequest::member).containsExactly("new");
        assertThat(leases.isReady()).isFalse();
        respond(0, new LeaseResponse.NewSession(SESSION, Map.of()));
        assertThat(leases.isReady()).isTrue();
    }

    /** The next request is sent after a quarter of the lease; what is granted counts from its own request. */
    @Test
    void responseThatIsSlowerThanThePeriodCounts() {
        PeerLeases leases = leases("other");
        leases.start().block();
        time.advance(Duration.ofSeconds(1));
        respond(0, new LeaseResponse.NewSession(SESSION, Map.of()));
        int following = asked.size() - 1;
        assertThat(asked.get(following).request().session()).contains(SESSION);

        time.advance(Duration.ofSeconds(1));
        assertThat(asked).hasSizeGreaterThan(following + 1);
        respond(following, new LeaseResponse.Renewal(SESSION, 0, Map.of(), true));

        assertThat(leases.isHeld()).isTrue();
        time.advance(Duration.ofMillis(1999));
        assertThat(leases.isHeld()).isTrue();
        time.advance(Duration.ofMillis(1));
        assertThat(leases.isHeld()).isFalse();
    }

    @Test
    void responseToAnEarlierRequestThanTheLastOneFollowedDoesNotCount() {
        PeerLeases leases = leases("other");
        leases.start().block();
        time.advance(TERMS.period());
        respond(1, new LeaseResponse.NewSession(SESSION, Map.of()));
        assertThat(leases.isReady()).isTrue();

        respond(0, new LeaseResponse.NotListed());

        assertThat(leases.isReady()).isTrue();
    }

    @Test
    void leaseThatRunsOutCountsOnceAsLost() {
        PeerLeases leases = leases("other");
        leases.start().block();
        respond(0, new LeaseResponse.NewSession(SESSION, Map.of()));
        respond(asked.size() - 1, new LeaseResponse.Renewal(SESSION, 0, Map.of(), true));
        time.advance(TERMS.period());
        assertThat(leases.lost()).isZero();

        time.advance(TERMS.lease().multipliedBy(3));
        assertThat(leases.lost()).isEqualTo(1);

        respond(asked.size() - 1, new LeaseResponse.Renewal(SESSION, 0, Map.of(), true));
        assertThat(leases.isHeld()).isTrue();
        // Its next lease begins before the end of this one.
        time.advance(TERMS.lease().minusNanos(1));
        respond(asked.size() - 1, new LeaseResponse.Renewal(SESSION, 0, Map.of(), true));
        time.advance(TERMS.period());
        assertThat(leases.lost()).isEqualTo(1);
        assertThat(leases.isHeld()).isTrue();
    }

    /** Also if no request was due since. */
    @Test
    void leaseThatIsRenewedTooLateCountsAsLost() {
        PeerLeases leases = leases("other");
        leases.start().block();
        time.advance(Duration.ofMillis(100));
        respond(0, new LeaseResponse.NewSession(SESSION, Map.of()));
        respond(asked.size() - 1, new LeaseResponse.Renewal(SESSION, 0, Map.of(), true));

        time.advance(TERMS.lease());
        assertThat(leases.isHeld()).isFalse();
        respond(asked.size() - 1, new LeaseResponse.Renewal(SESSION, 0, Map.of(), true));

        assertThat(leases.lost()).isEqualTo(1);
        assertThat(leases.isHeld()).isTrue();
    }

    @Test
    void leaseThatRanOutBeforeANewSessionCountsAsLost() {
        PeerLeases leases = leases("other");
        leases.start().block();
        time.advance(Duration.ofMillis(100));
        respond(0, new LeaseResponse.NewSession(SESSION, Map.of()));
        respond(asked.size() - 1, new LeaseResponse.Renewal(SESSION, 0, Map.of(), true));
        time.advance(TERMS.lease().minusNanos(1));
        respond(asked.size() - 1, new LeaseResponse.NewSession(new SessionId(8, 1), Map.of()));
        assertThat(leases.lost()).as("it was given up").isZero();

        respond(asked.size() - 1, new LeaseResponse.Renewal(new SessionId(8, 1), 0, Map.of(), true));
        time.advance(TERMS.lease());
        respond(asked.size() - 1, new LeaseResponse.NewSession(new SessionId(9, 1), Map.of()));

        assertThat(leases.lost()).isEqualTo(1);
    }

    /** It is about to say goodbye; a lease that is still on its way comes too late. */
    @Test
    void memberThatStopsGivesUpItsLeases() {
        PeerLeases leases = leases("other");
        leases.start().block();
        respond(0, new LeaseResponse.NewSession(SESSION, Map.of()));
        respond(asked.size() - 1, new LeaseResponse.Renewal(SESSION, 0, Map.of(), true));
        time.advance(TERMS.period());
        assertThat(leases.isHeld()).isTrue();

        leases.close();
        assertThat(leases.isHeld()).isFalse();
        respond(asked.size() - 1, new LeaseResponse.Renewal(SESSION, 0, Map.of(), true));

        assertThat(leases.isHeld()).isFalse();
    }

    /** Not when it is sent again: that would take half a second. */
    @Test
    void announcementThatWaitsForTheCacheIsAcknowledgedWhenThatHasApplied() {
        PeerLeases leases = leases("other");
        leases.start().block();
        respond(0, new LeaseResponse.NewSession(SESSION, Map.of()));
        Sinks.Empty<Void> room = Sinks.empty();
        cache.disk = room.asMono();
        Announcement change = change("bucket");
        AnnouncementBatch batch = new AnnouncementBatch("other", SESSION, 1, List.of(change));

        CompletableFuture<Void> acknowledged = leases.receive(batch).toFuture();
        assertThat(acknowledged).isNotDone();
        assertThat(leases.receive(batch).toFuture()).isCompletedExceptionally();
        room.tryEmitEmpty();

        assertThat(acknowledged).isCompleted();
        assertThat(cache.applied).containsExactly(change);
    }

    /** A batch whose end finds no room would otherwise fill the queue with its beginning each time it comes again. */
    @Test
    void repeatedBatchGoesOnWhereItFailed() {
        PeerLeases leases = leases("other");
        leases.start().block();
        respond(0, new LeaseResponse.NewSession(SESSION, Map.of()));
        List<Announcement> changes = List.of(change("first"), change("second"));
        AnnouncementBatch batch = new AnnouncementBatch("other", SESSION, 1, changes);
        cache.disk =
                Mono.defer(() -> cache.applied.isEmpty() ? Mono.<Void>empty() : Mono.error(new IOException("no room")));
        assertThat(leases.receive(batch).toFuture()).isCompletedExceptionally();
        assertThat(cache.applied).containsExactly(changes.get(0));

        cache.disk = Mono.empty();
        leases.receive(batch).block();

        assertThat(cache.applied).containsExactlyElementsOf(changes);
    }

    private static Announcement change(String bucket) {
        return new Announcement.BucketChanged(new BackendBucket("backend", bucket));
    }

    private PeerLeases leases(String... others) {
        return new PeerLeases(
                "self",
                1,
                List.of(others),
                TERMS,
                any -> Coherence.STRONG,
                new HeldNet(),
                time,
                cache,
                new MemoryValue<>(KnownMembers.EMPTY));
    }

    private void respond(int index, LeaseResponse response) {
        asked.get(index).response().tryEmitValue(response);
    }

    /** A net on which members respond when the test says so. */
    private final class HeldNet implements PeerNet {
        @Override
        public Mono<LeaseResponse> request(String member, LeaseRequest request) {
            Sinks.One<LeaseResponse> response = Sinks.one();
            asked.add(new HeldRequest(member, request, response));
            return response.asMono();
        }

        @Override
        public Mono<Void> announce(String member, AnnouncementBatch batch) {
            return Mono.never();
        }

        @Override
        public Mono<Void> leave(String member, Goodbye goodbye) {
            return Mono.never();
        }
    }
}
