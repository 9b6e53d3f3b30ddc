package io.millrace.gateway.cli;

/**
 * Formats, for the command line, how much of a prefix is cached. It shows no percentage, because the cache may not know
 * all objects.
 */
final class ResidencyText {
    private ResidencyText() {}

    static String of(S3Location place, JsonObject residency) {
        long objects = residency.number("cachedObjects");
        return "%s: %s cached of %s %s"
                .formatted(
                        TerminalEscaper.escape(place.toString()),
                        HumanReadable.bytes(residency.number("cachedBytes")),
                        HumanReadable.count(objects),
                        objects == 1 ? "object" : "objects");
    }
}
