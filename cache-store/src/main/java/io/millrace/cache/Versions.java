package io.millrace.cache;

import io.millrace.backend.spi.BackendException;
import io.millrace.cache.disk.RecordDraft;
import io.millrace.cache.disk.RecordStore;
import io.millrace.cache.fill.FilledVersion;
import io.millrace.cache.fill.FilledVersion.Records;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.Kind;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.List;

/** Versions as fills see them: where their bytes come from, and what the records of their blocks are. */
final class Versions {
    private final RecordStore store;
    private final HeadCodec codec;
    private final KnownHeads heads;

    Versions(RecordStore store, HeadCodec codec, KnownHeads heads) {
        this.store = store;
        this.codec = codec;
        this.heads = heads;
    }

    /** A version to be filled and read. */
    FilledVersion of(CachedHead head, ObjectSource source) {
        return version(head, source, blocks(head));
    }

    /** The same of one block, which is stored together with its head. */
    FilledVersion together(CachedHead head, ObjectSource source, long sequence, long generation) {
        Records alone = blocks(head);
        return version(head, source, new Records() {
            @Override
            public RecordDraft of(Fingerprint key, long number, List<ByteBuf> body) {
                if (!counts()) {
                    return alone.of(key, number, body);
                }
                ByteBuffer headPart = ByteBuffer.wrap(codec.encode(head));
                return new RecordDraft(Kind.OBJECT, sequence, codec.head(head.id()), head.version(), 0, headPart, body);
            }

            @Override
            public boolean counts() {
                return heads.isCurrent(head.id(), generation);
            }

            @Override
            public void settled() {
                heads.hasCome(head.id());
            }
        });
    }

    private Records blocks(CachedHead head) {
        return (key, number, body) -> new RecordDraft(
                Kind.BLOCK,
                store.nextSequence(),
                key,
                head.version(),
                number,
                ByteBuffer.wrap(codec.identity(head.id())),
                body);
    }

    private FilledVersion version(CachedHead head, ObjectSource source, Records records) {
        return new FilledVersion(
                store.hash(),
                head.version(),
                head.size(),
                head.blockSize(),
                range -> source.fetch(head.head().version(), range)
                        .doOnError(BackendException.class, failure -> heads.forgetIfGone(head.id(), failure)),
                records);
    }
}
