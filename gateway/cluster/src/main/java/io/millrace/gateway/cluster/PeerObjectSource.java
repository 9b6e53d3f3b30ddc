package io.millrace.gateway.cluster;

import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.TierResponse;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.cache.ObjectSource;
import io.millrace.cache.fill.SourceTraits;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.kit.share.Party;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The {@link ObjectSource} of an object whose home is another member: asks that, then the second choice, then the
 * backend.
 *
 * @param bucket the name by which clients know the bucket
 * @param tier the facts about the client's request
 * @param homes the members to ask, the first choice first
 * @param backend the source of what none of them serves
 * @param isChanged returns whether an object was changed so lately that its home may not know of it, and must ask its
 *     backend
 * @param isOutdated returns whether something has outdated what a home has known of the object for so long
 */
record PeerObjectSource(
        BucketName bucket,
        ObjectId id,
        TierRequest tier,
        List<String> homes,
        ObjectSource backend,
        PeerReads reads,
        Predicate<ObjectId> isChanged,
        Predicate<Duration> isOutdated)
        implements ObjectSource {
    @Override
    public boolean isCacheable(long size) {
        return backend.isCacheable(size);
    }

    @Override
    public Party party() {
        return backend.party();
    }

    @Override
    public SourceTraits traits() {
        return SourceTraits.PEER;
    }

    @Override
    public PeerObjectSource revalidating() {
        return new PeerObjectSource(
                bucket, id, tier.revalidating(true), homes, backend.revalidating(), reads, isChanged, isOutdated);
    }

    @Override
    public Mono<ObjectContent> open(ByteSelection selection) {
        return current(new RelayedRead.Current(selection)).switchIfEmpty(Mono.defer(() -> backend.open(selection)));
    }

    @Override
    public Mono<HeadResult> head() {
        return current(new RelayedRead.Head())
                .map(found -> new HeadResult(found.head(), Optional.empty()))
                .switchIfEmpty(Mono.defer(backend::head));
    }

    @Override
    public Flux<ByteBuf> fetch(ObjectVersion version, ByteRange range) {
        return relayed(new RelayedRead.Version(version, range), tier)
                .doOnDiscard(ObjectContent.class, ObjectContent::discard)
                .flatMapMany(ObjectContent::body)
                .switchIfEmpty(Flux.defer(() -> backend.fetch(version, range)));
    }

    private Mono<ObjectContent> current(RelayedRead.Wanted wanted) {
        return Mono.defer(() -> {
            // Only when the request is sent: whoever has asked may have read the object's write epoch just before.
            TierRequest request = tier.revalidating(isChanged.test(id));
            return request.revalidate() ? relayed(wanted, request) : remembered(wanted);
        });
    }

    /** Reads what the home may have asked its backend for some time ago. */
    private Mono<ObjectContent> remembered(RelayedRead.Wanted wanted) {
        long requestedAt = System.nanoTime();
        return relayed(wanted, tier).flatMap(found -> {
            if (!isOutdated.test(known(found.head()).plusNanos(System.nanoTime() - requestedAt))) {
                return Mono.just(found);
            }
            found.discard();
            return relayed(wanted, tier.revalidating(true));
        });
    }

    /** Returns for how long the home had known the object when it said so. */
    private static Duration known(ObjectHead head) {
        return head.tier().map(TierResponse::age).orElse(Duration.ZERO);
    }

    private Mono<ObjectContent> relayed(RelayedRead.Wanted wanted, TierRequest request) {
        return reads.read(homes, new RelayedRead(bucket, id, wanted, request));
    }
}
