package io.millrace.gateway.cluster;

import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.cache.ObjectSource;
import io.millrace.cache.fill.SourceTraits;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.kit.share.Party;
import io.netty.buffer.ByteBuf;
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
 * @param isChanged returns whether an object was changed so lately that its home may not know of it
 */
record PeerObjectSource(
        BucketName bucket,
        ObjectId id,
        TierRequest tier,
        List<String> homes,
        ObjectSource backend,
        PeerReads reads,
        Predicate<ObjectId> isChanged)
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
    public ObjectSource revalidating() {
        return new PeerObjectSource(
                bucket, id, tier.revalidating(true), homes, backend.revalidating(), reads, isChanged);
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
        return relayed(new RelayedRead.Version(version, range))
                .doOnDiscard(ObjectContent.class, ObjectContent::discard)
                .flatMapMany(ObjectContent::body)
                .switchIfEmpty(Flux.defer(() -> backend.fetch(version, range)));
    }

    /** Only when the request is sent: whoever has asked may have read the object's write epoch just before. */
    private Mono<ObjectContent> current(RelayedRead.Wanted wanted) {
        return Mono.defer(() -> !tier.revalidate() && isChanged.test(id) ? Mono.empty() : relayed(wanted));
    }

    private Mono<ObjectContent> relayed(RelayedRead.Wanted wanted) {
        return reads.read(homes, new RelayedRead(bucket, id, wanted, tier));
    }
}
