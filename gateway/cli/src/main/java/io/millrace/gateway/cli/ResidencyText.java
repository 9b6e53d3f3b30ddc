package io.millrace.gateway.cli;

import io.millrace.gateway.cli.client.S3Location;
import io.millrace.gateway.cli.text.HumanReadable;
import io.millrace.gateway.cli.text.JsonObject;
import io.millrace.gateway.cli.text.TerminalEscaper;

/** Formats the residency of a prefix. It shows a percentage only if the bucket was listed, since the cache may not know all objects. */
final class ResidencyText {
    private ResidencyText() {}

    static String of(S3Location place, JsonObject residency) {
        String cached = "%s: %s cached of %s"
                .formatted(
                        TerminalEscaper.escape(place.toString()),
                        HumanReadable.bytes(residency.number("cachedBytes")),
                        objects(residency.number("cachedObjects")));
        return residency.has("listedObjects") ? cached + System.lineSeparator() + listed(residency) : cached;
    }

    private static String listed(JsonObject residency) {
        long bytes = residency.number("listedBytes");
        if (!residency.flag("listedAll")) {
            return "The bucket has more than %s there, more than %s"
                    .formatted(objects(residency.number("listedObjects")), HumanReadable.bytes(bytes));
        }
        String share = bytes == 0
                ? ""
                : "; %s of its bytes are cached"
                        .formatted(HumanReadable.percent(
                                Math.min(100.0, 100.0 * residency.number("cachedBytes") / bytes)));
        return "The bucket has %s there, %s%s"
                .formatted(objects(residency.number("listedObjects")), HumanReadable.bytes(bytes), share);
    }

    private static String objects(long count) {
        return HumanReadable.count(count) + (count == 1 ? " object" : " objects");
    }
}
