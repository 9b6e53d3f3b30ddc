package io.millrace.cache.metadata;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Optional;

/**
 * Encodes and decodes the keys of the metadata store. Their unsigned byte order is that of backend, bucket, object key
 * (by its UTF-8, as S3 lists) and version id, so that all objects below a prefix are one range.
 *
 * <p>Each part is its UTF-8 with {@code 00} written as {@code 00 FF}, and ends in {@code 00 01}, which is lower than
 * any continuation of a part. The version id comes last, unescaped; the current version has none and comes first.
 */
final class MetadataKeyCodec {
    private static final int ESCAPE = 0x00;
    private static final int ESCAPED_ZERO = 0xFF;
    private static final int END = 0x01;

    private MetadataKeyCodec() {}

    /** Returns the key of an object. */
    static byte[] of(ObjectId id) {
        ByteArrayOutputStream key = new ByteArrayOutputStream(96);
        part(key, id.backend());
        part(key, id.object().bucket().value());
        part(key, id.object().key().value());
        id.versionId().ifPresent(version -> {
            key.write(END);
            key.writeBytes(version.getBytes(UTF_8));
        });
        return key.toByteArray();
    }

    /** Returns the lowest key that an object below the prefix may have. */
    static byte[] first(ObjectPrefix below) {
        ByteArrayOutputStream key = new ByteArrayOutputStream(96);
        part(key, below.backend());
        part(key, below.bucket().value());
        escaped(key, below.prefix());
        return key.toByteArray();
    }

    /** Returns the lowest key after all keys that begin with {@code first}. */
    static byte[] end(byte[] first) {
        int length = first.length;
        while (length > 0 && (first[length - 1] & 0xFF) == 0xFF) {
            length--;
        }
        if (length == 0) {
            throw new IllegalArgumentException("no key is higher than all that begin so");
        }
        byte[] end = Arrays.copyOf(first, length);
        end[length - 1]++;
        return end;
    }

    /** Returns the lowest key that is higher than this one. */
    static byte[] after(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }

    /**
     * Returns the object that a key belongs to.
     *
     * @throws IllegalArgumentException if the key is invalid
     */
    static ObjectId decode(byte[] key) {
        Parts parts = new Parts(key);
        String backend = parts.next();
        BucketName bucket = new BucketName(parts.next());
        ObjectKey object = new ObjectKey(parts.next());
        return new ObjectId(backend, new ObjectRef(bucket, object), parts.rest());
    }

    private static void part(ByteArrayOutputStream key, String text) {
        escaped(key, text);
        key.write(ESCAPE);
        key.write(END);
    }

    private static void escaped(ByteArrayOutputStream key, String text) {
        for (byte each : text.getBytes(UTF_8)) {
            key.write(each);
            if (each == ESCAPE) {
                key.write(ESCAPED_ZERO);
            }
        }
    }

    private static final class Parts {
        private final byte[] key;
        private int at;

        Parts(byte[] key) {
            this.key = key;
        }

        String next() {
            ByteArrayOutputStream part = new ByteArrayOutputStream();
            while (true) {
                int each = read();
                if (each != ESCAPE) {
                    part.write(each);
                    continue;
                }
                int then = read();
                if (then == END) {
                    return part.toString(UTF_8);
                }
                if (then != ESCAPED_ZERO) {
                    throw new IllegalArgumentException("a key of the metadata store with a wrong escape");
                }
                part.write(0);
            }
        }

        Optional<String> rest() {
            if (at == key.length) {
                return Optional.empty();
            }
            if (read() != END) {
                throw new IllegalArgumentException("a key of the metadata store with a wrong version");
            }
            return Optional.of(new String(key, at, key.length - at, UTF_8));
        }

        private int read() {
            if (at == key.length) {
                throw new IllegalArgumentException("a key of the metadata store that ends too early");
            }
            return key[at++] & 0xFF;
        }
    }
}
