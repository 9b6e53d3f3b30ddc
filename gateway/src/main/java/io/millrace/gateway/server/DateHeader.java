package io.millrace.gateway.server;

import io.millrace.gateway.http.HttpDate;
import java.time.Instant;

/** The Date field, made once a second and not once a request. */
final class DateHeader {
    private static volatile Second current = new Second(0, "");

    private record Second(long epochSecond, String text) {}

    private DateHeader() {}

    static String now() {
        long now = System.currentTimeMillis() / 1000;
        Second known = current;
        if (known.epochSecond() != now) {
            known = new Second(now, HttpDate.format(Instant.ofEpochSecond(now)));
            current = known;
        }
        return known.text();
    }
}
