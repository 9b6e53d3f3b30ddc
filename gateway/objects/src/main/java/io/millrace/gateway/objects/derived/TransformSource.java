package io.millrace.gateway.objects.derived;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.cache.ObjectSource;
import io.millrace.cache.fill.SourceTraits;
import io.millrace.cache.fill.UnopenedFetchException;
import io.millrace.kit.share.Party;
import io.netty.buffer.ByteBuf;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The source of what a transform makes: each request is a call of the service with all bytes of one version of the
 * object. A call that makes something else than an earlier one did makes another version, of which no byte joins those
 * of the earlier one.
 *
 * @param making what the result is made of, and how
 * @param key the object's key in its bucket, as clients see it
 * @param tier the facts about the request that it is made for
 */
record TransformSource(
        Transform transform, SourceObject original, String making, String bucket, ObjectKey key, TierRequest tier)
        implements ObjectSource {
    @Override
    public Party party() {
        return tier.party();
    }

    @Override
    public SourceTraits traits() {
        return SourceTraits.MADE;
    }

    /**
     * Returns whether an object is the marker of a folder, as consoles make them. It stays what it is, and clients that
     * look at the listed size leave it out.
     */
    static boolean isFolder(ObjectKey key, long size) {
        return size == 0 && key.value().endsWith("/");
    }

    /** Makes the result. Who gets it uses its bytes or releases it. */
    Mono<TransformResult> make() {
        ObjectHead of = original.head();
        if (isFolder(key, of.size())) {
            return Mono.fromSupplier(() -> new TransformResult.Collector(making)
                    .result(of.lastModified(), HeaderList.EMPTY.with("content-type", TransformService.NO_TYPE)));
        }
        return transform
                .service()
                .call(this)
                .contextWrite(tier::writeTo)
                // One that comes while its reader leaves.
                .doOnDiscard(TransformResult.class, TransformResult::release);
    }

    /** Returns the bytes that are sent to the service, in buffers that the subscriber owns. */
    Flux<ByteBuf> input() {
        long size = original.head().size();
        return size == 0
                ? Flux.empty()
                : original.bytes().apply(new ByteRange(0, size - 1)).contextWrite(tier::writeTo);
    }

    @Override
    public Mono<ObjectContent> open(ByteSelection selection) {
        return make().map(made -> new ObjectContent(made.head(), Optional.empty(), made.bytes()));
    }

    @Override
    public Mono<HeadResult> head() {
        return make().map(made -> {
            made.release();
            return new HeadResult(made.head(), Optional.empty());
        });
    }

    @Override
    public Flux<ByteBuf> fetch(ObjectVersion version, ByteRange range) {
        return make().onErrorMap(BackendException.class, TransformSource::ofTriedCall)
                .flatMapMany(made -> {
                    if (made.head().version().equals(version)) {
                        return made.bytes(range);
                    }
                    made.release();
                    return Flux.error(TransformFailures.otherResult());
                });
    }

    /** Marks a failure that the retries of calls have dealt with. */
    private static BackendException ofTriedCall(BackendException failure) {
        return failure.kind().isTemporary() ? new UnopenedFetchException(failure) : failure;
    }
}
