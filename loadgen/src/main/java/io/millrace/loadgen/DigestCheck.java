package io.millrace.loadgen;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/**
 * Compares a digest of a whole body with the one that the response states: a checksum of the whole object, or an ETag
 * that is an MD5. An ETag of that form need not be an MD5 (objects encrypted with KMS), so that it counts only without
 * such encryption.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_Object.html">ETag of an object</a>
 */
final class DigestCheck implements BodyVerifier {
    private final Digest digest;
    private final byte[] expected;

    /** A digest of bytes. */
    private interface Digest {
        void update(ByteBuffer bytes);

        byte[] value();
    }

    private DigestCheck(Digest digest, byte[] expected) {
        this.digest = digest;
        this.expected = expected;
    }

    /** Returns the check for a response with these headers; {@link BodyVerifier#NONE} if they state no digest. */
    static BodyVerifier of(HttpHeaders headers) {
        if (!"COMPOSITE".equals(headers.get("x-amz-checksum-type"))) {
            for (String name : new String[] {"crc32c", "crc32", "sha256", "sha1"}) {
                String value = headers.get("x-amz-checksum-" + name, "");
                if (!value.isEmpty() && value.indexOf('-') < 0) {
                    return new DigestCheck(digest(name), Base64.getDecoder().decode(value));
                }
            }
        }
        String etag = headers.get("etag", "").replace("\"", "");
        boolean isMd5 = etag.matches("[0-9a-f]{32}")
                && !headers.get("x-amz-server-side-encryption", "").startsWith("aws:kms");
        return isMd5 ? new DigestCheck(digest("md5"), HexFormat.of().parseHex(etag)) : NONE;
    }

    private static Digest digest(String name) {
        return switch (name) {
            case "crc32c" -> of(new CRC32C());
            case "crc32" -> of(new CRC32());
            case "sha256" -> of("SHA-256");
            case "sha1" -> of("SHA-1");
            default -> of("MD5");
        };
    }

    private static Digest of(Checksum checksum) {
        return new Digest() {
            @Override
            public void update(ByteBuffer bytes) {
                checksum.update(bytes);
            }

            @Override
            public byte[] value() {
                return ByteBuffer.allocate(Integer.BYTES)
                        .putInt((int) checksum.getValue())
                        .array();
            }
        };
    }

    private static Digest of(String algorithm) {
        MessageDigest message;
        try {
            message = MessageDigest.getInstance(algorithm);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e); // every Java has these
        }
        return new Digest() {
            @Override
            public void update(ByteBuffer bytes) {
                message.update(bytes);
            }

            @Override
            public byte[] value() {
                return message.digest();
            }
        };
    }

    @Override
    public void update(ByteBuf bytes) {
        for (ByteBuffer buffer : bytes.nioBuffers()) {
            digest.update(buffer);
        }
    }

    @Override
    public boolean isRight() {
        return MessageDigest.isEqual(expected, digest.value());
    }
}
