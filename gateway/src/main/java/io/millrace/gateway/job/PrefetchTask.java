package io.millrace.gateway.job;

import io.millrace.config.DataSize;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.freshness.ReadAhead;
import io.millrace.gateway.freshness.ReadAhead.Brought;
import io.millrace.gateway.freshness.ReadAhead.Told;
import io.millrace.gateway.job.plan.Item;
import java.util.Optional;
import reactor.core.publisher.Mono;

/** Brings an object, or a range of it, into the cache. */
final class PrefetchTask implements ObjectTask {
    /** What is asked for at a time where there is a limit: it is held on the average of a few of these. */
    private static final long SLICE = DataSize.ofMebibytes(16).bytes();

    private final ReadAhead ahead;
    private final BucketView bucket;
    private final JobSpec spec;
    private final Pace pace;

    PrefetchTask(ReadAhead ahead, BucketView bucket, JobSpec spec) {
        this.ahead = ahead;
        this.bucket = bucket;
        this.spec = spec;
        this.pace = spec.limits().bytes();
    }

    @Override
    public Mono<Ended> run(Item item, boolean doubtful, Transfer transfer) {
        Optional<Told> told = item.listed().map(listed -> new Told(listed.size(), listed.eTag()));
        long slice = pace.isLimited() ? SLICE : Long.MAX_VALUE / 2;
        return Mono.defer(() -> ahead.bring(
                        bucket, bucket.at(item.key()), spec.range(), told, slice, pace::take, progress(transfer)))
                .map(PrefetchTask::ended);
    }

    private static ReadAhead.Progress progress(Transfer transfer) {
        return (bytes, brought) -> {
            if (brought) {
                transfer.moved(bytes);
            } else {
                transfer.present(bytes);
            }
        };
    }

    private static Ended ended(Brought brought) {
        return brought.brought() == 0 && brought.wanted() > 0
                ? Ended.skipped(brought.wanted(), "it was cached")
                : Ended.done(brought.wanted(), brought.brought());
    }
}
