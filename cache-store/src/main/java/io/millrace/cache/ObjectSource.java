package io.millrace.cache;

import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.cache.fill.SourceTraits;
import io.millrace.cache.fill.UnopenedFetchException;
import io.millrace.kit.share.Party;
import io.netty.buffer.ByteBuf;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Access to one object at its backend, or at a gateway that has it, through which the cache fetches the object's bytes
 * and metadata. Each subscription sends one request; it fails with a {@link io.millrace.backend.spi.BackendException}.
 */
public interface ObjectSource {
    /**
     * Returns whether an object of this size may be stored. One that may not is sent only to the client that requested
     * it.
     */
    default boolean isCacheable(long size) {
        return true;
    }

    /** Returns the one whose turn it is when memory for the bytes of this source is free. */
    default Party party() {
        return Party.GATEWAY;
    }

    /** Returns what the cache does with the bytes of this source. */
    default SourceTraits traits() {
        return SourceTraits.BACKEND;
    }

    /**
     * Returns this source for an object of which outdated metadata is known: a gateway must ask its backend, whatever
     * it remembers.
     */
    default ObjectSource revalidating() {
        return this;
    }

    /** Opens the current version of the object. {@link ObjectContent} defines who owns the content. */
    Mono<ObjectContent> open(ByteSelection selection);

    /** Returns the current metadata of the object, as complete as a HEAD response. */
    Mono<HeadResult> head();

    /**
     * Fetches bytes of one version that has a strong validator. Emits exactly these bytes or fails, with
     * {@link io.millrace.backend.spi.BackendException.FailureKind#VERSION_CHANGED} if the backend has another
     * version now, and with an {@link UnopenedFetchException} if it has been tried often enough. The subscriber owns
     * the buffers.
     */
    Flux<ByteBuf> fetch(ObjectVersion version, ByteRange range);
}
