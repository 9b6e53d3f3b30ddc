package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.objects.bucket.BucketView;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * Finds the current state of the objects of a derived bucket, which are slices of objects of another one, or made of
 * their bytes.
 */
public interface DerivedObjectFinder extends LocalObjectFinder {
    /** Returns the bucket whose rules say how fresh the objects of a bucket are: of a derived one its source. */
    static BucketView ruled(BucketView bucket) {
        return bucket.backend() instanceof DerivedObjectFinder derived ? derived.source() : bucket;
    }

    /** Returns what to say to who has named a bucket that is missing: of a derived one that its source is. */
    static String absence(BucketView bucket) {
        BucketView source = ruled(bucket);
        return bucket.derived().isEmpty()
                ? bucket.absence()
                : "is derived from bucket '%s', which %s".formatted(source.name(), source.absence());
    }

    /** Returns the bucket from whose objects these are derived. */
    BucketView source();

    /** Returns the object in the source that would contain an object, or that it is made of; empty if none could. */
    Optional<ObjectRef> containerOf(ObjectRef object);

    /**
     * The maker of the objects of a bucket: a transform, and all that decides beside the bytes what it makes of them.
     *
     * @param name in the settings
     */
    record Maker(String name, String version, String args) {}

    /** Returns what makes the objects; empty if they are slices. */
    default Optional<Maker> maker() {
        return Optional.empty();
    }

    /**
     * Returns whether the bytes of an object are those of what contains it, so that they are here if that is. Those of
     * one that is made of it are cached beside it.
     */
    default boolean isPart() {
        return maker().isEmpty();
    }

    /**
     * Returns the current state of an object for a read; known at once if what contains it is fresh and in memory, and
     * its place in that is known.
     */
    @Override
    Mono<CurrentObject> find(ReadRequest request, RequestCacheControl client);

    /** Returns the current state after a revalidation of what contains the object, if the source's rules have one. */
    @Override
    Mono<CurrentObject> revalidate(ReadRequest request);
}
