package io.millrace.gateway.cluster;

import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.cache.metadata.ObjectId;
import java.util.Optional;

/**
 * A read that a member relays to the home of an object.
 *
 * @param bucket the name by which clients know the bucket
 * @param tier the facts about the client's request, if there is one
 */
record RelayedRead(BucketName bucket, ObjectId id, Wanted wanted, TierRequest tier) {
    /** The part of the object that is wanted. */
    sealed interface Wanted {
        /** Returns whether this is wanted where an object of this size is found, and these bytes of it are sent. */
        boolean isMetBy(long size, Optional<ByteRange> range);
    }

    /** The current metadata. */
    record Head() implements Wanted {
        @Override
        public boolean isMetBy(long size, Optional<ByteRange> range) {
            return range.isEmpty();
        }
    }

    /** The current metadata, and the whole object or a range of it. */
    record Current(ByteSelection selection) implements Wanted {
        @Override
        public boolean isMetBy(long size, Optional<ByteRange> range) {
            return selection instanceof ByteSelection.RangeSelection wanted
                    ? range.isPresent() && range.equals(wanted.spec().resolve(size))
                    : range.isEmpty();
        }
    }

    /** Bytes of one version, which has a strong validator. */
    record Version(ObjectVersion version, ByteRange range) implements Wanted {
        @Override
        public boolean isMetBy(long size, Optional<ByteRange> sent) {
            return size == version.size() && sent.equals(Optional.of(range));
        }
    }
}
