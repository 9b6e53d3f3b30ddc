package io.millrace.gateway.job;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.RangeSpec;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.Selection;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.write.CopySources;
import io.netty.buffer.ByteBuf;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One object of a copy.
 *
 * @param name of its item
 * @param head of the source
 * @param target its place in {@code to}, at the backend
 * @param transfer counts its bytes while they move
 */
record CopiedObject(
        String name, CopySources.Source source, ObjectHead head, BucketView to, ObjectRef target, Transfer transfer) {
    /** Whether its backend copies it by itself. */
    boolean isInside() {
        return source.isInside(to);
    }

    /** All bytes of the source, of the version that {@link #head} tells of; the subscriber owns each piece. */
    Flux<ByteBuf> bytes() {
        return bytes(read(), head.size());
    }

    /** Some of them; only of a version that can be pinned. */
    Flux<ByteBuf> bytes(ByteRange range) {
        return bytes(
                read().select(new Selection.Range(new RangeSpec.Closed(range.first(), range.last()))), range.length());
    }

    private ReadRequest read() {
        ReadRequest read = ReadRequest.of(source.what().object());
        return head.version().canBePinned() ? read.pinnedTo(head.version()) : read;
    }

    private Flux<ByteBuf> bytes(ReadRequest read, long length) {
        return source.bucket()
                .backend()
                .open(read)
                .doOnDiscard(ObjectContent.class, ObjectContent::discard)
                .flatMapMany(content -> {
                    if (content.length() == length && (head.version().canBePinned() || isOfHead(content.head()))) {
                        return content.body();
                    }
                    content.discard();
                    return Mono.error(new BackendException(
                            BackendException.Kind.VERSION_CHANGED, "the source has changed while it was copied"));
                });
    }

    /** A version without a strong tag cannot be pinned, but seen to be another. */
    private boolean isOfHead(ObjectHead read) {
        return read.eTag().equals(head.eTag()) && read.lastModified().equals(head.lastModified());
    }
}
