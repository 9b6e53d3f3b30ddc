package io.millrace.loadgen;

import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import io.millrace.loadgen.client.SizeDistribution;
import java.nio.file.Path;
import java.util.Optional;

/** Settings of the objects of a load test: their origin, keys, number and sizes. */
record ObjectSettings(
        @SettingDescription(
                value = "Where the objects come from. generated: keys, sizes and bytes are computed, and missing"
                        + " objects are uploaded first; listed: the objects below the prefix; file: the keys in"
                        + " keys-file.",
                defaultValue = "generated")
        TestObjectSource source,

        @SettingDescription(value = "The prefix of the keys.", defaultValue = "bench/")
        String prefix,

        @SettingDescription(
                value = "The number of generated objects, or the limit of listed ones: at most 1,000,000.",
                defaultValue = "1000")
        long count,

        @SettingDescription(
                value = "The size of a generated object: one size, a range (its logarithm is uniform), or weights.",
                defaultValue = "1MiB",
                example = "4KiB..1MiB:90, 16MiB:10")
        SizeDistribution size,

        @SettingDescription(
                "The file with one key per line, for source file. A tab and the size in bytes may follow the key.")
        Optional<Path> keysFile)
        implements SelfValidatingSettings {
    /** Limit of the objects that are listed: some 150 bytes of memory each. */
    static final long MOST_LISTED = 1_000_000;

    /** Returns the objects in words, as {@code 500 generated objects of 1MiB below bench/}. */
    String text() {
        return switch (source) {
            case GENERATED -> "%,d generated objects of %s below %s".formatted(count, size, prefix);
            case LISTED -> "the objects listed below '%s', at most %,d".formatted(prefix, count);
            case FILE -> "the objects of " + keysFile.map(Path::toString).orElse("a file");
        };
    }

    @Override
    public void check(ProblemReporter problems) {
        if (count < 1) {
            problems.add("count", Long.toString(count), "is not a number of objects", "write 1 or more");
        }
        if (source == TestObjectSource.LISTED && count > MOST_LISTED) {
            problems.add(
                    "count",
                    Long.toString(count),
                    "is more keys than are held in memory",
                    "write at most " + MOST_LISTED);
        }
        if ((source == TestObjectSource.FILE) != keysFile.isPresent()) {
            problems.add("keys-file", "", "belongs to source: file", "set both or none");
        }
    }
}
