package io.millrace.backend.http;

import io.millrace.backend.spi.object.ObjectKey;

/** Percent-encodes an object key for a request target: all bytes but letters, digits, {@code -._~} and the slash. */
public final class ObjectKeyEncoding {
    private static final char[] HEX = "0123456789ABCDEF".toCharArray();
    private static final boolean[] PLAIN = plain();

    private ObjectKeyEncoding() {}

    public static String encode(ObjectKey key) {
        byte[] bytes = key.utf8();
        StringBuilder text = new StringBuilder(bytes.length + 16);
        for (byte b : bytes) {
            int c = b & 0xFF;
            if (PLAIN[c]) {
                text.append((char) c);
            } else {
                text.append('%').append(HEX[c >> 4]).append(HEX[c & 0xF]);
            }
        }
        return text.toString();
    }

    private static boolean[] plain() {
        boolean[] plain = new boolean[256];
        String all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
        all.chars().forEach(c -> plain[c] = true);
        return plain;
    }
}
