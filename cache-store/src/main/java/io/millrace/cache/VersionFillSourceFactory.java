package io.millrace.cache;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.checksum.WholeObjectChecksum;
import io.millrace.cache.disk.BlockStore;
import io.millrace.cache.disk.BlockToWrite;
import io.millrace.cache.fill.VersionFillSource;
import io.millrace.cache.fill.WholeObjectCheck;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectIdCodec;
import io.millrace.cache.metadata.ObjectMetadata;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Creates the {@link VersionFillSource} of an object version from its metadata. It fetches from an {@link
 * ObjectSource}, and its blocks carry the object's id.
 *
 * @param failed called with the failure of each fetch from a backend
 * @param mismatched called if the bytes of a fetch do not have the checksum of the object
 * @param stored called with the metadata of each block that is on a disk
 */
record VersionFillSourceFactory(
        BlockStore store,
        BiConsumer<ObjectId, BackendException> failed,
        BiConsumer<ObjectId, BackendException> mismatched,
        Consumer<ObjectMetadata> stored) {
    /** Returns the version described by this metadata, for fills and readers. */
    VersionFillSource create(ObjectMetadata metadata, ObjectSource source) {
        return new VersionFillSource(
                metadata.id().backend(),
                source.party(),
                source.traits(),
                store.hash(),
                metadata.version(),
                metadata.size(),
                metadata.blockSize(),
                range -> source.fetch(metadata.head().version(), range)
                        .doOnError(BackendException.class, failure -> failed.accept(metadata.id(), failure)),
                new Drafts(metadata),
                () -> check(metadata.id(), metadata.head()));
    }

    private final class Drafts implements VersionFillSource.DraftFactory {
        private final ObjectMetadata metadata;

        Drafts(ObjectMetadata metadata) {
            this.metadata = metadata;
        }

        @Override
        public BlockToWrite of(Fingerprint key, long number, List<ByteBuf> body) {
            return new BlockToWrite(key, number, ByteBuffer.wrap(ObjectIdCodec.encode(metadata.id())), body);
        }

        @Override
        public void stored() {
            stored.accept(metadata);
        }
    }

    /** Returns the check of a fetch of the whole object; empty if the metadata has no checksum for it. */
    Optional<WholeObjectCheck> check(ObjectId id, ObjectHead head) {
        return WholeObjectChecksum.of(head.headers(), head.eTag())
                .map(checksum -> new WholeObjectCheck(checksum, failure -> mismatched.accept(id, failure)));
    }
}
