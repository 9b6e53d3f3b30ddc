package io.millrace.gateway.freshness;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectVersion;
import io.millrace.backend.spi.RangeSpec;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.Selection;
import io.millrace.backend.spi.SelectedHead;
import io.millrace.cache.ObjectSource;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.gateway.bucket.BucketView;
import io.netty.buffer.ByteBuf;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Where the cache gets an object from: its backend, asked for everything that is told of it. */
record BackendSource(BucketView bucket, ObjectId id) implements ObjectSource {
    @Override
    public boolean isStored(long size) {
        return bucket.stores(id.object(), size);
    }

    @Override
    public Mono<ObjectContent> open(Selection selection) {
        return bucket.open(request().select(selection));
    }

    @Override
    public Mono<SelectedHead> head() {
        return bucket.head(request());
    }

    @Override
    public Flux<ByteBuf> fetch(ObjectVersion version, ByteRange range) {
        ReadRequest pinned = request()
                .select(new Selection.Range(new RangeSpec.Closed(range.first(), range.last())))
                .pinnedTo(version);
        return bucket.open(pinned)
                .doOnDiscard(ObjectContent.class, ObjectContent::discard)
                .flatMapMany(content -> {
                    if (content.length() == range.length()) {
                        return content.body();
                    }
                    content.discard();
                    return Flux.error(new BackendException(
                            BackendException.Kind.BROKEN_ANSWER,
                            "%d bytes to a request for %d".formatted(content.length(), range.length())));
                });
    }

    private ReadRequest request() {
        ReadRequest whole = ReadRequest.of(id.object()).withChecksums();
        return id.versionId().map(whole::ofVersion).orElse(whole);
    }
}
