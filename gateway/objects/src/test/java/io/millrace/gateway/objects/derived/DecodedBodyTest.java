package io.millrace.gateway.objects.derived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.data.ManualDemandReader;
import io.millrace.cache.fill.WrongContentException;
import io.millrace.gateway.archive.ArchiveMember;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/** A member is decoded piece by piece, only as far as it is wanted, and what is wrong of it never comes whole. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(120)
class DecodedBodyTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final int SIZE = 400_000;
    private static final DeflatedContent DEFLATED = DeflatedContent.of(SIZE);
    private static final ByteRange ALL = new ByteRange(0, SIZE - 1);

    private final ExecutorService threads = Executors.newFixedThreadPool(2);
    private final List<ByteBuf> given = new CopyOnWriteArrayList<>();
    private final AtomicInteger requested = new AtomicInteger();

    @AfterEach
    void eachBufferOfDataIsReleasedOnce() throws InterruptedException {
        Polling.until("all data are released", () -> given.stream().allMatch(piece -> piece.refCnt() == 0));
        threads.shutdown();
        assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }

    /** Returns the data in buffers of a size, each made when it is requested. */
    private Flux<ByteBuf> data(byte[] bytes, int size) {
        return Flux.<ByteBuf, Integer>generate(() -> 0, (at, sink) -> {
                    if (at >= bytes.length) {
                        sink.complete();
                        return at;
                    }
                    ByteBuf piece = Unpooled.copiedBuffer(bytes, at, Math.min(size, bytes.length - at));
                    given.add(piece);
                    sink.next(piece);
                    return at + size;
                })
                .doOnRequest(count -> requested.addAndGet((int) count));
    }

    private DecodedBody body(ByteRange wanted, int size) {
        return new DecodedBody(data(DEFLATED.data(), size), DEFLATED.member(), wanted, threads);
    }

    private static byte[] read(Flux<ByteBuf> body) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        body.doOnNext(piece -> take(piece, all)).blockLast(TIMEOUT);
        return all.toByteArray();
    }

    private static void take(ByteBuf piece, ByteArrayOutputStream into) {
        byte[] bytes = new byte[piece.readableBytes()];
        assertThat(bytes.length).isBetween(1, DecodedBody.PIECE);
        piece.readBytes(bytes).release();
        into.writeBytes(bytes);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 1000, 30_000, 65_536, 1_000_000})
    void contentComesOutWhateverTheBuffersOfTheData(int size) {
        assertThat(read(body(ALL, size))).isEqualTo(DEFLATED.content());
    }

    @Test
    void rangeIsCutOut() {
        for (int first : new int[] {0, 1, 65_535, 65_536, 100_000, SIZE - 1}) {
            for (int last : new int[] {0, 1, 65_535, 65_536, 131_071, SIZE - 2, SIZE - 1}) {
                if (first <= last) {
                    assertThat(read(body(new ByteRange(first, last), 30_000)))
                            .as("%d to %d", first, last)
                            .isEqualTo(Arrays.copyOfRange(DEFLATED.content(), first, last + 1));
                }
            }
        }
    }

    @Test
    void onlyWhatIsWantedIsDecoded() throws InterruptedException {
        ManualDemandReader reader = new ManualDemandReader();
        body(ALL, 10_000).subscribe(reader);
        assertThat(requested).hasValue(0);

        reader.request(1);
        reader.awaitPieces(1);
        assertThat(reader.bytes()).hasSize(DecodedBody.PIECE);
        assertThat(requested.get()).isLessThan(DEFLATED.data().length / 10_000 / 2);
        reader.request(100);
        reader.awaitPieces(SIZE / DecodedBody.PIECE + 1);

        assertThat(reader.bytes()).isEqualTo(DEFLATED.content());
        Polling.until("it has ended", reader::isDone);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3})
    void readerMayLeave(int pieces) throws InterruptedException {
        ManualDemandReader reader = new ManualDemandReader();
        body(ALL, 10_000).subscribe(reader);
        if (pieces > 0) {
            reader.request(pieces);
            reader.awaitPieces(pieces);
        }

        reader.cancel();

        assertThat(reader.pieces()).isEqualTo(pieces);
    }

    /** The reader leaves at any moment of a decoding; that no buffer is lost is what the other checks find. */
    @Test
    void readerMayLeaveMeanwhile() {
        for (int i = 0; i < 300; i++) {
            int bytes = i * 1000;
            BaseSubscriber<ByteBuf> reader = new BaseSubscriber<>() {
                private int left = bytes;

                @Override
                protected void hookOnNext(ByteBuf piece) {
                    left -= piece.readableBytes();
                    piece.release();
                    if (left < 0) {
                        cancel();
                    }
                }
            };
            body(ALL, 5000).subscribe(reader);
            if (i % 3 == 0) {
                reader.cancel();
            }
        }
    }

    @Test
    void decodersTakeTurns() {
        Queue<Runnable> tasks = new ArrayDeque<>();
        int[] come = new int[3];
        for (int i = 0; i < come.length; i++) {
            int number = i;
            new DecodedBody(data(DEFLATED.data(), 1_000_000), DEFLATED.member(), ALL, tasks::add)
                    .doOnNext(piece -> {
                        come[number] += piece.readableBytes();
                        piece.release();
                    })
                    .subscribe();
        }

        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            int before = Arrays.stream(come).sum();
            task.run();
            assertThat(Arrays.stream(come).sum() - before).isLessThanOrEqualTo(DecodedBody.PIECE);
            assertThat(Arrays.stream(come).max().orElseThrow()
                            - Arrays.stream(come).min().orElseThrow())
                    .isLessThanOrEqualTo(2 * DecodedBody.PIECE);
        }

        assertThat(come).containsOnly(SIZE);
    }

    @Test
    void wrongContentNeverComesWhole() {
        for (ArchiveMember lie : List.of(
                DEFLATED.member(0, SIZE, DEFLATED.crc32() + 1),
                DEFLATED.member(0, SIZE - 1, DEFLATED.crc32()),
                DEFLATED.member(0, SIZE + 1, DEFLATED.crc32()))) {
            for (ByteRange wanted : List.of(new ByteRange(0, lie.size() - 1), new ByteRange(10, 300_000))) {
                ByteArrayOutputStream come = new ByteArrayOutputStream();
                Flux<ByteBuf> body = new DecodedBody(data(DEFLATED.data(), 30_000), lie, wanted, threads);

                assertThatThrownBy(
                                () -> body.doOnNext(piece -> take(piece, come)).blockLast(TIMEOUT))
                        .isInstanceOfSatisfying(
                                WrongContentException.class,
                                failure -> assertThat(failure.s3Error())
                                        .hasValueSatisfying(error ->
                                                assertThat(error.status()).isEqualTo(422)));
                assertThat((long) come.size()).isLessThan(wanted.length());
            }
        }
    }

    @Test
    void dataThatEndTooSoonAreWrong() {
        byte[] half = Arrays.copyOf(DEFLATED.data(), DEFLATED.data().length / 2);
        Flux<ByteBuf> body = new DecodedBody(data(half, 30_000), DEFLATED.member(), ALL, threads);

        assertThatThrownBy(() -> read(body))
                .isInstanceOf(WrongContentException.class)
                .hasMessageContaining("end after");
    }

    @Test
    void bytesBehindTheContentAreRead() {
        byte[] more = Arrays.copyOf(DEFLATED.data(), DEFLATED.data().length + 100_000);
        Flux<ByteBuf> body = new DecodedBody(data(more, 10_000), DEFLATED.member(), ALL, threads);

        assertThat(read(body)).isEqualTo(DEFLATED.content());
        assertThat(given).hasSize((more.length + 9_999) / 10_000);
    }

    @Test
    void failureOfTheDataIsPassedOn() {
        BackendException cut = new BackendException(BackendException.FailureKind.UNAVAILABLE, "cut");
        Flux<ByteBuf> broken = data(DEFLATED.data(), 30_000).take(3).concatWith(Flux.error(cut));
        Flux<ByteBuf> body = new DecodedBody(broken, DEFLATED.member(), ALL, threads);

        assertThatThrownBy(() -> read(body)).isSameAs(cut);
    }
}
