package io.millrace.backend.spi;

import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import java.util.List;
import reactor.core.publisher.Mono;

/**
 * The operations of a backend that list objects and buckets. Nothing happens before subscription; errors are
 * {@link BackendException}s.
 */
public interface ObjectLister {
    /** Lists one page of objects. It contains every write that was acknowledged before the request, if the backend's listings do. */
    Mono<ListPage> listObjects(ListRequest request);

    /** Lists all buckets, ordered by name. */
    Mono<List<BucketInfo>> listBuckets();

    /** Checks that a bucket exists and is accessible; fails with {@link BackendException.FailureKind#NO_SUCH_BUCKET} if it does not exist. */
    Mono<BucketInfo> headBucket(BucketName name);
}
