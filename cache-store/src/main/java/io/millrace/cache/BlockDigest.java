package io.millrace.cache;

import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.ChecksumDigest;
import io.millrace.cache.disk.RecordStore;
import io.millrace.cache.disk.StoredRecord;
import io.millrace.cache.index.Fingerprint;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.Optional;
import reactor.core.publisher.Mono;

/** Hashes of blocks as they lie on the disks, computed on the threads of those. */
final class BlockDigest {
    private static final int PIECE = 256 << 10;

    private final RecordStore store;

    BlockDigest(RecordStore store) {
        this.store = store;
    }

    Mono<DigestedBlock> of(Fingerprint key) {
        return Mono.create(sink -> {
            StoredRecord record = store.find(key);
            if (record == null) {
                sink.success();
                return;
            }
            record.onDisk(BlockDigest::digest, sink::success, late -> {});
        });
    }

    private static DigestedBlock digest(StoredRecord record) throws IOException {
        if (!record.verify()) {
            return DigestedBlock.DAMAGED;
        }
        ChecksumDigest sha = ChecksumAlgorithm.SHA256.newDigest();
        for (int offset = 0; offset < record.bodyBytes(); offset += PIECE) {
            ByteBuf bytes = record.read(offset, Math.min(PIECE, record.bodyBytes() - offset));
            if (bytes == null) {
                return DigestedBlock.DAMAGED;
            }
            try {
                sha.update(bytes);
            } finally {
                bytes.release();
            }
        }
        return new DigestedBlock(Optional.of(sha.bytes()));
    }
}
