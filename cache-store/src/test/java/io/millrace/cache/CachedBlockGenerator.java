package io.millrace.cache;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.cache.disk.HollowSegments;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectIdCodec;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.metadata.StoredMetadataGenerator;
import io.millrace.cache.metadata.VersionFingerprints;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Fills the disks of a stopped gateway with many blocks of zeros, as if it had cached objects {@code many/0000000} and
 * so on. One object in {@code every} can be read; of the others only the headers that a start reads exist, because each
 * header takes a page of the file system.
 */
final class CachedBlockGenerator {
    private static final int BLOCK = 1 << 20;
    private static final long SEGMENT = 1L << 30;

    private CachedBlockGenerator() {}

    /**
     * Backend, bucket, how many objects, blocks of each, {@code every}, the folder of the gateway's data, and the
     * disks' folders.
     */
    public static void main(String[] args) throws IOException {
        int count = Integer.parseInt(args[2]);
        int blocks = Integer.parseInt(args[3]);
        int every = Integer.parseInt(args[4]);
        HollowSegments.Counters counters = new HollowSegments.Counters();
        List<HollowSegments> disks = new ArrayList<>();
        for (int i = 6; i < args.length; i++) {
            disks.add(new HollowSegments(Path.of(args[i]), SEGMENT, counters));
        }
        VersionFingerprints fingerprints = new VersionFingerprints(disks.get(0).hash());
        try (StoredMetadataGenerator objects = StoredMetadataGenerator.open(Path.of(args[5]), fingerprints)) {
            for (int number = 0; number < count; number++) {
                ObjectRef object = new ObjectRef(new BucketName(args[1]), new ObjectKey("many/%07d".formatted(number)));
                ObjectMetadata metadata = metadata(ObjectId.current(args[0], object), blocks, fingerprints);
                objects.add(metadata);
                fill(disks, number, blocks, number % every != 0, metadata);
            }
        }
        for (HollowSegments disk : disks) {
            disk.close();
        }
    }

    private static ObjectMetadata metadata(ObjectId id, int blocks, VersionFingerprints fingerprints) {
        Optional<ETag> tag = Optional.of(ETag.strong("zeros"));
        long size = (long) blocks * BLOCK;
        ObjectHead head = new ObjectHead(
                ObjectVersion.ofETag(tag, size, Optional.empty()), tag, Optional.of(Instant.EPOCH), HeaderList.EMPTY);
        return new ObjectMetadata(
                id, head, System.currentTimeMillis(), true, false, fingerprints.of(id, head.version(), BLOCK), BLOCK);
    }

    /** Blocks on all disks. */
    private static void fill(
            List<HollowSegments> disks, int number, int blocks, boolean headerOnly, ObjectMetadata metadata)
            throws IOException {
        ByteBuffer identity = ByteBuffer.wrap(ObjectIdCodec.encode(metadata.id()));
        for (int block = 0; block < blocks; block++) {
            HollowSegments disk = disks.get((number + block / 8) % disks.size());
            disk.add(disk.hash().of(metadata.version(), block), block, identity, BLOCK, headerOnly);
        }
    }
}
