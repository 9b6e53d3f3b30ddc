package io.millrace.gateway.objects.derived;

import io.millrace.backend.spi.object.ByteRange;
import io.millrace.gateway.archive.ArchiveException;
import io.millrace.gateway.archive.ArchiveMember;
import io.millrace.gateway.archive.ZipLocalHeader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A reader of the header before the data of a zip's member, which alone tells where they begin. */
final class LocalHeaderReader {
    private LocalHeaderReader() {}

    /** Returns the position in the archive of a member's data; known at once if the header is in memory. */
    static Mono<Long> dataPosition(SourceObject archive, ArchiveMember member) {
        ByteRange header = placeOf(member);
        @Nullable ByteBuf inMemory = archive.inMemory(header);
        return inMemory != null
                ? dataPosition(archive, member, inMemory)
                : joined(archive.bytes().apply(header)).flatMap(bytes -> dataPosition(archive, member, bytes));
    }

    /** Returns the place of a member's header. */
    static ByteRange placeOf(ArchiveMember member) {
        // The scan has seen to it that a header and the data have room before the directory.
        return new ByteRange(member.position(), member.position() + ZipLocalHeader.BYTES - 1);
    }

    /** Returns a buffer of the heap with all bytes of a header. */
    private static Mono<ByteBuf> joined(Flux<ByteBuf> pieces) {
        return Mono.defer(() -> {
            ByteBuf all = Unpooled.wrappedBuffer(new byte[ZipLocalHeader.BYTES]).clear();
            return pieces.doOnNext(piece -> {
                        all.writeBytes(piece);
                        piece.release();
                    })
                    .then(Mono.just(all));
        });
    }

    private static Mono<Long> dataPosition(SourceObject archive, ArchiveMember member, ByteBuf header) {
        try {
            return Mono.just(ZipLocalHeader.dataPosition(
                    header.nioBuffer(), member, archive.head().size()));
        } catch (ArchiveException damage) {
            return Mono.error(ArchiveFailures.of(damage));
        } finally {
            header.release();
        }
    }
}
