package io.millrace.gateway.job;

import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.freshness.CachedBytes;
import io.millrace.gateway.job.plan.Item;
import io.millrace.gateway.job.plan.Renaming;
import java.security.MessageDigest;
import reactor.core.publisher.Mono;

/** Holds a copy against its source, byte by byte. */
final class VerifyCopyTask implements ObjectTask {
    private final BucketView from;
    private final BucketView to;
    private final Renaming names;
    private final Pace bandwidth;

    /** @param bandwidth of the bytes of both */
    VerifyCopyTask(BucketView from, BucketView to, Renaming names, Pace bandwidth) {
        this.from = from;
        this.to = to;
        this.names = names;
        this.bandwidth = bandwidth;
    }

    @Override
    public Mono<Ended> run(Item item, boolean doubtful, Transfer transfer) {
        return Mono.defer(() -> {
            if (item.there().isPresent() && item.there().get().listed().isEmpty()) {
                return Mono.just(Ended.failed(item.size(), "the target does not have it"));
            }
            ObjectRef target = to.at(names.renamed(item.key()));
            return open(from, from.at(item.key()))
                    .flatMap(source -> open(to, target)
                            .flatMap(copy -> compare(source, copy))
                            .onErrorResume(Failures::isAbsent, absent -> {
                                source.discard();
                                return Mono.just(Ended.failed(source.length(), "the target does not have it"));
                            }));
        });
    }

    private static Mono<ObjectContent> open(BucketView bucket, ObjectRef object) {
        return bucket.backend().open(ReadRequest.of(object)).doOnDiscard(ObjectContent.class, ObjectContent::discard);
    }

    private Mono<Ended> compare(ObjectContent source, ObjectContent copy) {
        if (source.length() != copy.length()) {
            source.discard();
            copy.discard();
            return Mono.just(Ended.failed(
                    source.length(),
                    "the target has %d bytes of it, the source %d".formatted(copy.length(), source.length())));
        }
        return Mono.zip(
                        CachedBytes.digest(bandwidth.paced(source.body())),
                        CachedBytes.digest(bandwidth.paced(copy.body())),
                        (a, b) -> MessageDigest.isEqual(a, b))
                .map(same -> same
                        ? Ended.done(source.length(), 2 * source.length())
                        : Ended.failed(source.length(), "the target has other bytes"));
    }
}
