package io.millrace.gateway.jobs.plan;

import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.config.DataSize;
import io.millrace.gateway.jobs.plan.ObjectSelection.Source;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The parsed and checked form of a {@link RawJobRequest}.
 *
 * @param kind the word of its {@link RequestForm}
 * @param to target of a copy, a pack, a download or a comparison
 * @param shards that a pack makes; empty for other kinds
 * @param range of each object; empty for all of it
 * @param pinnedUntil end of the pins of a prefetch
 * @param overwrite what to do with objects that the target has; copy and download
 * @param deleteExtra true to delete objects that only the target has
 * @param maxDelete the most of them; by the size of the target if empty
 * @param dryRun true to count only
 */
public record JobSpec(
        String kind,
        ObjectSelection from,
        Optional<JobDestination> to,
        Optional<Shards> shards,
        Optional<RangeSpec> range,
        Optional<Instant> pinnedUntil,
        OverwriteMode overwrite,
        boolean deleteExtra,
        OptionalInt maxDelete,
        boolean dryRun,
        JobLimits limits) {
    /**
     * The shards that a pack makes of its selection.
     *
     * @param size of a shard, at most; a larger sample has one of its own
     * @param samples of a shard, at most
     * @param seed of their order; empty for that of their keys
     * @param window samples that are mixed at a time; all if empty
     * @param append whether they are numbered after those that the target has, and replace none
     */
    public record Shards(
            ShardNames names, DataSize size, int samples, OptionalLong seed, OptionalInt window, boolean append) {}

    /**
     * The names of the shards of a pack: {@code shard-%06d.tar} stands for {@code shard-000000.tar} and those that
     * follow.
     *
     * @param before the text before the number
     * @param digits of a number, at least
     */
    public record ShardNames(String before, int digits) {
        private static final Pattern FORM = Pattern.compile("([^%]*)%0([1-9])d\\.tar");

        private static final String TAR = ".tar";

        /** No pack has made so many: a number with more is of something else. */
        private static final int MOST_DIGITS = 15;

        /** Half of a key, whose other half is for the prefix. */
        private static final int LONGEST = 512;

        /**
         * Parses names.
         *
         * @throws IllegalArgumentException if they have no counter, or are not those of tars
         */
        public static ShardNames parse(String text) {
            Matcher form = FORM.matcher(text);
            if (text.length() > LONGEST || !form.matches()) {
                throw new IllegalArgumentException(
                        "is a name with one counter that ends in .tar, of up to %d characters: write shard-%%06d.tar"
                                .formatted(LONGEST));
            }
            return new ShardNames(form.group(1), form.group(2).charAt(0) - '0');
        }

        /** Returns the name of a shard, by its number from 0. */
        public String tar(long number) {
            String text = Long.toString(number);
            return before + "0".repeat(Math.max(0, digits - text.length())) + text + TAR;
        }

        /** Returns the number after that of a shard; 0 if the name is not that of one. */
        public long after(String name) {
            int end = name.length() - TAR.length();
            if (!name.startsWith(before) || !name.endsWith(TAR) || end <= before.length()) {
                return 0;
            }
            String text = name.substring(before.length(), end);
            if (text.length() > MOST_DIGITS || !text.chars().allMatch(digit -> '0' <= digit && digit <= '9')) {
                return 0;
            }
            long number = Long.parseLong(text);
            // Another pack may have named it, with more digits.
            return tar(number).equals(name) ? number + 1 : 0;
        }

        /** Returns the name of the index beside a shard. */
        public static String index(String tar) {
            return tar.substring(0, tar.length() - TAR.length()) + ".idx";
        }
    }

    /** Returns the prefixes of the selection and of the target. The objects of a pack have names of its own. */
    public PrefixRenaming names() {
        String prefix = "";
        if (shards.isEmpty() && from.source() instanceof Source.Listing listing) {
            prefix = listing.prefix();
        } else if (from.source() instanceof Source.FailuresOf failures) {
            prefix = failures.prefix();
        }
        return new PrefixRenaming(prefix, to.map(JobDestination::prefix).orElse(""));
    }

    /** Returns the bytes that the job selects of an object of this size; 0 if the size is unknown. */
    public long selectedBytes(long size) {
        return range.map(selected ->
                        selected.resolve(size).map(ByteRange::length).orElse(0L))
                .orElse(size);
    }
}
