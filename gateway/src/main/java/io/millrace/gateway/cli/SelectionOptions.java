package io.millrace.gateway.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which objects of a bucket a job is about. */
final class SelectionOptions {
    @Option(
            names = "--glob",
            paramLabel = "PATTERN",
            description = "Keys whose rest after the prefix fits: **.tar, 2026-*/*.{csv,gz}.")
    private @Nullable String glob;

    @Option(names = "--regex", paramLabel = "PATTERN", description = "Whole keys that fit (RE2).")
    private @Nullable String regex;

    @Option(names = "--min-size", paramLabel = "SIZE", description = "Objects of this size at least: 1MiB.")
    private @Nullable String minSize;

    @Option(names = "--max-size", paramLabel = "SIZE", description = "Objects of this size at most.")
    private @Nullable String maxSize;

    @Option(names = "--newer-than", paramLabel = "WHEN", description = "Written since: 7d, 12h, 2026-01-31T00:00:00Z.")
    private @Nullable String newerThan;

    @Option(names = "--older-than", paramLabel = "WHEN", description = "Written before.")
    private @Nullable String olderThan;

    @Option(
            names = "--template",
            paramLabel = "NAMES",
            description = "Names that are counted up, without a list: train/shard-{000000..004095}.tar.")
    private @Nullable String template;

    @Option(
            names = "--keys-from",
            paramLabel = "FILE",
            description = "Keys, one a line, 10,000 at most; - is standard input.")
    private @Nullable String keysFrom;

    @Option(
            names = "--manifest",
            paramLabel = "KEY",
            description =
                    "An object of the bucket that lists keys, one a line, or the manifest.json of an S3 Inventory.")
    private @Nullable String manifest;

    /** As a request says it. */
    Map<String, Object> json(Location from, Surroundings around) {
        Map<String, Object> fields = new LinkedHashMap<>(from.json());
        Fields.put(fields, "template", template);
        Fields.put(fields, "manifest", manifest);
        if (keysFrom != null) {
            fields.put("keys", Lines.read("--keys-from", keysFrom, around));
        }
        Fields.put(fields, "glob", glob);
        Fields.put(fields, "regex", regex);
        Fields.put(fields, "minSize", minSize);
        Fields.put(fields, "maxSize", maxSize);
        Fields.put(fields, "newerThan", newerThan);
        Fields.put(fields, "olderThan", olderThan);
        return fields;
    }
}
