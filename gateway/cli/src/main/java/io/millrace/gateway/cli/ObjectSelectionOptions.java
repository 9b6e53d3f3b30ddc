package io.millrace.gateway.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The command-line options that select the objects of a job. */
final class ObjectSelectionOptions {
    @Option(
            names = "--glob",
            paramLabel = "PATTERN",
            description = "Keys that match after the prefix: **.tar, 2026-*/*.{csv,gz}.")
    private @Nullable String glob;

    @Option(names = "--regex", paramLabel = "PATTERN", description = "Keys that match as a whole (RE2 syntax).")
    private @Nullable String regex;

    @Option(names = "--min-size", paramLabel = "SIZE", description = "Objects of at least this size: 1MiB.")
    private @Nullable String minSize;

    @Option(names = "--max-size", paramLabel = "SIZE", description = "Objects of at most this size.")
    private @Nullable String maxSize;

    @Option(
            names = "--newer-than",
            paramLabel = "WHEN",
            description = "Objects modified since: 7d, 12h, 2026-01-31T00:00:00Z.")
    private @Nullable String newerThan;

    @Option(names = "--older-than", paramLabel = "WHEN", description = "Objects modified before.")
    private @Nullable String olderThan;

    @Option(
            names = "--template",
            paramLabel = "NAMES",
            description = "Keys by a numeric range, without listing: train/shard-{000000..004095}.tar.")
    private @Nullable String template;

    @Option(
            names = "--keys-from",
            paramLabel = "FILE",
            description = "File with keys, one per line, at most 10,000; - is standard input.")
    private @Nullable String keysFrom;

    @Option(
            names = "--manifest",
            paramLabel = "KEY",
            description = "Object in the bucket with keys, one per line, or the manifest.json of an S3 Inventory.")
    private @Nullable String manifest;

    /** Returns the fields that describe the selection in a request. */
    Map<String, Object> json(S3Location from, CommandEnvironment around) {
        Map<String, Object> fields = new LinkedHashMap<>(from.json());
        JobRequestFieldWriter.putIfPresent(fields, "template", template);
        JobRequestFieldWriter.putIfPresent(fields, "manifest", manifest);
        if (keysFrom != null) {
            fields.put("keys", NameFileReader.read("--keys-from", keysFrom, around));
        }
        JobRequestFieldWriter.putIfPresent(fields, "glob", glob);
        JobRequestFieldWriter.putIfPresent(fields, "regex", regex);
        JobRequestFieldWriter.putIfPresent(fields, "minSize", minSize);
        JobRequestFieldWriter.putIfPresent(fields, "maxSize", maxSize);
        JobRequestFieldWriter.putIfPresent(fields, "newerThan", newerThan);
        JobRequestFieldWriter.putIfPresent(fields, "olderThan", olderThan);
        return fields;
    }
}
