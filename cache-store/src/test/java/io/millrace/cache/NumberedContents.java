package io.millrace.cache;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import java.util.Optional;

/** Numbered contents of one object, created once so that a search does not pay for them. */
final class NumberedContents {
    /** Bytes of each. */
    static final int SIZE = 10;

    private static final ObjectHead[] HEADS = {make(0), make(1), make(2), make(3)};

    private NumberedContents() {}

    /** @param number 0 to 3 */
    static ObjectHead head(int number) {
        return HEADS[number];
    }

    static ObjectMetadata cached(ObjectId id, ObjectHead head) {
        return new ObjectMetadata(id, head, 0, true, false, Fingerprint.NONE, TestCache.BLOCK);
    }

    static int number(ObjectMetadata cached) {
        String tag = cached.head().eTag().orElseThrow().toString();
        return tag.charAt(tag.length() - 2) - '0';
    }

    private static ObjectHead make(int number) {
        Optional<ETag> tag = Optional.of(ETag.strong("v" + number));
        return new ObjectHead(
                ObjectVersion.ofETag(tag, SIZE, Optional.empty()), tag, Optional.empty(), HeaderList.EMPTY);
    }
}
