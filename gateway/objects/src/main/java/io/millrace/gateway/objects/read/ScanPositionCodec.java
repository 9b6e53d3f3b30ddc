package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.gateway.objects.bucket.BucketView;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Converts the position of a residency scan to text and back. */
final class ScanPositionCodec {
    private static final char BETWEEN = '/';

    private ScanPositionCodec() {}

    static String of(ObjectId id) {
        return encode(id.object().key().value())
                + BETWEEN
                + encode(id.versionId().orElse(""));
    }

    /**
     * Returns the object at a position.
     *
     * @throws IllegalArgumentException if the position is invalid
     */
    static ObjectId parse(BucketView bucket, String position) {
        int between = position.indexOf(BETWEEN);
        if (between < 0) {
            throw new IllegalArgumentException("no position of a scan");
        }
        ObjectKey key = new ObjectKey(decode(position.substring(0, between)));
        String version = decode(position.substring(between + 1));
        return new ObjectId(
                bucket.backendName(),
                new ObjectRef(bucket.backendBucket(), key),
                version.isEmpty() ? Optional.empty() : Optional.of(version));
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
