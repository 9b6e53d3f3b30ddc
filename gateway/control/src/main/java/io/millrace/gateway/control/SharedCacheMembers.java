package io.millrace.gateway.control;

import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.objects.bucket.BucketView;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * The other members of a cluster in which objects have homes, so that the caches of all are one. Without a cluster, or
 * where objects are cached at the member that the balancer chooses, there are none.
 */
public interface SharedCacheMembers {
    /** The members beside a gateway that is in no cluster. */
    SharedCacheMembers NONE = new SharedCacheMembers() {};

    /** Returns the name of this member. */
    default String self() {
        return "";
    }

    /** Returns the names of the others, in order. */
    default List<String> others() {
        return List.of();
    }

    /** Returns the member that is home of an object; empty if it has none. */
    default Optional<String> home(BucketView bucket, ObjectRef object) {
        return Optional.empty();
    }

    /** Lets a member do a call, and returns its answer. Fails with an {@link IOException} that says why not. */
    default Mono<byte[]> call(String member, byte[] call) {
        return Mono.error(new IOException("this gateway is in no cluster"));
    }

    /** Returns whether this member counts an object for all: as its home, or since it has none. */
    default boolean isCountedHere(BucketView bucket, ObjectRef object) {
        return home(bucket, object).map(self()::equals).orElse(true);
    }
}
