package io.millrace.gateway.jobs.store;

import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Locale;
import java.util.regex.Pattern;

/** Generates job ids, which sort in the order of submission and cannot be guessed. Used by one thread at a time. */
public final class JobIdGenerator {
    private static final Pattern ID = Pattern.compile("[0-9a-v]{16}");

    private final InstantSource clock;
    private final SecureRandom random = new SecureRandom();
    private long last;

    public JobIdGenerator(InstantSource clock) {
        this.clock = clock;
    }

    /** Returns an id: milliseconds since 1970 in ten digits of base 32, and 30 random bits. */
    public String next() {
        last = Math.max(last + 1, clock.millis());
        long number = random.nextInt(1 << 30);
        return "%s%s".formatted(base32(last, 10), base32(number, 6)).toLowerCase(Locale.ROOT);
    }

    /** Returns true if a text has the form of an id. */
    static boolean isId(String text) {
        return ID.matcher(text).matches();
    }

    private static String base32(long number, int digits) {
        String text = Long.toString(number, 32);
        return "0".repeat(digits - text.length()) + text;
    }
}
