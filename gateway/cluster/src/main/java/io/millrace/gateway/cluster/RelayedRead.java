package io.millrace.gateway.cluster;

import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.cache.metadata.ObjectId;
import java.util.Optional;

/**
 * A read that a member relays to another one: to the home of an object, or from there to a member that may have bytes
 * which the home lacks.
 *
 * @param bucket the name by which clients know the bucket
 * @param tier the facts about the client's request, if there is one
 * @param held whether only bytes are wanted that the other member has, of whatever version: it asks nobody for them
 */
record RelayedRead(BucketName bucket, ObjectId id, Wanted wanted, TierRequest tier, boolean held) {
    RelayedRead {
        if (held && wanted instanceof Head) {
            throw new IllegalArgumentException("metadata are asked for where they are known to be current");
        }
    }

    /** A read of the object as it is now, or of one version, wherever its bytes must come from. */
    RelayedRead(BucketName bucket, ObjectId id, Wanted wanted, TierRequest tier) {
        this(bucket, id, wanted, tier, false);
    }

    /** The part of the object that is wanted. */
    sealed interface Wanted {
        /** Returns whether this is wanted where this version is found, and these bytes of it are sent. */
        boolean isMetBy(ObjectVersion found, Optional<ByteRange> sent);
    }

    /** The current metadata. */
    record Head() implements Wanted {
        @Override
        public boolean isMetBy(ObjectVersion found, Optional<ByteRange> sent) {
            return sent.isEmpty();
        }
    }

    /** The current metadata, and the whole object or a range of it. */
    record Current(ByteSelection selection) implements Wanted {
        @Override
        public boolean isMetBy(ObjectVersion found, Optional<ByteRange> sent) {
            return selection instanceof ByteSelection.RangeSelection wanted
                    ? sent.isPresent() && sent.equals(wanted.spec().resolve(found.size()))
                    : sent.isEmpty();
        }
    }

    /** Bytes of one version, which has a strong validator. */
    record Version(ObjectVersion version, ByteRange range) implements Wanted {
        @Override
        public boolean isMetBy(ObjectVersion found, Optional<ByteRange> sent) {
            return found.equals(version) && sent.equals(Optional.of(range));
        }
    }
}
