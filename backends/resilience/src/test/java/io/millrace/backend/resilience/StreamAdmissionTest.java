package io.millrace.backend.resilience;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.GatewayHops;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.RequestForwarder.StreamingForwardResponse;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.kit.share.Party;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.publisher.TestPublisher;
import reactor.test.scheduler.VirtualTimeScheduler;

/** Tests what becomes of reads whose clients have left, or have too many. */
class StreamAdmissionTest {
    private static final TierRequest ADA = new TierRequest(GatewayHops.NONE, false, Party.ofIdentity("ada"));

    private static final ObjectHead HEAD = new ObjectHead(
            ObjectVersion.ofETag(Optional.empty(), 10, Optional.empty()),
            Optional.empty(),
            Optional.empty(),
            HeaderList.EMPTY);

    private final VirtualTimeScheduler time = VirtualTimeScheduler.create();

    /** Of a backend with one connection. */
    private final BackendGuard guard = new BackendGuard(
            "aws", new InMemoryBackend(), ResilienceSettings.DEFAULTS, 1, () -> time.now(TimeUnit.NANOSECONDS), time);

    private final AtomicInteger discarded = new AtomicInteger();

    @Test
    void responseThatComesAfterItsClientLeftIsDiscarded() {
        TestPublisher<ObjectContent> late =
                TestPublisher.createNoncompliant(TestPublisher.Violation.DEFER_CANCELLATION);
        leave(guard.streams().read(late.mono()));

        late.next(content());

        late.assertCancelled();
        assertThat(discarded).hasValue(1);
        assertThat(guard.stats().clientStreams()).isZero();
    }

    @Test
    void forwardedResponseThatComesAfterItsClientLeftIsDiscarded() {
        TestPublisher<StreamingForwardResponse> late =
                TestPublisher.createNoncompliant(TestPublisher.Violation.DEFER_CANCELLATION);
        leave(guard.streams().forwardRead(late.mono()));

        late.next(new StreamingForwardResponse(200, HeaderList.EMPTY, OptionalLong.of(10), body()));

        late.assertCancelled();
        assertThat(discarded).hasValue(1);
        assertThat(guard.stats().clientStreams()).isZero();
    }

    /** While it waited it would hold the connection that it is refused for. */
    @Test
    void readThatOnlyItsResponseShowsToBypassTheCacheIsRefusedAtOnce() {
        List<ObjectContent> held = new ArrayList<>();
        guard.streams().read(Mono.just(content())).contextWrite(ADA::writeTo).subscribe(held::add);
        List<BackendException> failures = new ArrayList<>();

        guard.streams()
                .read(Mono.just(content()))
                .contextWrite(ADA.ofCache()::writeTo)
                .flatMapMany(ObjectContent::body)
                .contextWrite(ADA::writeTo)
                .subscribe(ByteBuf::release, failure -> failures.add((BackendException) failure));

        assertThat(held).hasSize(1);
        assertThat(failures)
                .singleElement()
                .satisfies(failure -> assertThat(failure.kind()).isEqualTo(FailureKind.BUSY));
        assertThat(discarded).hasValue(1);
    }

    /** Begins a read as its client, and leaves. */
    private static void leave(Mono<?> read) {
        read.contextWrite(ResilientBackend.LATE)
                .contextWrite(ADA::writeTo)
                .subscribe()
                .dispose();
    }

    private ObjectContent content() {
        return new ObjectContent(HEAD, Optional.empty(), body());
    }

    private Flux<ByteBuf> body() {
        return Flux.<ByteBuf>never().doOnCancel(discarded::incrementAndGet);
    }
}
