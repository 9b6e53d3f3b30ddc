package io.millrace.loadgen.scenario;

import io.millrace.config.Setting;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.ValidatedSettings;
import io.millrace.loadgen.content.SizeDistribution;
import java.nio.file.Path;
import java.util.Optional;

/** Settings of the objects of a load test. */
public record ObjectSettings(
        @Setting(
                value = "Where the objects come from. generated: keys, sizes and bytes are computed, and missing"
                        + " objects are uploaded first; listed: the objects below the prefix; file: the keys in"
                        + " keys-file.",
                defaultValue = "generated")
        TestObjectSource source,

        @Setting(value = "The prefix of the keys.", defaultValue = "bench/")
        String prefix,

        @Setting(value = "The number of generated objects, or the limit of listed ones.", defaultValue = "1000")
        long count,

        @Setting(
                value = "The size of a generated object: one size, a range (its logarithm is uniform), or weights.",
                defaultValue = "1MiB",
                example = "4KiB..1MiB:90, 16MiB:10")
        SizeDistribution size,

        @Setting("The file with one key per line, for source file.")
        Optional<Path> keysFile)
        implements ValidatedSettings {
    private static final long MOST_LISTED = 10_000_000;

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
