package io.millrace.backend.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.RangeSpec;
import io.millrace.backend.spi.ReadRequest.Selection;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** How a body comes: in small pieces, at the reader's pace, and gone when the reader goes. */
interface BodyCases extends ContractCases {
    /** Largest piece of a body. */
    int PIECE = 64 << 10;

    /** More connections than any pool has by default: what is not given back is missed. */
    int MORE_THAN_A_POOL = 150;

    @Test
    default void largeObjectComesByteForByteInSmallPieces() {
        int size = 32 << 20;
        Bytes expected = Bytes.of("large.bin");
        ObjectKey key = seeded("large.bin", size);

        long[] offset = {0};
        open(asking(key))
                .body()
                .doOnNext(piece -> {
                    byte[] bytes = ContractCases.takeBytes(piece);
                    assertThat(bytes.length).isBetween(1, PIECE);
                    assertThat(bytes).isEqualTo(expected.slice(offset[0], bytes.length));
                    offset[0] += bytes.length;
                })
                .then()
                .block(PATIENCE);

        assertThat(offset[0]).isEqualTo(size);
    }

    @Test
    default void noPieceComesUnasked() throws InterruptedException {
        ObjectKey key = seeded("paced.bin", 8 << 20);
        PacedReader reader = new PacedReader();
        open(asking(key)).body().subscribe(reader);

        Thread.sleep(50);
        assertThat(reader.pieces()).isZero();
        reader.request(1);
        reader.awaitPieces(1);
        Thread.sleep(100);
        assertThat(reader.pieces()).isEqualTo(1);
        reader.request(2);
        reader.awaitPieces(3);
        Thread.sleep(100);
        assertThat(reader.pieces()).isEqualTo(3);

        reader.cancel();
    }

    @Test
    default void readerThatAsksPieceByPieceGetsAll() throws InterruptedException {
        ObjectKey key = seeded("one-by-one.bin", 300_000);
        PacedReader reader = new PacedReader();
        open(asking(key)).body().subscribe(reader);

        for (int pieces = 1; !reader.isDone(); pieces++) {
            reader.request(1);
            reader.awaitPiecesOrEnd(pieces);
        }

        assertThat(reader.bytes()).isEqualTo(Bytes.of("one-by-one.bin").first(300_000));
    }

    @Test
    default void readersThatLeaveInTheMiddleHoldNothing() throws InterruptedException {
        ObjectKey key = seeded("left.bin", 4 << 20);

        for (int i = 0; i < MORE_THAN_A_POOL; i++) {
            PacedReader reader = new PacedReader();
            open(asking(key)).body().subscribe(reader);
            reader.request(1 + i % 3);
            reader.awaitPieces(1);
            reader.cancel();
        }

        assertThat(read(asking(key).select(new Selection.Range(new RangeSpec.Suffix(10)))))
                .isEqualTo(Bytes.of("left.bin").slice((4 << 20) - 10, 10));
    }

    @Test
    default void discardedContentsHoldNothing() {
        ObjectKey key = seeded("discarded.bin", 4 << 20);

        for (int i = 0; i < MORE_THAN_A_POOL; i++) {
            open(asking(key)).discard();
        }

        assertThat(read(asking(key).select(new Selection.Range(new RangeSpec.Closed(5, 14)))))
                .isEqualTo(Bytes.of("discarded.bin").slice(5, 10));
    }

    @Test
    default void openingsThatAreGivenUpHoldNothing() {
        ObjectKey key = seeded("given-up.bin", 1 << 20);

        for (int i = 0; i < MORE_THAN_A_POOL; i++) {
            backend().open(asking(key)).subscribe(ObjectContent::discard).dispose();
        }

        assertThat(read(asking(key))).isEqualTo(Bytes.of("given-up.bin").first(1 << 20));
    }

    @Test
    default void manyReadersAtOnceGetTheirOwnBytes() {
        int size = 1 << 20;
        ObjectKey key = seeded("shared.bin", size);

        List<Boolean> right = ContractCases.await(Flux.range(0, 64)
                .flatMap(i -> readsRight(key, i * 1000L, size - i * 2000), 64)
                .collectList());

        assertThat(right).hasSize(64).containsOnly(true);
    }

    @Test
    default void objectsAroundTheSizeOfAPieceComeWhole() {
        for (int size : new int[] {1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 2 * PIECE + 1}) {
            ObjectKey key = new ObjectKey("size-" + size);
            seed(key, Bytes.of(key.value()).first(size), HeaderList.EMPTY);

            assertThat(read(asking(key))).isEqualTo(Bytes.of(key.value()).first(size));
        }
    }

    private Mono<Boolean> readsRight(ObjectKey key, long first, int length) {
        RangeSpec range = new RangeSpec.Closed(first, first + length - 1);
        return backend()
                .open(asking(key).select(new Selection.Range(range)))
                .flatMap(content -> content.body()
                        .collect(
                                ByteArrayOutputStream::new,
                                (bytes, piece) -> bytes.writeBytes(ContractCases.takeBytes(piece))))
                .map(bytes ->
                        Arrays.equals(bytes.toByteArray(), Bytes.of(key.value()).slice(first, length)));
    }
}
