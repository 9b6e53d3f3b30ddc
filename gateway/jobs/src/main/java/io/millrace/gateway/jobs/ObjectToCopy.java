package io.millrace.gateway.jobs;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.checksum.WholeObjectChecksum;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.gateway.jobs.plan.ExpectedChecksum;
import io.millrace.gateway.jobs.store.ObjectAttemptProgress;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.ResidentObjectReader;
import io.millrace.gateway.objects.write.CopyOrigin;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One object of a copy job: its source, metadata and target.
 *
 * @param name of its plan item
 * @param head metadata of the source
 * @param target in {@code to}, at the backend
 * @param transfer counts its bytes
 * @param cache empty if all bytes are fetched from the backend
 */
record ObjectToCopy(
        String name,
        CopyOrigin source,
        ObjectHead head,
        BucketView to,
        ObjectRef target,
        ObjectAttemptProgress transfer,
        Optional<ResidentObjectReader> cache) {
    /** Returns true if the backend can copy the object by itself. */
    boolean isInside() {
        return source.isInside(to);
    }

    /**
     * Returns the checksums of the whole source that its backend gives and that its bytes are compared with; empty if
     * the backend copies by itself.
     */
    List<ExpectedChecksum> checksums() {
        return isInside() ? List.of() : checksums(head);
    }

    /** Returns the checksums of a whole object. */
    static List<ExpectedChecksum> checksums(ObjectHead head) {
        return WholeObjectChecksum.of(head.headers(), head.eTag())
                .map(sum -> new ExpectedChecksum(sum.algorithm(), sum.value(), "its backend"))
                .stream()
                .toList();
    }

    /** Reads the whole source in the version of {@link #head}; the subscriber owns each buffer. */
    Flux<ByteBuf> bytes() {
        return head.size() == 0
                ? Flux.empty()
                : cachedOr(new ByteRange(0, head.size() - 1), bytes(read(), head.size()));
    }

    /** Reads a range; requires a version with a strong validator. */
    Flux<ByteBuf> bytes(ByteRange range) {
        return cachedOr(
                range,
                bytes(
                        read().withSelection(new ByteSelection.RangeSelection(
                                new RangeSpec.Bounded(range.first(), range.last()))),
                        range.length()));
    }

    private Flux<ByteBuf> cachedOr(ByteRange range, Flux<ByteBuf> fetched) {
        return Mono.justOrEmpty(cache)
                .flatMap(cached -> cached.bytes(source.bucket(), source.what().object(), head.version(), range))
                .defaultIfEmpty(fetched)
                .flatMapMany(bytes -> bytes);
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
