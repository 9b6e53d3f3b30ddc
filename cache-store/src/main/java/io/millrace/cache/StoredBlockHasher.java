package io.millrace.cache;

import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.ChecksumDigest;
import io.millrace.cache.disk.BlockStore;
import io.millrace.cache.disk.StoredBlock;
import io.millrace.cache.disk.io.DiskUnavailableException;
import io.millrace.cache.index.Fingerprint;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/** Hashes of blocks as they lie on the disks, computed on the threads of those. */
final class StoredBlockHasher {
    private static final int PIECE = 256 << 10;

    private final BlockStore store;

    StoredBlockHasher(BlockStore store) {
        this.store = store;
    }

    /** Empty if it is not there; fails with a {@link DiskUnavailableException} if its disk stands still, or is bypassed. */
    Mono<BlockHashResult> hash(Fingerprint key) {
        return Mono.create(sink -> {
            StoredBlock record = store.find(key);
            if (record == null) {
                store.outOfReach(key).ifPresentOrElse(disk -> fail(sink, disk), sink::success);
                return;
            }
            Path disk = record.disk();
            record.onDisk(StoredBlockHasher::look, told -> tell(sink, told, disk), late -> {});
        });
    }

    /** Who compares must not take what nobody has read for nothing. */
    private static void tell(MonoSink<BlockHashResult> sink, @Nullable BlockHashResult told, Path disk) {
        if (told == null) {
            fail(sink, disk);
        } else {
            sink.success(told);
        }
    }

    private static void fail(MonoSink<BlockHashResult> sink, Path disk) {
        sink.error(new DiskUnavailableException(disk));
    }

    private static BlockHashResult look(StoredBlock record) {
        try {
            return digest(record);
        } catch (IOException e) {
            record.dropUnreadable(e);
            return new BlockHashResult.Unreadable();
        }
    }

    private static BlockHashResult digest(StoredBlock record) throws IOException {
        if (!record.verify()) {
            return new BlockHashResult.Corrupt();
        }
        ChecksumDigest sha = ChecksumAlgorithm.SHA256.newDigest();
        for (int offset = 0; offset < record.bodyBytes(); offset += PIECE) {
            ByteBuf bytes = record.read(offset, Math.min(PIECE, record.bodyBytes() - offset));
            if (bytes == null) {
                return new BlockHashResult.Corrupt();
            }
            try {
                sha.update(bytes);
            } finally {
                bytes.release();
            }
        }
        return new BlockHashResult.Hashed(sha.bytes());
    }
}
