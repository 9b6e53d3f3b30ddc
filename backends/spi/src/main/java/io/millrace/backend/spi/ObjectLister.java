package io.millrace.backend.spi;

import java.util.List;
import reactor.core.publisher.Mono;

/** Lists objects and buckets. Nothing happens before subscription; errors are {@link BackendException}s. */
public interface ObjectLister {
    /** One page. A listing shows every write that was acknowledged before it was asked for, if the backend does. */
    Mono<ListPage> list(ListRequest request);

    /** The buckets there are, by name. */
    Mono<List<BucketInfo>> buckets();

    /** Completes if the bucket exists and may be used, fails with {@link BackendException.Kind#NO_SUCH_BUCKET} if not. */
    Mono<BucketInfo> bucket(BucketName name);
}
