package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import java.util.List;
import java.util.Optional;

/**
 * An item of a batch: an object, a member of an archive, or a range of either.
 *
 * @param key of the object or the archive
 * @param member the key of the member, which begins with that of its archive; empty for an object
 * @param range the header by which a GET would ask for a range; empty for all
 */
record BatchItem(BucketName bucket, ObjectKey key, Optional<ObjectKey> member, Optional<String> range) {
    /** The header of a GET for a range. */
    private record RangeHeader(String range) implements RequestHeaders {
        private static final String NAME = "range";

        @Override
        public List<String> all(String name) {
            return name.equals(NAME) ? List.of(range) : List.of();
        }

        @Override
        public List<String> names() {
            return List.of(NAME);
        }
    }

    /** Returns the key of what is read. */
    ObjectKey read() {
        return member.orElse(key);
    }

    /** Returns the headers of a GET for it. */
    RequestHeaders headers() {
        return range.<RequestHeaders>map(RangeHeader::new).orElse(RequestHeaders.NONE);
    }
}
