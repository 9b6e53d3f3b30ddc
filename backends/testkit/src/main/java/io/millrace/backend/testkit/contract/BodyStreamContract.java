package io.millrace.backend.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.data.ManualDemandReader;
import io.millrace.backend.testkit.data.UploadBodies;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A body comes in small pieces and on demand, and a cancelled read holds no resources. */
interface BodyStreamContract extends ContractSupport {
    /** Largest piece of a body that comes from a server or a file. */
    int PIECE = 64 << 10;

    /** More reads than any connection pool has connections by default, so that a leaked one is noticed. */
    int MORE_THAN_A_POOL = 150;

    /** Returns the largest piece of a body, in bytes. */
    default int largestPiece() {
        return PIECE;
    }

    @Test
    default void largeObjectComesByteForByteInSmallPieces() {
        int size = 32 << 20;
        GeneratedBytes expected = GeneratedBytes.of("large.bin");
        ObjectKey key = seeded("large.bin", size);

        long[] offset = {0};
        open(readRequest(key))
                .body()
                .doOnNext(piece -> {
                    byte[] bytes = UploadBodies.takeBytes(piece);
                    assertThat(bytes.length).isBetween(1, largestPiece());
                    assertThat(bytes).isEqualTo(expected.slice(offset[0], bytes.length));
                    offset[0] += bytes.length;
                })
                .then()
                .block(TIMEOUT);

        assertThat(offset[0]).isEqualTo(size);
    }

    @Test
    default void noPieceComesUnasked() throws InterruptedException {
        ObjectKey key = seeded("paced.bin", 8 << 20);
        ManualDemandReader reader = new ManualDemandReader();
        open(readRequest(key)).body().subscribe(reader);

        Polling.holdsFor(Duration.ofMillis(50), () -> reader.pieces() == 0);
        reader.request(1);
        reader.awaitPieces(1);
        Polling.holdsFor(Duration.ofMillis(100), () -> reader.pieces() == 1);
        reader.request(2);
        reader.awaitPieces(3);
        Polling.holdsFor(Duration.ofMillis(100), () -> reader.pieces() == 3);

        reader.cancel();
    }

    @Test
    default void readerThatRequestsPieceByPieceGetsAll() throws InterruptedException {
        ObjectKey key = seeded("one-by-one.bin", 300_000);
        ManualDemandReader reader = new ManualDemandReader();
        open(readRequest(key)).body().subscribe(reader);

        for (int pieces = 1; !reader.isDone(); pieces++) {
            reader.request(1);
            reader.awaitPiecesOrEnd(pieces);
        }

        assertThat(reader.bytes()).isEqualTo(GeneratedBytes.of("one-by-one.bin").first(300_000));
    }

    @Test
    default void readersThatLeaveInTheMiddleHoldNothing() throws InterruptedException {
        ObjectKey key = seeded("left.bin", 1 << 20);

        for (int i = 0; i < MORE_THAN_A_POOL; i++) {
            ManualDemandReader reader = new ManualDemandReader();
            open(readRequest(key)).body().subscribe(reader);
            reader.request(1 + i % 3);
            reader.awaitPieces(1);
            reader.cancel();
        }

        assertThat(read(readRequest(key).withSelection(new ByteSelection.RangeSelection(new RangeSpec.Suffix(10)))))
                .isEqualTo(GeneratedBytes.of("left.bin").slice((1 << 20) - 10, 10));
    }

    @Test
    default void discardedContentsHoldNothing() {
        ObjectKey key = seeded("discarded.bin", 1 << 20);

        for (int i = 0; i < MORE_THAN_A_POOL; i++) {
            open(readRequest(key)).discard();
        }

        assertThat(read(readRequest(key).withSelection(new ByteSelection.RangeSelection(new RangeSpec.Bounded(5, 14)))))
                .isEqualTo(GeneratedBytes.of("discarded.bin").slice(5, 10));
    }

    @Test
    default void openingsThatAreGivenUpHoldNothing() {
        ObjectKey key = seeded("given-up.bin", 1 << 20);

        for (int i = 0; i < MORE_THAN_A_POOL; i++) {
            // By an operator, because a cancelled subscriber drops what still comes without a word.
            backend()
                    .open(readRequest(key))
                    .doOnNext(ObjectContent::discard)
                    .subscribe()
                    .dispose();
        }

        assertThat(read(readRequest(key)))
                .isEqualTo(GeneratedBytes.of("given-up.bin").first(1 << 20));
    }

    @Test
    default void manyReadersAtOnceGetTheirOwnBytes() {
        int size = 1 << 20;
        ObjectKey key = seeded("shared.bin", size);

        List<Boolean> right = ContractSupport.await(Flux.range(0, 64)
                .flatMap(i -> readsRight(key, i * 1000L, size - i * 2000), 64)
                .collectList());

        assertThat(right).hasSize(64).containsOnly(true);
    }

    @Test
    default void objectsAroundTheSizeOfAPieceComeWhole() {
        for (int size : new int[] {1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 2 * PIECE + 1}) {
            ObjectKey key = new ObjectKey("size-" + size);
            seed(key, GeneratedBytes.of(key.value()).first(size), HeaderList.EMPTY);

            assertThat(read(readRequest(key)))
                    .isEqualTo(GeneratedBytes.of(key.value()).first(size));
        }
    }

    private Mono<Boolean> readsRight(ObjectKey key, long first, int length) {
        RangeSpec range = new RangeSpec.Bounded(first, first + length - 1);
        return backend()
                .open(readRequest(key).withSelection(new ByteSelection.RangeSelection(range)))
                .flatMap(content -> content.body()
                        .collect(
                                ByteArrayOutputStream::new,
                                (bytes, piece) -> bytes.writeBytes(UploadBodies.takeBytes(piece))))
                .map(bytes -> Arrays.equals(
                        bytes.toByteArray(), GeneratedBytes.of(key.value()).slice(first, length)));
    }
}
