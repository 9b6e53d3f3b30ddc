package io.millrace.gateway.s3.server;

import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/** Generates request ids. */
final class RequestIdGenerator {
    private static final HexFormat FORMAT = HexFormat.of().withUpperCase();

    private RequestIdGenerator() {}

    /** Returns sixteen hexadecimal digits, as S3 does. They need to be unique, not secret. */
    static String next() {
        return FORMAT.toHexDigits(ThreadLocalRandom.current().nextLong());
    }
}
