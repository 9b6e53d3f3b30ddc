package io.millrace.gateway.cli;

/**
 * Formats, for the command line, how much of a prefix is cached. It shows no percentage, because the cache may not know
 * all objects.
 */
final class ResidencyText {
    private ResidencyText() {}

    static String of(S3Location place, JsonObject residency) {
        if (residency.has("derivedFrom")) {
            return ("%s: its objects are cached as parts of those of s3://%s, see the residency of that; only the"
                            + " content of deflated members is cached here, and counted by millrace status")
                    .formatted(
                            TerminalEscaper.escape(place.toString()),
                            TerminalEscaper.escape(residency.text("derivedFrom")));
        }
        long objects = residency.number("cachedObjects");
        return "%s: %s cached of %s %s"
                .formatted(
                        TerminalEscaper.escape(place.toString()),
                        HumanReadable.bytes(residency.number("cachedBytes")),
                        HumanReadable.count(objects),
                        objects == 1 ? "object" : "objects");
    }
}
