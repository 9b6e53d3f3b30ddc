package io.millrace.gateway.s3.observe;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Formatter of the access log's lines. They have visible ASCII only, so that no client forges a line or a field, or
 * controls a terminal.
 */
final class AccessLogFormat {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern(AccessLogEntry.TIME_PATTERN).withZone(ZoneOffset.UTC);
    private static final HexFormat HEX = HexFormat.of();
    private static final String ABSENT = "-";
    private static final int USUAL_LENGTH = 512;

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .build();

    private AccessLogFormat() {}

    /** Returns the lines of entries in a format. */
    static byte[] lines(AccessLogSettings.Format format, List<AccessLogEntry> entries) {
        return switch (format) {
            case TEXT -> text(entries);
            case JSON -> json(entries);
        };
    }

    private static byte[] json(List<AccessLogEntry> entries) {
        ByteArrayOutputStream lines = new ByteArrayOutputStream(entries.size() * USUAL_LENGTH);
        for (AccessLogEntry entry : entries) {
            lines.writeBytes(JSON.writeValueAsBytes(entry));
            lines.write('\n');
        }
        return lines.toByteArray();
    }

    private static byte[] text(List<AccessLogEntry> entries) {
        StringBuilder lines = new StringBuilder(entries.size() * USUAL_LENGTH);
        entries.forEach(entry -> addText(lines, entry));
        return lines.toString().getBytes(StandardCharsets.US_ASCII);
    }

    private static void addText(StringBuilder line, AccessLogEntry entry) {
        TIME.formatTo(entry.time(), line);
        add(line, entry.requestId());
        add(line, entry.address());
        add(line, entry.scheme());
        add(line, entry.identity());
        add(line, entry.operation());
        add(line, entry.method());
        add(line, entry.path());
        line.append(' ').append(entry.status());
        add(line, entry.outcome());
        add(line, entry.error());
        add(line, entry.cache());
        add(line, entry.backend());
        add(line, entry.bucket());
        add(line, entry.range());
        line.append(' ').append(entry.bytesIn()).append(' ').append(entry.bytesOut());
        if (entry.firstByteMicros().isPresent()) {
            line.append(' ').append(entry.firstByteMicros().getAsLong());
        } else {
            add(line, ABSENT);
        }
        line.append(' ').append(entry.totalMicros());
        // The last field, so that its blanks move no other.
        if (entry.userAgent().isPresent()) {
            line.append(" \"");
            escape(line, entry.userAgent().get(), true);
            line.append('"');
        } else {
            add(line, ABSENT);
        }
        line.append('\n');
    }

    private static void add(StringBuilder line, Optional<String> field) {
        add(line, field.orElse(ABSENT));
    }

    /** Adds a field that has no blank: programs divide lines at them. */
    private static void add(StringBuilder line, String field) {
        line.append(' ');
        escape(line, field.isEmpty() ? ABSENT : field, false);
    }

    private static void escape(StringBuilder line, String text, boolean isQuoted) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                line.append('\\').append(c);
            } else if ((c > ' ' && c < 0x7f) || (c == ' ' && isQuoted)) {
                line.append(c);
            } else {
                line.append("\\u").append(HEX.toHexDigits(c));
            }
        }
    }
}
