package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import java.util.Optional;

/**
 * An item of a batch: an object, a member of an archive, a range of either, or a sample of an archive.
 *
 * @param key of the object or the archive
 * @param member the key of the member, or as one that of the sample, which begin with that of their archive; empty for
 *     an object
 * @param isSample whether it is a sample
 * @param range the header by which a GET would ask for a range; empty for all
 */
record BatchItem(
        BucketName bucket, ObjectKey key, Optional<ObjectKey> member, boolean isSample, Optional<String> range) {
    /** Returns the key of what is read; that of a sample is none that is read. */
    ObjectKey read() {
        return member.orElse(key);
    }

    /** Returns the name of a sample in its archive. */
    String sample() {
        return read().value().substring(key.value().length() + 1);
    }
}
