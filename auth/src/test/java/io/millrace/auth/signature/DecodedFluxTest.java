package io.millrace.auth.signature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.Authentication;
import io.millrace.auth.ChunkSignatureSeed;
import io.millrace.auth.PayloadType;
import io.millrace.auth.RequestVerificationException;
import io.millrace.backend.spi.UploadBody;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/**
 * Tests the decoding publisher between client and backend: backpressure limits it to one piece, and no buffer leaks,
 * however the body ends.
 */
class DecodedFluxTest {
    private static final int CHUNK = 8192;

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false, true);
    private final RawBody raw = new RawBody();
    private final Taker taker = new Taker();

    @AfterEach
    void nothingIsHeld() {
        assertThat(allocator.metric().usedHeapMemory() + allocator.metric().usedDirectMemory())
                .as("bytes not released")
                .isZero();
    }

    @Test
    void requestsRawBuffersOnlyOnDemand() throws Exception {
        plain(10).decode(raw).subscribe(taker);

        assertThat(raw.requested()).isZero();
        taker.request(1);
        assertThat(raw.requested()).isEqualTo(1);
        raw.send(bytes(4));
        assertThat(taker.taken()).isEqualTo(4);
        assertThat(raw.requested()).isEqualTo(1);
        taker.request(1);
        assertThat(raw.requested()).isEqualTo(2);
        taker.cancel();
    }

    @Test
    void oneWantedPieceRequestsUntilThereIsOne() throws Exception {
        Upload upload = signed(CHUNK);
        byte[] wire = wire(upload, CHUNK);
        upload.reader().decode(raw).subscribe(taker);
        taker.request(1);

        int sent = 0;
        while (sent < wire.length) {
            assertThat(raw.requested()).isEqualTo(raw.sent() + 1);
            int length = Math.min(100, wire.length - sent);
            raw.send(bytes(wire, sent, length));
            sent += length;
            assertThat(taker.taken()).isZero();
        }
        raw.complete();

        assertThat(taker.taken()).isEqualTo(CHUNK);
        assertThat(taker.completed).isTrue();
    }

    @Test
    void decodedPiecesWaitForDemand() throws Exception {
        Upload upload = signed(3 * CHUNK);
        byte[] wire = wire(upload, 3 * CHUNK);
        upload.reader().decode(raw).subscribe(taker);
        taker.request(1);
        raw.send(bytes(wire, 0, wire.length));

        assertThat(taker.taken()).isEqualTo(CHUNK);
        assertThat(raw.requested()).isEqualTo(1);
        taker.request(1);
        assertThat(taker.taken()).isEqualTo(2 * CHUNK);
        assertThat(raw.requested()).isEqualTo(1);
        taker.request(1);
        assertThat(taker.taken()).as("the last piece is held").isEqualTo(2 * CHUNK);
        assertThat(raw.requested()).isEqualTo(2);
        raw.complete();
        assertThat(taker.taken()).isEqualTo(3 * CHUNK);
        assertThat(taker.completed).isTrue();
    }

    /** Its blocks are as large as what is missing, and not larger: a slow upload holds them for long. */
    @Test
    void signedChunkIsHeldInAsMuchMemoryAsItHasBytes() throws Exception {
        int block = 64 << 10;
        Upload upload = signed(block + 1);
        ChunkSignatureSeed seed =
                ((Authentication.Signed) upload.authentication()).chunkSeed().orElseThrow();
        byte[] wire = new Wire(seed)
                .chunks(new byte[block + 1], block + 1)
                .text("\r\n")
                .bytes();
        upload.reader().decode(raw).subscribe(taker);
        taker.request(1);

        raw.send(bytes(wire, 0, wire.length));
        assertThat(taker.taken()).isEqualTo(block);
        assertThat(allocator.metric().usedHeapMemory()).as("the last byte").isEqualTo(1);

        taker.request(1);
        raw.complete();
        assertThat(taker.taken()).isEqualTo(block + 1);
        assertThat(taker.completed).isTrue();
    }

    @Test
    void plainBodyWithholdsItsLastPiece() throws Exception {
        plain(10).decode(raw).subscribe(taker);
        taker.request(Long.MAX_VALUE);
        raw.send(bytes(6));
        raw.send(bytes(4));

        assertThat(taker.taken()).isEqualTo(6);
        assertThat(taker.completed).isFalse();
        raw.complete();
        assertThat(taker.taken()).isEqualTo(10);
        assertThat(taker.completed).isTrue();
    }

    @Test
    void emptyBodyCompletes() throws Exception {
        plain(0).decode(raw).subscribe(taker);
        raw.complete();

        assertThat(taker.completed).isTrue();
    }

    @Test
    void cancelReleasesAChunkThatIsNotWhole() throws Exception {
        Upload upload = signed(CHUNK);
        upload.reader().decode(raw).subscribe(taker);
        taker.request(1);
        raw.send(bytes(wire(upload, CHUNK), 0, 5000));

        taker.cancel();

        assertThat(raw.cancelled).isTrue();
        raw.send(bytes(10));
        raw.complete();
        assertThat(taker.taken()).isZero();
        assertThat(taker.completed).isFalse();
    }

    @Test
    void cancelReleasesTheLastPiece() throws Exception {
        plain(4).decode(raw).subscribe(taker);
        taker.request(5);
        raw.send(bytes(4));

        taker.cancel();

        assertThat(raw.cancelled).isTrue();
    }

    @Test
    void cancelWithinAPieceStopsTheRest() throws Exception {
        Upload upload = signed(3 * CHUNK);
        taker.cancelAfter = 1;
        upload.reader().decode(raw).subscribe(taker);
        taker.request(5);
        raw.send(bytes(wire(upload, 3 * CHUNK), 0, 3 * CHUNK));

        assertThat(taker.taken()).isEqualTo(CHUNK);
        assertThat(raw.cancelled).isTrue();
    }

    @Test
    void connectionErrorIsPassedOnAndReleasesBuffers() throws Exception {
        IOException gone = new IOException("connection reset");
        Upload upload = signed(CHUNK);
        upload.reader().decode(raw).subscribe(taker);
        taker.request(1);
        raw.send(bytes(wire(upload, CHUNK), 0, 5000));

        raw.fail(gone);

        assertThat(taker.failure).isSameAs(gone);
    }

    @Test
    void invalidBodyCancelsTheSource() throws Exception {
        Upload upload = signed(2 * CHUNK);
        byte[] wire = wire(upload, 2 * CHUNK);
        wire[wire.length / 2 + 1000] ^= 1;
        upload.reader().decode(raw).subscribe(taker);
        taker.request(10);
        raw.send(bytes(wire, 0, wire.length));

        assertThat(taker.failure).isInstanceOf(RequestVerificationException.class);
        assertThat(raw.cancelled).isTrue();
        raw.send(bytes(10));
        raw.complete();
        assertThat(taker.completed).isFalse();
    }

    @Test
    void excessBuffersFailWithoutALeak() throws Exception {
        plain(100).decode(raw).subscribe(taker);
        taker.request(5);
        raw.sendWithin(bytes(1), bytes(2), bytes(3));

        assertThat(taker.failure).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void bodyIsReadOnce() throws Exception {
        PayloadVerifier reader = plain(0);
        reader.decode(Flux.empty()).blockLast();

        assertThatThrownBy(() -> reader.decode(Flux.empty()).blockLast()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void trailerIsAvailableOnlyWithTheLastPiece() throws Exception {
        Upload upload = Upload.signed(
                new PayloadType.UnsignedChunksWithTrailer(),
                Map.of("x-amz-decoded-content-length", "5", "x-amz-trailer", "x-amz-checksum-crc32"));
        UploadBody body = upload.reader().body(raw);
        UploadBody.Trailer trailer = body.trailer().orElseThrow();
        body.pieces().subscribe(taker);
        taker.request(9);
        byte[] wire = new Wire(null)
                .chunks("hello".getBytes(StandardCharsets.UTF_8), 5)
                .trailer("x-amz-checksum-crc32", "NhCmhg==")
                .bytes();
        raw.send(bytes(wire, 0, wire.length));

        assertThat(trailer.name()).isEqualTo("x-amz-checksum-crc32");
        assertThatThrownBy(() -> trailer.value().get()).isInstanceOf(IllegalStateException.class);
        raw.complete();
        assertThat(body.length()).isEqualTo(5);
        assertThat(taker.taken()).isEqualTo(5);
        assertThat(trailer.value().get()).isEqualTo("NhCmhg==");
    }

    @Test
    void bodyWithoutTrailerAnnouncesNone() throws Exception {
        assertThat(plain(3).body(Flux.empty()).trailer()).isEmpty();
    }

    @Test
    void anyTimingOfSenderTakerAndCancelReleasesEverything() throws Exception {
        Upload upload = signed(3 * CHUNK);
        byte[] wire = wire(upload, 3 * CHUNK);
        Random random = new Random(3);
        for (int round = 0; round < 300; round++) {
            RawBody body = new RawBody();
            Taker wants = new Taker();
            upload.reader().decode(body).subscribe(wants);
            CountDownLatch done = new CountDownLatch(3);
            int step = 1 + random.nextInt(3000);
            boolean leaves = random.nextBoolean();
            int pause = random.nextInt(2000);
            start(done, () -> {
                for (int at = 0; at < wire.length && !body.cancelled; ) {
                    if (body.sent() < body.requested()) {
                        int length = Math.min(step, wire.length - at);
                        body.send(bytes(wire, at, length));
                        at += length;
                    } else if (wants.hasEnded()) {
                        break;
                    } else {
                        Thread.onSpinWait();
                    }
                }
                body.complete();
            });
            start(done, () -> {
                for (int i = 0; i < 10; i++) {
                    wants.request(1);
                }
            });
            start(done, () -> {
                for (int i = 0; i < pause; i++) {
                    Thread.onSpinWait();
                }
                if (leaves) {
                    wants.cancel();
                }
            });

            assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(wants.failure).isNull();
            assertThat(wants.completed || leaves).isTrue();
            if (wants.completed) {
                assertThat(wants.taken()).isEqualTo(3 * CHUNK);
            }
            nothingIsHeld();
        }
    }

    private static void start(CountDownLatch done, Runnable work) {
        new Thread(() -> {
                    work.run();
                    done.countDown();
                })
                .start();
    }

    private static PayloadVerifier plain(int length) throws RequestVerificationException {
        return Upload.signed(PayloadType.UNSIGNED, Map.of("content-length", Integer.toString(length)))
                .reader();
    }

    private static Upload signed(int length) {
        return Upload.signed(
                new PayloadType.SignedChunks(false), Map.of("x-amz-decoded-content-length", Integer.toString(length)));
    }

    private static byte[] wire(Upload upload, int length) throws RequestVerificationException {
        return new Wire(((Authentication.Signed) upload.authentication())
                        .chunkSeed()
                        .orElseThrow())
                .chunks(new byte[length], CHUNK)
                .text("\r\n")
                .bytes();
    }

    private ByteBuf bytes(int length) {
        return allocator.heapBuffer(length).writeZero(length);
    }

    private ByteBuf bytes(byte[] from, int at, int length) {
        return allocator.heapBuffer(length).writeBytes(from, at, length);
    }
}
