package io.millrace.gateway.objects.derived;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.cache.metadata.ObjectId;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** An archive in memory that remembers what was read of it. */
final class TestArchiveBytes {
    private static final int PIECE = 30_000;

    private final String key;
    private final byte[] bytes;
    private final List<ByteRange> read = new CopyOnWriteArrayList<>();

    TestArchiveBytes(String key, byte[] bytes) {
        this.key = key;
        this.bytes = bytes;
    }

    byte[] bytes() {
        return bytes;
    }

    List<ByteRange> read() {
        return read;
    }

    /** Returns one of the oldest format, with members of one size. */
    static TestArchiveBytes of(String key, int members, int size) {
        int padded = (size + 511) / 512 * 512;
        byte[] tar = new byte[members * (512 + padded) + 1024];
        for (int i = 0; i < members; i++) {
            int at = i * (512 + padded);
            write(tar, at, "%05d".formatted(i));
            write(tar, at + 124, "%011o".formatted(size));
            write(tar, at + 148, "        ");
            tar[at + 156] = '0';
            int sum = 0;
            for (int k = 0; k < 512; k++) {
                sum += tar[at + k];
            }
            write(tar, at + 148, "%06o\0".formatted(sum));
        }
        return new TestArchiveBytes(key, tar);
    }

    private static void write(byte[] tar, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, tar, at, bytes.length);
    }

    /** Opens it as the version with this tag. */
    SourceObject open(String version) {
        Optional<ETag> tag = Optional.of(ETag.strong(version));
        ObjectHead head = new ObjectHead(
                ObjectVersion.ofETag(tag, bytes.length, Optional.empty()), tag, Optional.empty(), HeaderList.EMPTY);
        ObjectId id = ObjectId.current("backend", new ObjectRef(new BucketName("bucket"), new ObjectKey(key)));
        return new SourceObject(id, head, Optional.empty(), range -> {
            read.add(range);
            return pieces(range);
        });
    }

    /** Opens it so that the bytes from a position on come when a gate completes. */
    SourceObject open(String version, long position, Mono<Void> gate) {
        SourceObject whole = open(version);
        return new SourceObject(whole.id(), whole.head(), Optional.empty(), range -> {
            if (range.last() < position) {
                return whole.bytes().apply(range);
            }
            ByteRange held = new ByteRange(Math.max(position, range.first()), range.last());
            Flux<ByteBuf> rest = gate.thenMany(Flux.defer(() -> whole.bytes().apply(held)));
            return range.first() >= position
                    ? rest
                    : Flux.concat(whole.bytes().apply(new ByteRange(range.first(), position - 1)), rest);
        });
    }

    private Flux<ByteBuf> pieces(ByteRange range) {
        List<ByteBuf> pieces = new ArrayList<>();
        for (long at = range.first(); at <= range.last(); at += PIECE) {
            int length = (int) Math.min(PIECE, range.last() + 1 - at);
            pieces.add(Unpooled.wrappedBuffer(bytes, (int) at, length));
        }
        return Flux.fromIterable(pieces);
    }
}
