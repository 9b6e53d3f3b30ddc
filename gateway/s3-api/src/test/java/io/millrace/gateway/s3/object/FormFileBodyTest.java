package io.millrace.gateway.s3.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/** The file of a form comes on the socket's thread; its writer asks, and cancels, on a thread of its own. */
class FormFileBodyTest {
    private static final byte[] CLOSING = "\r\n--b--\r\n".getBytes(StandardCharsets.ISO_8859_1);

    private final Socket socket = new Socket();
    private final List<ByteBuf> made = new ArrayList<>();

    @AfterEach
    void eachBufferIsReleasedOnce() {
        assertThat(made).allMatch(piece -> piece.refCnt() == 1);
        made.forEach(ByteBuf::release);
        made.clear();
    }

    @Test
    void fileEndsBeforeItsClosingBoundary() {
        FormFileBody body = new FormFileBody(socket, 10, CLOSING);
        List<String> read = new ArrayList<>();
        body.onNext(piece("01234"));
        body.pieces().doOnNext(piece -> read.add(text(piece))).subscribe(ByteBuf::release);

        body.onNext(piece("56789\r\n--b"));
        body.onNext(piece("--\r\n"));
        body.onComplete();

        assertThat(String.join("", read)).isEqualTo("0123456789");
    }

    @Test
    void unrequestedBufferIsReleasedByACancel() {
        FormFileBody body = new FormFileBody(socket, 10, CLOSING);
        body.onNext(piece("01234"));
        Writer writer = new Writer();
        body.pieces().subscribe(writer);
        assertThat(socket.requested).hasValue(0);

        writer.cancel();
        body.onNext(piece("56789"));

        assertThat(socket.cancelled).isTrue();
    }

    @Test
    void brokenSocketReleasesWhatNobodyReads() {
        FormFileBody body = new FormFileBody(socket, 10, CLOSING);
        body.onNext(piece("01234"));

        body.onError(new IllegalStateException("the client has left"));

        assertThat(made).hasSize(1);
    }

    @Test
    void brokenSocketFailsTheFile() {
        FormFileBody body = new FormFileBody(socket, 10, CLOSING);
        List<String> read = new ArrayList<>();
        List<Throwable> failures = new ArrayList<>();
        body.onNext(piece("01234"));
        body.onError(new IllegalStateException("broken"));

        body.pieces().doOnNext(piece -> read.add(text(piece))).subscribe(ByteBuf::release, failures::add);

        assertThat(read).isEmpty();
        assertThat(failures)
                .singleElement()
                .satisfies(failure -> assertThat(failure).hasMessage("broken"));
    }

    /** As when the disk of a file backend is full while the browser sends. */
    @Test
    void cancelByAnotherThreadReleasesEachBufferOnce() throws Exception {
        ExecutorService threads = Executors.newSingleThreadExecutor();
        for (int round = 0; round < 5000; round++) {
            FormFileBody body = new FormFileBody(socket, 1 << 20, CLOSING);
            Writer writer = new Writer();
            // Whoever stores the file may let Reactor discard what it drops.
            Flux<ByteBuf> file = body.pieces().doOnDiscard(ByteBuf.class, ByteBuf::release);
            file.subscribe(writer);
            writer.request(Long.MAX_VALUE);
            CountDownLatch begun = new CountDownLatch(1);
            Future<?> sent = threads.submit(() -> {
                for (int i = 0; i < 20; i++) {
                    body.onNext(piece("0123456789"));
                    begun.countDown();
                }
            });
            assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
            long until = System.nanoTime() + ThreadLocalRandom.current().nextLong(5000);
            while (System.nanoTime() < until) {
                Thread.onSpinWait();
            }

            writer.cancel();

            sent.get(20, TimeUnit.SECONDS);
            eachBufferIsReleasedOnce();
        }
        threads.shutdown();
    }

    private static String text(ByteBuf piece) {
        return piece.toString(StandardCharsets.ISO_8859_1);
    }

    /** Returns a buffer that the test holds, too: one that is released twice is not the test's any more. */
    private ByteBuf piece(String text) {
        ByteBuf piece = Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1);
        made.add(piece.retain());
        return piece;
    }

    private static final class Socket implements Subscription {
        final AtomicLong requested = new AtomicLong();
        final AtomicBoolean cancelled = new AtomicBoolean();

        @Override
        public void request(long pieces) {
            requested.addAndGet(pieces);
        }

        @Override
        public void cancel() {
            cancelled.set(true);
        }
    }

    /** Releases what it gets, also after its cancel. */
    private static final class Writer extends BaseSubscriber<ByteBuf> {
        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            // Requests nothing by itself.
        }

        @Override
        protected void hookOnNext(ByteBuf piece) {
            piece.release();
        }
    }
}
