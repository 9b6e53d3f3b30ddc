package io.millrace.backend.resilience;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.kit.share.Party;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.test.publisher.TestPublisher;

/** Tests who gets how many of the streams that last as long as clients like, and which of them give way. */
@ExtendWith(BufferLeakExtension.class)
class ClientStreamsTest {
    private static final Party ADA = Party.ofIdentity("ada");
    private static final Party BOB = Party.ofIdentity("bob");
    private static final int KIB = 1024;

    private final AtomicLong now = new AtomicLong();
    private final ClientStreams streams = new ClientStreams(120, now::get);

    @Test
    void identityGetsHalfAndLeavesSomethingToTheNext() {
        assertThat(enter(ADA, 200)).hasSize(60);

        assertThat(enter(BOB, 200)).hasSize(30);
        assertThat(enter(Party.ofIdentity("cid"), 1)).hasSize(1);
    }

    @Test
    void clientsWithoutIdentityGetAThirdAndANetworkAFifth() {
        assertThat(enter(guest(1), 200)).hasSize(24);

        int together = 24;
        for (int address = 2; address < 100; address++) {
            together += enter(guest(address), 10).size();
        }

        assertThat(together).isEqualTo(40);
        assertThat(enter(ADA, 1)).hasSize(1);
    }

    @Test
    void partyWithoutAnyGetsOneWhenManyHoldTheirShares() {
        for (int i = 0; i < 4; i++) {
            assertThat(enter(Party.ofIdentity("early " + i), 200)).hasSizeGreaterThan(7);
        }

        for (int i = 0; i < 7; i++) {
            assertThat(enter(Party.ofIdentity("late " + i), 200)).hasSize(1);
        }
        assertThat(streams.size()).isEqualTo(120);
    }

    @Test
    void endedStreamGivesItsPlaceBackOnce() {
        List<ClientStream> own = enter(ADA, 60);
        own.get(0).close();
        own.get(0).close();

        assertThat(enter(ADA, 60)).hasSize(1);
        assertThat(streams.size()).isEqualTo(60);
    }

    @Test
    void streamClosedBeforeItBeganIsNotCounted() {
        ClientStream given = stream(ADA);
        given.close();

        assertThat(given.enter()).isFalse();
        assertThat(streams.size()).isZero();
    }

    @Test
    void longestSilentReaderEndsForANewStreamOfItsParty() {
        List<ClientStream> own = enter(ADA, 60);
        List<Throwable> first = read(own.get(7));
        now.addAndGet(Duration.ofSeconds(1).toNanos());
        List<Throwable> later = read(own.get(8));
        assertThat(enter(ADA, 1)).as("nobody is silent for long").isEmpty();
        now.addAndGet(Duration.ofMillis(1_500).toNanos());

        assertThat(enter(ADA, 1)).hasSize(1);

        assertThat(first)
                .singleElement()
                .satisfies(failure ->
                        assertThat(((BackendException) failure).kind()).isEqualTo(BackendException.FailureKind.BUSY));
        assertThat(later).isEmpty();
        assertThat(streams.size()).isEqualTo(60);
    }

    @Test
    void readersOfOthersDoNotEndForAPartyWithItsShare() {
        List<Throwable> other = read(enter(BOB, 1).get(0));
        enter(ADA, 200);
        now.addAndGet(Duration.ofSeconds(10).toNanos());

        assertThat(enter(ADA, 1)).isEmpty();
        assertThat(other).isEmpty();
    }

    @Test
    void silentReaderEndsForAPartyWithoutAny() {
        ClientStreams one = new ClientStreams(1, now::get);
        ClientStream held = new ClientStream(ADA, List.of(one), now::get, () -> RequestRefusedException.gaveWay("aws"));
        assertThat(held.enter()).isTrue();
        List<Throwable> failures = read(held);
        ClientStream wanted =
                new ClientStream(BOB, List.of(one), now::get, () -> RequestRefusedException.gaveWay("aws"));
        assertThat(wanted.enter()).isFalse();
        now.addAndGet(Duration.ofSeconds(3).toNanos());

        assertThat(wanted.enter()).isTrue();
        assertThat(failures).hasSize(1);
    }

    @Test
    void noStreamEndsForAJob() {
        List<Throwable> failures = read(enter(ADA, 1).get(0));
        now.addAndGet(Duration.ofSeconds(3).toNanos());

        streams.makeWay(Party.GATEWAY);
        assertThat(failures).isEmpty();

        List<ClientStream> unused = enter(BOB, 1);
        streams.makeWay(BOB);
        assertThat(failures).hasSize(1);
    }

    @Test
    void streamThatOneOfItsBoundsRefusesEndsNone() {
        ClientStreams uploads = new ClientStreams(1, now::get);
        ClientStream held = stream(BOB, List.of(uploads, streams));
        assertThat(held.enter()).isTrue();
        List<Throwable> failures = read(held);
        enter(ADA, 200);
        now.addAndGet(Duration.ofSeconds(3).toNanos());

        assertThat(stream(ADA, List.of(uploads, streams)).enter()).isFalse();

        assertThat(failures).isEmpty();
        assertThat(uploads.size()).isEqualTo(1);
    }

    @Test
    void streamThatTwoBoundsHaveNoRoomForEndsOne() {
        ClientStreams all = new ClientStreams(8, now::get);
        ClientStreams uploads = new ClientStreams(6, now::get);
        List<List<Throwable>> failures = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            ClientStream held = stream(ADA, List.of(uploads, all));
            assertThat(held.enter()).isTrue();
            failures.add(read(held));
        }
        for (Party other : List.of(BOB, BOB, BOB, Party.ofIdentity("cid"))) {
            assertThat(stream(other, List.of(all)).enter()).isTrue();
        }
        now.addAndGet(Duration.ofSeconds(3).toNanos());

        assertThat(stream(ADA, List.of(uploads, all)).enter()).isTrue();

        assertThat(failures.stream().flatMap(List::stream)).hasSize(1);
        assertThat(uploads.size()).isEqualTo(3);
        assertThat(all.size()).isEqualTo(7);
    }

    @Test
    void readerThatWaitsForTheServerDoesNotGiveWay() {
        List<ClientStream> own = enter(ADA, 60);
        own.forEach(stream -> stream.taken(Flux.<ByteBuf>never()).subscribe());
        now.addAndGet(Duration.ofSeconds(60).toNanos());

        assertThat(enter(ADA, 1)).isEmpty();
    }

    @Test
    void uploadOfAByteASecondGivesWayAndOneAtWorkDoesNot() {
        List<ClientStream> own = enter(ADA, 60);
        TestPublisher<ByteBuf> slow = TestPublisher.create();
        TestPublisher<ByteBuf> quick = TestPublisher.create();
        List<Throwable> slowFailures = new ArrayList<>();
        List<Throwable> quickFailures = new ArrayList<>();
        own.get(0).sent(slow.flux()).subscribe(ByteBuf::release, slowFailures::add);
        own.get(1).sent(quick.flux()).subscribe(ByteBuf::release, quickFailures::add);
        for (int i = 0; i < 5; i++) {
            now.addAndGet(Duration.ofSeconds(1).toNanos());
            slow.next(Unpooled.buffer().writeZero(1));
            quick.next(Unpooled.buffer().writeZero(64 * KIB));
        }

        assertThat(enter(ADA, 1)).hasSize(1);
        assertThat(slowFailures).hasSize(1);
        assertThat(enter(ADA, 1)).isEmpty();
        assertThat(quickFailures).isEmpty();
        slow.assertCancelled();
    }

    @Test
    void streamEndsAfterTheBufferThatIsPassedOn() {
        ClientStream stream = enter(ADA, 1).get(0);
        TestPublisher<ByteBuf> source = TestPublisher.create();
        List<String> events = new ArrayList<>();
        stream.taken(source.flux())
                .subscribe(
                        piece -> {
                            stream.giveWay();
                            events.add("passed on");
                            piece.release();
                        },
                        failure -> events.add("ended"));

        source.next(Unpooled.buffer().writeZero(1));
        source.next(Unpooled.buffer().writeZero(1));

        assertThat(events).containsExactly("passed on", "ended");
        assertThat(streams.size()).isZero();
    }

    @Test
    void readerThatLeftWhileABufferWasPassedOnHearsNoMore() {
        ClientStream stream = enter(ADA, 1).get(0);
        TestPublisher<ByteBuf> source = TestPublisher.create();
        List<Throwable> failures = new ArrayList<>();
        BaseSubscriber<ByteBuf> reader = new BaseSubscriber<>() {
            @Override
            protected void hookOnNext(ByteBuf piece) {
                piece.release();
                cancel();
                stream.giveWay();
            }

            @Override
            protected void hookOnError(Throwable failure) {
                failures.add(failure);
            }
        };
        stream.taken(source.flux()).subscribe(reader);

        source.next(Unpooled.buffer().writeZero(1));

        assertThat(failures).isEmpty();
        source.assertCancelled();
        assertThat(streams.size()).isZero();
    }

    /** A reader that takes nothing; returns its failures. */
    private static List<Throwable> read(ClientStream stream) {
        List<Throwable> failures = new ArrayList<>();
        stream.taken(Flux.<ByteBuf>never()).subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {}

            @Override
            protected void hookOnError(Throwable failure) {
                failures.add(failure);
            }
        });
        return failures;
    }

    private List<ClientStream> enter(Party party, int times) {
        List<ClientStream> entered = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            ClientStream stream = stream(party);
            if (stream.enter()) {
                entered.add(stream);
            }
        }
        return entered;
    }

    private ClientStream stream(Party party) {
        return stream(party, List.of(streams));
    }

    private ClientStream stream(Party party, List<ClientStreams> bounds) {
        return new ClientStream(party, bounds, now::get, () -> RequestRefusedException.gaveWay("aws"));
    }

    private static Party guest(int network) {
        return Party.ofAnonymous(network);
    }
}
