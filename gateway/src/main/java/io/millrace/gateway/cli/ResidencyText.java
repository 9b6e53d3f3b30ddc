package io.millrace.gateway.cli;

/** Says what is cached. What the cache knows is not all that a bucket has, so that it tells no share of it. */
final class ResidencyText {
    private ResidencyText() {}

    static String of(Location place, JsonObject residency) {
        String cached = "%s: %s cached of %s"
                .formatted(
                        PlainText.of(place.toString()),
                        Amounts.bytes(residency.number("cachedBytes")),
                        objects(residency.number("cachedObjects")));
        return residency.has("listedObjects") ? cached + System.lineSeparator() + listed(residency) : cached;
    }

    private static String listed(JsonObject residency) {
        long bytes = residency.number("listedBytes");
        if (!residency.flag("listedAll")) {
            return "The bucket has more than %s there, with more than %s"
                    .formatted(objects(residency.number("listedObjects")), Amounts.bytes(bytes));
        }
        String share = bytes == 0
                ? ""
                : ": %s of its bytes are cached"
                        .formatted(Amounts.percent(Math.min(100.0, 100.0 * residency.number("cachedBytes") / bytes)));
        return "The bucket has %s there, with %s%s"
                .formatted(objects(residency.number("listedObjects")), Amounts.bytes(bytes), share);
    }

    private static String objects(long count) {
        return Amounts.count(count) + (count == 1 ? " object" : " objects");
    }
}
