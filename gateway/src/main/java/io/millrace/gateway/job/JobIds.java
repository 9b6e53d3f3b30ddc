package io.millrace.gateway.job;

import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Locale;

/** Names of jobs: in the order in which they were given out, and not to be guessed. Used by one thread at a time. */
final class JobIds {
    private final InstantSource clock;
    private final SecureRandom random = new SecureRandom();
    private long last;

    JobIds(InstantSource clock) {
        this.clock = clock;
    }

    /** Milliseconds since 1970 in ten digits of base 32, and 30 bits of chance. */
    String next() {
        last = Math.max(last + 1, clock.millis());
        long number = random.nextInt(1 << 30);
        return "%s%s".formatted(base32(last, 10), base32(number, 6)).toLowerCase(Locale.ROOT);
    }

    private static String base32(long number, int digits) {
        String text = Long.toString(number, 32);
        return "0".repeat(digits - text.length()) + text;
    }
}
