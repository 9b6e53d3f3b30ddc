package io.millrace.gateway.s3.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpContent;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.test.publisher.TestPublisher;

/**
 * Verifies the memory that slow readers hold. A piece of a fill holds the whole page it was cut from, so it is counted
 * in pages.
 */
class ResponseBodyWriterTest {
    private static final int PAGE = 64 * 1024;
    private static final int PAGES = 40;

    private final Queue<Held> unsent = new ArrayDeque<>();
    private final EmbeddedChannel channel = new EmbeddedChannel(new SlowSocket());

    private record Held(HttpContent piece, ChannelPromise promise) {}

    /** Takes a piece on demand. */
    private final class SlowSocket extends ChannelOutboundHandlerAdapter {
        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            unsent.add(new Held((HttpContent) message, promise));
        }
    }

    @Test
    void slowReaderHoldsTwoPagesAtMost() {
        List<Integer> held = new ArrayList<>();
        for (int seed = 0; seed < 50; seed++) {
            List<ByteBuf> pages = new ArrayList<>();
            List<ByteBuf> pieces = pieces(new Random(seed), pages);
            long length = pieces.stream().mapToLong(ByteBuf::readableBytes).sum();
            Disposable response = ResponseBodyWriter.write(
                            channel,
                            length,
                            Flux.fromIterable(pieces),
                            Duration.ofMinutes(5),
                            new ReceivedRequest.Progress())
                    .subscribe();

            while (!unsent.isEmpty()) {
                held.add(pagesHeld());
                takeOne();
            }

            assertThat(response.isDisposed()).as("sent to its end, %d", seed).isTrue();
            pages.forEach(ByteBuf::release);
            assertThat(pages).allMatch(page -> page.refCnt() == 0);
        }
        assertThat(held).isNotEmpty().allMatch(pages -> pages <= 2);
    }

    @Test
    void pieceThatComesAfterTheEndIsReleased() {
        TestPublisher<ByteBuf> body = TestPublisher.createNoncompliant(TestPublisher.Violation.DEFER_CANCELLATION);
        ByteBuf late = Unpooled.wrappedBuffer(new byte[PAGE]);
        Disposable response = ResponseBodyWriter.write(
                        channel, 2 * PAGE, body.flux(), Duration.ofMinutes(5), new ReceivedRequest.Progress())
                .subscribe(sent -> {}, disconnected -> {});

        channel.close().syncUninterruptibly();
        channel.runPendingTasks();
        body.next(late);
        channel.runPendingTasks();

        assertThat(response.isDisposed()).isTrue();
        assertThat(late.refCnt()).isZero();
    }

    @Test
    void bodyOfUnknownLengthIsCompleteWhenItsSourceIs() {
        TestPublisher<ByteBuf> body = TestPublisher.create();
        Disposable response = ResponseBodyWriter.write(
                        channel, -1, body.flux(), Duration.ofMinutes(5), new ReceivedRequest.Progress())
                .subscribe();

        body.next(Unpooled.wrappedBuffer(new byte[PAGE]));
        takeOne();
        assertThat(response.isDisposed()).isFalse();
        body.complete();

        assertThat(response.isDisposed()).isTrue();
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void bodyOfUnknownLengthThatFailsClosesTheConnection() {
        TestPublisher<ByteBuf> body = TestPublisher.create();
        List<Throwable> failures = new ArrayList<>();
        Disposable response = ResponseBodyWriter.write(
                        channel, -1, body.flux(), Duration.ofMinutes(5), new ReceivedRequest.Progress())
                .subscribe(sent -> {}, failures::add);

        body.next(Unpooled.wrappedBuffer(new byte[PAGE]));
        takeOne();
        body.error(new IllegalStateException("broken"));

        assertThat(response.isDisposed()).isTrue();
        assertThat(failures).hasSize(1);
        assertThat(channel.isOpen()).isFalse();
    }

    private void takeOne() {
        Held next = unsent.remove();
        next.piece().release();
        next.promise().setSuccess();
    }

    /** Returns all bytes of some pages but the first ones, in pieces that end at the ends of pages. */
    private static List<ByteBuf> pieces(Random random, List<ByteBuf> pages) {
        List<ByteBuf> pieces = new ArrayList<>();
        int at = random.nextInt(PAGE);
        for (int i = 0; i < PAGES; i++) {
            byte[] content = new byte[PAGE];
            Arrays.fill(content, (byte) i);
            ByteBuf page = Unpooled.wrappedBuffer(content);
            pages.add(page);
            while (at < PAGE) {
                int bytes = Math.min(PAGE - at, 1 + random.nextInt(PAGE / (1 + random.nextInt(8))));
                pieces.add(page.retainedSlice(at, bytes));
                at += bytes;
            }
            at = 0;
        }
        return pieces;
    }

    private int pagesHeld() {
        Set<Byte> held = new HashSet<>();
        unsent.forEach(waiting -> held.add(waiting.piece().content().getByte(0)));
        return held.size();
    }
}
