package io.millrace.gateway.s3.server;

import io.millrace.kit.HttpDate;
import java.time.Instant;

/** Caches the Date header, which is formatted once per second. */
final class DateHeaderCache {
    private static volatile Second current = new Second(0, "");

    private record Second(long epochSecond, String text) {}

    private DateHeaderCache() {}

    static String now() {
        long now = System.currentTimeMillis() / 1000;
        Second cached = current;
        if (cached.epochSecond() != now) {
            cached = new Second(now, HttpDate.format(Instant.ofEpochSecond(now)));
            current = cached;
        }
        return cached.text();
    }
}
