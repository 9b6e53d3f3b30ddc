package io.millrace.gateway.s3.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.s3.observe.RequestRecord;
import io.millrace.gateway.s3.observe.RequestRecorder;
import io.millrace.gateway.s3.protocol.S3Response;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/**
 * Tests when a connection counts as idle, not while a client has not got all of its last response, and when it is
 * closed because its client takes nothing.
 */
class FastPathHandlerTest {
    private static final Duration STALLED = Duration.ofMinutes(4);

    private RequestService service = serviceWith(false);
    private final FastPathHandler fast = new FastPathHandler(() -> service, () -> false, STALLED);
    private final StuckSocket socket = new StuckSocket();
    private final EmbeddedChannel channel = new EmbeddedChannel(socket, fast);

    @BeforeEach
    void stopTheClock() {
        channel.freezeTime();
    }

    @Test
    void connectionIsNotIdleBeforeItsResponseIsSent() {
        receive();
        assertThat(idleNanos()).as("while it is served").isNegative();
        var unused = channel.writeAndFlush(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK));

        assertThat(idleNanos()).as("while its response waits").isNegative();
        assertThat(fast.closeIfIdle(channel)).isFalse();
        assertThat(channel.isOpen()).isTrue();

        socket.isStuck = false;
        channel.flush();
        assertThat(idleNanos()).as("once it is sent").isNotNegative();
        assertThat(fast.closeIfIdle(channel)).isTrue();
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void connectionWhoseClientTakesNothingIsClosed() {
        respond();

        assertThat(fast.unsentNanos(System.nanoTime())).as("while it waits").isNotNegative();
        for (int i = 0; i < UnsentResponses.CHECKS; i++) {
            assertThat(channel.isOpen()).as("before check %d", i).isTrue();
            advanceByACheck();
        }
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void connectionWhoseClientTakesNoneOfAStreamedBodyIsLeftToItsWriter() {
        receive();
        socket.isStuck = false;
        var unusedHead = channel.writeAndFlush(new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK));
        socket.isStuck = true;
        var unusedPiece = channel.writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(new byte[1])));

        assertThat(hasTimer()).isFalse();
        assertThat(fast.unsentNanos(System.nanoTime())).isNegative();
        assertThat(fast.closeIfUnsent(channel)).isFalse();
        channel.finishAndReleaseAll();
    }

    @Test
    void connectionWhoseClientTakesNoHeadIsClosed() {
        receive();
        var unused = channel.writeAndFlush(new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK));

        for (int i = 0; i < UnsentResponses.CHECKS; i++) {
            advanceByACheck();
        }
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void connectionWhoseClientTakesNothingFromMemoryIsClosed() {
        service = serviceWith(true);
        receive();

        assertThat(fast.hasOutstanding()).as("it was passed on").isFalse();
        assertThat(fast.unsentNanos(System.nanoTime())).isNotNegative();
        for (int i = 0; i < UnsentResponses.CHECKS; i++) {
            advanceByACheck();
        }
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void responseFromMemoryThatIsSentAtOnceStartsNoTimer() {
        service = serviceWith(true);
        socket.isStuck = false;
        receive();

        assertThat(channel.outboundMessages()).hasSize(1);
        assertThat(hasTimer()).isFalse();
        assertThat(idleNanos()).isNotNegative();
        channel.finishAndReleaseAll();
    }

    @Test
    void connectionWhoseClientTakesAResponseNowAndThenIsNotClosed() {
        respond();
        for (int i = 0; i < 3 * UnsentResponses.CHECKS; i++) {
            socket.isStuck = false;
            channel.flush();
            socket.isStuck = true;
            respond();
            advanceByACheck();
            advanceByACheck();
            assertThat(channel.isOpen()).isTrue();
        }
    }

    @Test
    void responseThatIsSentAtOnceStartsNoTimer() {
        socket.isStuck = false;
        respond();

        assertThat(hasTimer()).isFalse();
        assertThat(fast.unsentNanos(System.nanoTime())).isNegative();
        assertThat(fast.closeIfUnsent(channel)).isFalse();
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void timerEndsOnceAllIsSent() {
        respond();
        assertThat(hasTimer()).isTrue();
        socket.isStuck = false;
        channel.flush();
        advanceByACheck();

        assertThat(hasTimer()).isFalse();
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void timerEndsWithItsConnection() {
        respond();
        var unused = channel.pipeline().close();
        channel.runPendingTasks();

        assertThat(channel.isOpen()).isFalse();
        assertThat(hasTimer()).isFalse();
    }

    private void receive() {
        channel.writeInbound(
                new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/bucket/key"),
                LastHttpContent.EMPTY_LAST_CONTENT);
    }

    private void respond() {
        receive();
        var unused = channel.writeAndFlush(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK));
    }

    private void advanceByACheck() {
        channel.advanceTimeBy(STALLED.toNanos() / UnsentResponses.CHECKS, TimeUnit.NANOSECONDS);
        channel.runScheduledPendingTasks();
    }

    private boolean hasTimer() {
        return channel.runScheduledPendingTasks() >= 0;
    }

    private long idleNanos() {
        return fast.idleNanos(System.nanoTime());
    }

    private static RequestService serviceWith(boolean inMemory) {
        return new RequestService(new EmptyResponder(inMemory), new NoRecorder());
    }

    /** Has every response in memory, or none. */
    private record EmptyResponder(boolean inMemory) implements Responder {
        private static final S3Response EMPTY = S3Response.empty(200, HeaderList.EMPTY);

        @Override
        public boolean isGated() {
            return true;
        }

        @Override
        public Mono<S3Response> respond(ReceivedRequest received, RequestObservation observation) {
            return Mono.just(EMPTY);
        }

        @Override
        public S3Response failed(ReceivedRequest received, RequestObservation observation, Throwable failure) {
            return EMPTY;
        }

        @Override
        public RequestService.@Nullable FastPathResponse respondFromMemory(
                FastPathRequest received, RequestRecorder recorder) {
            return inMemory
                    ? new RequestService.FastPathResponse(
                            EMPTY, () -> new RequestObservation(received, recorder, true, System.nanoTime()))
                    : null;
        }
    }

    /** Records nothing. */
    private static final class NoRecorder implements RequestRecorder {
        @Override
        public void started() {}

        @Override
        public void ended(RequestRecord request) {}
    }

    /** A socket whose client takes nothing. */
    private static final class StuckSocket extends ChannelOutboundHandlerAdapter {
        private boolean isStuck = true;

        @Override
        public void flush(ChannelHandlerContext context) {
            if (!isStuck) {
                context.flush();
            }
        }
    }
}
