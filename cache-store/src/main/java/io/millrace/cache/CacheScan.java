package io.millrace.cache;

import io.millrace.cache.disk.RecordStore;
import io.millrace.cache.disk.ScanPiece;
import io.millrace.cache.disk.ScanPosition;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * What the disks know of objects, in the order in which it lies there. Reads a piece at a time, and the next one when it is asked for;
 * whoever leaves ends the one that is being read. What is known only in memory is not told.
 */
public final class CacheScan {
    /** Heads of a piece: some hundred kilobytes, so that a thread of the disk is not kept for long. */
    private static final int PIECE = 500;

    private final RecordStore store;
    private final HeadCodec codec;

    CacheScan(RecordStore store, HeadCodec codec) {
        this.store = store;
        this.codec = codec;
    }

    /**
     * An object.
     *
     * @param position where a scan goes on behind it
     */
    public record Found(CachedHead head, ScanPosition position) {}

    Flux<Found> from(ScanPosition from) {
        return piece(from)
                .expand(piece -> piece.next().map(this::piece).orElseGet(Mono::empty))
                .concatMapIterable(Piece::found, 1);
    }

    private record Piece(List<Found> found, Optional<ScanPosition> next) {}

    private Mono<Piece> piece(ScanPosition from) {
        return Mono.fromFuture(() -> store.scan(from, PIECE)).map(piece -> new Piece(found(piece), piece.next()));
    }

    private List<Found> found(ScanPiece piece) {
        return piece.heads().stream()
                .flatMap(head ->
                        codec
                                .decode(head.headPart(), head.doubtful())
                                .map(known -> new Found(known, head.next()))
                                .stream())
                .toList();
    }
}
