package io.millrace.gateway.read;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.object.HeaderList;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What is behind the gateway, and a way to put objects there in which neither the gateway nor its backend has a part.
 */
public interface OriginFixture extends AutoCloseable {
    /** What it has beyond objects and listings; each chooses cases. */
    enum Trait {
        /** Keeps Content-Type and its like, and user metadata. */
        METADATA,
        /** Remembers the parts of a multipart upload. */
        PARTS,
        /** Keeps checksums. */
        CHECKSUMS,
        /** Names an owner in listings. */
        OWNERS,
        /**
         * Takes every name for a name and none for a path: an object beside others below it, names of dots, byte order.
         */
        ANY_NAME,
        /** Rolls up at other delimiters than a slash. */
        ANY_DELIMITER,
        /** Compares dates by the second, as it tells them, and before or after tags as the RFC orders them. */
        RFC_CONDITIONS,
        /** Knows the version {@code null}. */
        NULL_VERSION
    }

    Set<Trait> traits();

    /** The gateway's backend over it. */
    Backend backend();

    /** Whether it, and the way in, can hold this key. */
    boolean canHold(String key);

    void createBucket(String bucket) throws IOException;

    /** Stores an object; {@code headers} only with {@link Trait#METADATA}. */
    void put(String bucket, String key, byte[] bytes, HeaderList headers) throws IOException;

    /** Stores a multipart object; called only with {@link Trait#PARTS}. */
    default void putParts(String bucket, String key, List<byte[]> parts) {
        throw new UnsupportedOperationException("it does not remember parts");
    }

    /** A way to ask it directly, if it speaks S3. */
    default Optional<RawResponse> wire() {
        return Optional.empty();
    }

    /** Takes away what was put there, and closes the backend. */
    @Override
    void close() throws IOException;
}
