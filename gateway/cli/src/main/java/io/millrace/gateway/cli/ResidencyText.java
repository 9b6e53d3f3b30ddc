package io.millrace.gateway.cli;

import java.util.stream.Collectors;

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
        String sum = "%s: %s cached of %s %s"
                .formatted(
                        TerminalEscaper.escape(place.toString()),
                        HumanReadable.bytes(residency.number("cachedBytes")),
                        HumanReadable.count(objects),
                        objects == 1 ? "object" : "objects");
        return sum
                + residency.objects(ResidencyReader.UNANSWERED).stream()
                        .map(ResidencyText::unanswered)
                        .collect(Collectors.joining());
    }

    private static String unanswered(JsonObject member) {
        return "%nWithout member %s: %s"
                .formatted(
                        TerminalEscaper.escape(member.text("member")), TerminalEscaper.escape(member.text("problem")));
    }
}
