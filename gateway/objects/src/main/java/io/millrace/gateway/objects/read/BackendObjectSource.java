package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.cache.ObjectSource;
import io.millrace.cache.fill.UnopenedFetchException;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.kit.share.Party;
import io.netty.buffer.ByteBuf;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The {@link ObjectSource} that requests one object from its bucket's backend.
 *
 * @param tier the facts about the client's request that its requests to backends carry, also a fetch that outlives it
 */
public record BackendObjectSource(BucketView bucket, ObjectId id, TierRequest tier) implements ObjectSource {
    public BackendObjectSource {
        tier = tier.ofCache();
    }

    /** A source for no client's request. */
    public BackendObjectSource(BucketView bucket, ObjectId id) {
        this(bucket, id, TierRequest.NONE);
    }

    @Override
    public Party party() {
        return tier.party();
    }

    @Override
    public boolean isCacheable(long size) {
        return bucket.mayCache(id.object(), size);
    }

    @Override
    public Mono<ObjectContent> open(ByteSelection selection) {
        return bucket.open(request().withSelection(selection)).contextWrite(tier::writeTo);
    }

    @Override
    public Mono<HeadResult> head() {
        return bucket.head(request()).contextWrite(tier::writeTo);
    }

    @Override
    public Flux<ByteBuf> fetch(ObjectVersion version, ByteRange range) {
        return passOn(version, range).contextWrite(tier::writeTo);
    }

    /** Fetches as {@link #fetch} does, but at the pace and the expense of the request in the subscriber's context. */
    public Flux<ByteBuf> passOn(ObjectVersion version, ByteRange range) {
        ReadRequest conditional = request()
                .withSelection(new ByteSelection.RangeSelection(new RangeSpec.Bounded(range.first(), range.last())))
                .requireVersion(version);
        return bucket.open(conditional)
                .onErrorMap(BackendException.class, BackendObjectSource::ofTriedRequest)
                .doOnDiscard(ObjectContent.class, ObjectContent::discard)
                .flatMapMany(content -> {
                    if (content.length() == range.length()) {
                        return content.body();
                    }
                    content.discard();
                    return Flux.error(new BackendException(
                            BackendException.FailureKind.INVALID_RESPONSE,
                            "the response has %d bytes instead of %d".formatted(content.length(), range.length())));
                });
    }

    /** Marks a failure that the backend's own retries have dealt with. */
    private static BackendException ofTriedRequest(BackendException failure) {
        return switch (failure.kind()) {
            case UNAVAILABLE, THROTTLED, BUSY -> new UnopenedFetchException(failure);
            default -> failure;
        };
    }

    private ReadRequest request() {
        ReadRequest whole = ReadRequest.of(id.object()).withChecksums();
        return id.versionId().map(whole::withVersionId).orElse(whole);
    }
}
