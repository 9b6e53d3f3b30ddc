package io.millrace.gateway.jobs.task;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.gateway.jobs.progress.TransferProgress;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.copy.CopyOrigin;
import io.netty.buffer.ByteBuf;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One object of a copy job: its source, metadata and target.
 *
 * @param name of its plan item
 * @param head metadata of the source
 * @param target in {@code to}, at the backend
 * @param transfer counts its bytes
 */
record ObjectToCopy(
        String name, CopyOrigin source, ObjectHead head, BucketView to, ObjectRef target, TransferProgress transfer) {
    /** Returns true if the backend can copy the object by itself. */
    boolean isInside() {
        return source.isInside(to);
    }

    /** Reads the whole source in the version of {@link #head}; the subscriber owns each buffer. */
    Flux<ByteBuf> bytes() {
        return bytes(read(), head.size());
    }

    /** Reads a range; requires a version with a strong validator. */
    Flux<ByteBuf> bytes(ByteRange range) {
        return bytes(
                read().withSelection(
                                new ByteSelection.RangeSelection(new RangeSpec.Bounded(range.first(), range.last()))),
                range.length());
    }

    private ReadRequest read() {
        ReadRequest read = ReadRequest.of(source.what().object());
        return head.version().hasStrongValidator() ? read.requireVersion(head.version()) : read;
    }

    private Flux<ByteBuf> bytes(ReadRequest read, long length) {
        return source.bucket()
                .backend()
                .open(read)
                .doOnDiscard(ObjectContent.class, ObjectContent::discard)
                .flatMapMany(content -> {
                    if (content.length() == length
                            && (head.version().hasStrongValidator() || isOfHead(content.head()))) {
                        return content.body();
                    }
                    content.discard();
                    return Mono.error(new BackendException(
                            BackendException.FailureKind.VERSION_CHANGED,
                            "the source has changed while it was copied"));
                });
    }

    /**
     * Returns true if the read metadata match. A version without a strong validator cannot be required, but a change
     * can be detected.
     */
    private boolean isOfHead(ObjectHead read) {
        return read.eTag().equals(head.eTag()) && read.lastModified().equals(head.lastModified());
    }
}
