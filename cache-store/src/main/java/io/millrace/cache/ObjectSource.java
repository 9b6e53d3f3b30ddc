package io.millrace.cache;

import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectVersion;
import io.netty.buffer.ByteBuf;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Where the cache gets one object from. Each subscription is a request; failures are
 * {@link io.millrace.backend.spi.BackendException}s.
 */
public interface ObjectSource {
    /** Whether an object of so many bytes is to be stored; one that is not is given to whoever asked for it, and to nobody else. */
    default boolean isCacheable(long size) {
        return true;
    }

    /** Opens the object as it is now. Contents and their owners are as {@link ObjectContent} says. */
    Mono<ObjectContent> open(ByteSelection selection);

    /** What the object is now, with all that a HEAD can tell. */
    Mono<HeadResult> head();

    /**
     * Bytes of one version, which can be pinned. Brings exactly these bytes or fails, with
     * {@link io.millrace.backend.spi.BackendException.FailureKind#VERSION_CHANGED} if the object is another by now; the pieces are
     * the subscriber's.
     */
    Flux<ByteBuf> fetch(ObjectVersion version, ByteRange range);
}
