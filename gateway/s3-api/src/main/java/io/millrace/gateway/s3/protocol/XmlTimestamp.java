package io.millrace.gateway.s3.protocol;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** The format of times in S3's XML documents: ISO 8601 with milliseconds, always three digits. */
public final class XmlTimestamp {
    private static final DateTimeFormatter FORMAT = DateTimeFormatter.ofPattern(
                    "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private XmlTimestamp() {}

    /** Formats a time. */
    public static String format(Instant time) {
        return FORMAT.format(time);
    }
}
