package io.millrace.cache;

import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.ChecksumDigest;
import io.millrace.cache.disk.BlockStore;
import io.millrace.cache.disk.DiskUnavailableException;
import io.millrace.cache.disk.StoredBlock;
import io.millrace.cache.index.Fingerprint;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/** Computes the SHA-256 of stored blocks on the threads of their disks, after verifying their checksums. */
record StoredBlockHasher(BlockStore store) {
    private static final int PIECE = 256 << 10;

    /**
     * Returns the hash of a block; empty if it is not stored. Fails with a {@link DiskUnavailableException} if its disk
     * hangs or is failing.
     */
    Mono<BlockHashResult> hash(Fingerprint key) {
        return Mono.create(sink -> {
            StoredBlock record = store.find(key);
            if (record == null) {
                store.findUnavailableDisk(key).ifPresentOrElse(disk -> fail(sink, disk), sink::success);
                return;
            }
            Path disk = record.disk();
            record.onDisk(StoredBlockHasher::hashOrDrop, result -> report(sink, result, disk));
        });
    }

    /** Fails if the disk did not answer: an empty result would mean that the block is not stored. */
    private static void report(MonoSink<BlockHashResult> sink, @Nullable BlockHashResult result, Path disk) {
        if (result == null) {
            fail(sink, disk);
        } else {
            sink.success(result);
        }
    }

    private static void fail(MonoSink<BlockHashResult> sink, Path disk) {
        sink.error(new DiskUnavailableException(disk));
    }

    private static BlockHashResult hashOrDrop(StoredBlock record) {
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
