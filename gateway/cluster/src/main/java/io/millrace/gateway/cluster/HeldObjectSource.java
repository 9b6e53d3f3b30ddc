package io.millrace.gateway.cluster;

import io.millrace.backend.spi.BackendException;
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
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The {@link ObjectSource} of an object of which another member may have bytes that this one, its home, lacks: that
 * member has written it, or was its home before. What is current the backend says, always; bytes are the other member's
 * if they are of that version, and all there.
 *
 * @param bucket the name by which clients know the bucket
 * @param tier the facts about the client's request
 * @param holder the other member, which asks nobody for what it lacks
 * @param backend the source of the metadata, and of what the other member has not
 * @param onMissing called when the other member has not what is wanted
 */
record HeldObjectSource(
        BucketName bucket,
        ObjectId id,
        TierRequest tier,
        String holder,
        ObjectSource backend,
        PeerReads reads,
        Runnable onMissing)
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
        return SourceTraits.HOLDER;
    }

    @Override
    public ObjectSource revalidating() {
        return new HeldObjectSource(
                bucket, id, tier.revalidating(true), holder, backend.revalidating(), reads, onMissing);
    }

    @Override
    public Mono<ObjectContent> open(ByteSelection selection) {
        return held(new RelayedRead.Current(selection))
                .flatMap(this::confirmed)
                .switchIfEmpty(Mono.defer(() -> backend.open(selection)));
    }

    @Override
    public Mono<HeadResult> head() {
        return backend.head();
    }

    @Override
    public Flux<ByteBuf> fetch(ObjectVersion version, ByteRange range) {
        return held(new RelayedRead.Version(version, range))
                .doOnDiscard(ObjectContent.class, ObjectContent::discard)
                .flatMapMany(ObjectContent::body)
                .switchIfEmpty(Flux.defer(() -> backend.fetch(version, range)));
    }

    /**
     * Returns the content if the backend says that it is of the current version, and then with what the backend says of
     * it; no byte is taken before. Empty otherwise.
     */
    private Mono<ObjectContent> confirmed(ObjectContent content) {
        return backend.head()
                .map(HeadResult::head)
                .filter(now -> now.version().equals(content.head().version()))
                .map(now -> new ObjectContent(now, content.range(), content.body()))
                // Opening it says all that there is to say of an object that is gone.
                .onErrorResume(BackendException.class, failure -> Mono.empty())
                .switchIfEmpty(Mono.fromRunnable(() -> {
                    content.discard();
                    onMissing.run();
                }));
    }

    private Mono<ObjectContent> held(RelayedRead.Wanted wanted) {
        return reads.held(holder, new RelayedRead(bucket, id, wanted, tier, true))
                .switchIfEmpty(Mono.fromRunnable(onMissing));
    }
}
