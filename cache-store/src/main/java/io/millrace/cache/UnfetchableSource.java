package io.millrace.cache;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.cache.fill.SourceTraits;
import io.millrace.kit.share.Party;
import io.netty.buffer.ByteBuf;
import java.util.Optional;
import java.util.function.Supplier;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The source of an object whose bytes are in the cache and nowhere else: what is missing cannot be fetched.
 *
 * @param missing creates the failure of a read of what is missing
 */
public record UnfetchableSource(ObjectHead stored, Party party, Supplier<BackendException> missing)
        implements ObjectSource {
    @Override
    public SourceTraits traits() {
        return new SourceTraits(SourceTraits.Storing.ALWAYS, SourceTraits.Place.HERE, false);
    }

    @Override
    public Mono<ObjectContent> open(ByteSelection selection) {
        return Mono.error(missing);
    }

    @Override
    public Mono<HeadResult> head() {
        return Mono.just(new HeadResult(stored, Optional.empty()));
    }

    @Override
    public Flux<ByteBuf> fetch(ObjectVersion version, ByteRange range) {
        return Flux.error(missing);
    }
}
