package io.millrace.auth.signature;

import io.millrace.auth.ChunkSignatureSeed;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Writes bodies in aws-chunked, step by step as in AWS's documentation; slow and obvious. */
final class Wire {
    private static final String NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final @Nullable ChunkSignatureSeed seed;
    private String previous;

    /**
     * @param seed what signs; null for unsigned chunks
     */
    Wire(@Nullable ChunkSignatureSeed seed) {
        this.seed = seed;
        this.previous = seed == null ? "" : seed.signature();
    }

    /** Adds {@code payload} in chunks of {@code size}, and the final chunk. */
    Wire chunks(byte[] payload, int size) {
        for (int at = 0; at < payload.length; at += size) {
            chunk(Arrays.copyOfRange(payload, at, Math.min(payload.length, at + size)));
            text("\r\n");
        }
        return chunk(new byte[0]);
    }

    /** Adds a chunk without the line end after its bytes. */
    Wire chunk(byte[] bytes) {
        text(Integer.toHexString(bytes.length));
        if (seed != null) {
            sign("AWS4-HMAC-SHA256-PAYLOAD", NOTHING + '\n' + sha256(bytes));
            text(";chunk-signature=" + previous);
        }
        text("\r\n");
        out.writeBytes(bytes);
        return this;
    }

    /** Adds a trailing header, signed if chunks are, and the end. */
    Wire trailer(String name, String value) {
        text(name + ':' + value + "\r\n");
        if (seed != null) {
            String canonical = name + ':' + value + '\n';
            sign("AWS4-HMAC-SHA256-TRAILER", sha256(canonical.getBytes(StandardCharsets.ISO_8859_1)));
            text("x-amz-trailer-signature:" + previous + "\r\n");
        }
        return text("\r\n");
    }

    Wire text(String text) {
        out.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
        return this;
    }

    byte[] bytes() {
        return out.toByteArray();
    }

    private void sign(String algorithm, String what) {
        if (seed != null) {
            previous = seed.sign(String.join("\n", algorithm, seed.timestamp(), seed.scope(), previous, what));
        }
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }
}
